"""Functions of time that kernels evaluate: constants, sampled curves and expressions."""
