"""Bounds that keep a hostile or broken file from taking the computer down."""

MAX_BYTES = 256 * 1024 * 1024  # of a scene file; a body takes about 200 bytes
MAX_DEPTH = 32  # levels of nesting; a scene needs five
MAX_PROBLEMS = 100  # that are listed; of the others the number is said
