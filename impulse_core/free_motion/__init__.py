"""How a body moves between two impulses (docs/algorithm.md, equations 1 and 2)."""
