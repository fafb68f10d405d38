"""What a simulation leaves behind: frames, diagnostics, state hash, and the files that hold them.

Needs NumPy only, so that the Blender add-on can read an animation without the solver.
"""

from .errors import RecordingError
from .files import check_output, write_atomically
from .formats import SUFFIXES, load_recording
from .quaternions import sign_continuous
from .recording import Recording
from .state_hash import state_hash

__all__ = [
    "SUFFIXES",
    "Recording",
    "RecordingError",
    "check_output",
    "load_recording",
    "sign_continuous",
    "state_hash",
    "write_atomically",
]
