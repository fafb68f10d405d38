"""The simulator against analytic solutions, invariants and its own orders."""
