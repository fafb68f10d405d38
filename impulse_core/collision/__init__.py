"""Which points of which bodies touch, or could touch within a step."""
