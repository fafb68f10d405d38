"""Files that are alike but for the last digits, which libraries of matrices round differently on
another processor.
"""

import re

import numpy as np

__all__ = ["assert_alike"]

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def assert_alike(made: bytes, committed: bytes, name: str) -> None:
    """Every word is the same, and every number to the rounding of it or of a unit."""
    assert _NUMBER.sub(b"#", made) == _NUMBER.sub(b"#", committed), name
    numbers = [[float(n) for n in _NUMBER.findall(data)] for data in (made, committed)]
    np.testing.assert_allclose(*numbers, rtol=4e-16, atol=2.3e-16, err_msg=name)
