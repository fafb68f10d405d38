"""What a simulation leaves behind: frames, diagnostics, state hash, and the files that hold them.

Needs NumPy only, so that the Blender add-on can read an animation without the solver.
"""

from .errors import RecordingError
from .files import check_output, read_regular_file, write_atomically
from .following import Followed, NewFrames
from .formats import SUFFIXES
from .growing import GROWING, GrowingFile, unfinished_beside
from .header import without_infinities
from .quaternions import sign_continuous
from .recording import Recording, load_recording
from .state_hash import state_hash

__all__ = [
    "GROWING",
    "SUFFIXES",
    "Followed",
    "GrowingFile",
    "NewFrames",
    "Recording",
    "RecordingError",
    "check_output",
    "load_recording",
    "read_regular_file",
    "sign_continuous",
    "state_hash",
    "unfinished_beside",
    "without_infinities",
    "write_atomically",
]
