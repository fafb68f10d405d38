"""``Recording``: what its constructor promises, and the state hash."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from impulse_core.recording import RecordingError, sign_continuous, state_hash

from .recordings import turning


def test_quaternions_become_sign_continuous() -> None:
    """Whatever signs the input has, neighbouring frames never lie on opposite sides."""
    smooth = turning(frames=200)
    signs = np.where(np.random.default_rng(7).random((200, 2, 1)) < 0.5, -1.0, 1.0)
    signs[0] = 1.0

    flipped = turning(frames=200, orientations=smooth.orientations * signs)

    assert np.array_equal(smooth.orientations, flipped.orientations)
    assert np.all(np.einsum("fnk,fnk->fn", flipped.orientations[1:], flipped.orientations[:-1]) > 0)


def test_sign_continuity_equals_the_frame_by_frame_definition() -> None:
    """The vectorised product of flips is the same as comparing each frame with the last one."""
    rng = np.random.default_rng(3)
    orientations = rng.normal(size=(50, 3, 4))

    expected = orientations.copy()
    for frame in range(1, 50):
        for body in range(3):
            if np.dot(expected[frame, body], expected[frame - 1, body]) < 0.0:
                expected[frame, body] *= -1.0

    assert np.array_equal(expected, sign_continuous(orientations))


def test_sign_continuity_of_nothing() -> None:
    """No frames or no bodies are no error."""
    assert sign_continuous(np.zeros((0, 2, 4))).shape == (0, 2, 4)
    assert sign_continuous(np.zeros((3, 0, 4))).shape == (3, 0, 4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fps": 0.0}, "fps: must be a positive number."),
        ({"step": float("nan")}, "step: must be a positive number."),
        ({"method": 2}, "method: must be text."),
        ({"complete": 1}, "complete: must be true or false."),
        ({"body_names": ("a", "a")}, "bodies: the name 'a' is there 2 times."),
        (
            {"times": [0, 1, 1, 2, 3]},
            "times: must ascend, but frame 2 is not later than frame 1.",
        ),
        (
            {"positions": np.zeros((4, 2, 3))},
            "positions: has 4 entries, but there are 5 frames.",
        ),
        (
            {"positions": np.zeros((5, 2, 2))},
            "positions: must be 5 x 2 x 3 numbers, but is 5 x 2 x 2.",
        ),
        (
            {"orientations": np.full((5, 2, 4), 0.6)},
            "bodies.hook.orientation: the quaternion of frame 0 does not have length one.",
        ),
        (
            {"energy": {"total": [0, 1, 2, np.inf, 4]}},
            "energy.total: is not a finite number in frame 3.",
        ),
        (
            {"momentum": {"linear": [1, 2, 3]}},
            "momentum.linear: must be 5 x 3 numbers, but is 3.",
        ),
        (
            {"joints": {"pin": {"angle": [0.0]}}},
            "joints.pin.angle: has 1 entries, but there are 5 frames.",
        ),
        (
            {"joints": {"pin": {"force": np.zeros((5, 4))}}},
            "joints.pin.force: must be 5 x 3 numbers, but is 5 x 4.",
        ),
        ({"events": [{"kind": "note"}]}, "events[0]: must be an object with a time."),
        ({"diagnostics": []}, "diagnostics: must be an object with names as keys."),
    ],
)
def test_parts_that_do_not_fit_are_named(changes: dict[str, Any], message: str) -> None:
    """The constructor refuses what does not fit together, and says which part it is."""
    with pytest.raises(RecordingError) as caught:
        turning(**changes)

    assert message == str(caught.value)


def test_a_recording_keeps_its_own_dicts() -> None:
    """Building a recording leaves the dicts it was built from as they are."""
    energy = {"total": [1, 2, 3, 4, 5]}

    recording = turning(energy=energy)

    assert energy == {"total": [1, 2, 3, 4, 5]}
    assert recording.energy["total"].dtype == np.float64


def test_body_index() -> None:
    """``body`` finds a body by name."""
    recording = turning()

    assert recording.body("boom/1") == 1
    with pytest.raises(KeyError):
        recording.body("boom")


def test_repr_is_short() -> None:
    """``repr`` says what it is and does not print the arrays."""
    assert repr(turning()) == "Recording('crane', 5 frames of 2 bodies, complete)"


def test_state_hash_is_over_the_documented_bytes() -> None:
    """Positions, then orientations, then velocities, as little-endian float64, body by body."""
    positions = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    orientations = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    velocities = [[1.0, 0.0, 0.0, 0.0, 0.0, 9.0], [2.0, 0.0, 0.0, 0.0, 0.0, 8.0]]

    flat = [x for block in (positions, orientations, velocities) for row in block for x in row]
    expected = hashlib.sha256(struct.pack("<26d", *flat)).hexdigest()

    assert expected == state_hash(positions, orientations, velocities)


def test_state_hash_sees_one_bit() -> None:
    """The smallest change of one number gives another hash, -0.0 instead of 0.0 included."""
    state = [np.zeros((2, 3)), np.ones((2, 4)), np.zeros((2, 6))]
    changed = [array.copy() for array in state]
    changed[2][1, 5] = -0.0

    assert state_hash(*state) != state_hash(*changed)


def test_state_hash_wants_linear_and_angular_velocity() -> None:
    """Velocities without angular velocities are refused, not hashed as something else."""
    with pytest.raises(RecordingError, match=r"velocities of shape \(2, 6\), not \(2, 3\)"):
        state_hash(np.zeros((2, 3)), np.ones((2, 4)), np.zeros((2, 3)))


def test_the_package_needs_numpy_only() -> None:
    """Reading an animation, as the Blender add-on does, loads no solver and no validation."""
    program = (
        "import sys, impulse_core.recording\n"
        "heavy = {'numba', 'scipy', 'pydantic', 'lxml', 'click', 'rich', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"
