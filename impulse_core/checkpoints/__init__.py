"""The state of a simulation as a file, and digests of what a state belongs to.

Knows arrays, their types and nothing of what they mean; needs NumPy only.
"""

from impulse_core.checkpoints.digests import digest, model_digest
from impulse_core.checkpoints.errors import (
    DamagedStateError,
    NewerStateError,
    NotAStateError,
    OtherFieldsError,
    OtherModelError,
    OtherOptionsError,
    StateFileError,
)
from impulse_core.checkpoints.state_file import read_bytes, read_state, write_state

__all__ = [
    "DamagedStateError",
    "NewerStateError",
    "NotAStateError",
    "OtherFieldsError",
    "OtherModelError",
    "OtherOptionsError",
    "StateFileError",
    "digest",
    "model_digest",
    "read_bytes",
    "read_state",
    "write_state",
]
