"""How wheels are built: with the kernels that a run needs, compiled, where that can be done."""
