"""Integration methods and solvers, one file per family, behind one protocol (runners.py)."""
