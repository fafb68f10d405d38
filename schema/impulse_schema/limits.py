"""Bounds that keep a hostile or broken file from taking the computer down."""

MAX_BYTES = 256 * 1024 * 1024  # of a scene file; a body takes about 200 bytes
MAX_DEPTH = 32  # levels of nesting; a scene needs five
MAX_PROBLEMS = 100  # that are listed; of the others the number is said
MAX_COPIES = 200_000  # elements that uses of parts make, which takes ten seconds
MAX_NESTED_USES = 32  # levels of parts that use parts
