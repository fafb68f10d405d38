"""Equal input, equal bits."""
