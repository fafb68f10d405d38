"""Time integration methods, one file per family, named as ``--method`` names them."""
