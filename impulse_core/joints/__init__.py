"""Joints: each is a list of constraint parts, one file per part (docs/algorithm.md, catalogue)."""
