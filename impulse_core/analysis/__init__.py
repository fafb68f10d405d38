"""What can be told of a machine without running it: freedoms, contradictions, damping."""
