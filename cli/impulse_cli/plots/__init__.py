"""Curves of recordings, as figures and tables."""
