"""Numbers of a run: what a measure names, and what is refused by name."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.measures import Measure, parse_measures
from impulse_core import Recording
from impulse_schema import Body, Scene

FRAMES = 5
POSITIONS = np.arange(FRAMES * 2 * 3, dtype=float).reshape(FRAMES, 2, 3)
ANGLE = np.array([0.0, 3.0, -2.0, 1.0, 0.5])
SCENE = Scene(version=1, bodies=[Body(name="left foot.1", mass=2.5, inertia=(1, 1, 1))])


@pytest.fixture(scope="module")
def recording() -> Recording:
    """Two bodies, a joint with a recorded angle and force, energy, and a report."""
    orientations = np.zeros((FRAMES, 2, 4))
    orientations[:, :, 0] = 1.0
    return Recording(
        scene="s", fps=25.0, step=0.01, method="imp2", solver="direct",
        times=np.arange(FRAMES) / 25.0,
        body_names=("torso", "left foot.1"),
        positions=POSITIONS,
        orientations=orientations,
        joints={"knee-2": {"angle": ANGLE, "force": POSITIONS[:, 0]}},
        energy={"total": ANGLE},
        momentum={"linear": POSITIONS[:, 0]},
        diagnostics={"step_count": 20, "empty": None, "words": ["a"], "deep": {"list": [1.5]}},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("recording.bodies[torso].position[-1].x", 24.0),
        ("recording.bodies[left foot.1].position[0].z", 5.0),
        ("recording.bodies['left foot.1'].orientation[2].w", 1.0),
        ("recording.joints[knee-2].angle[max]", 3.0),
        ("recording.joints[knee-2].angle[min] - recording.joints[knee-2].angle[mean]", -2.5),
        ("recording.joints[knee-2].force[0].length", math.sqrt(5.0)),
        ("recording.energy.total[1] / report.step_count", 0.15),
        ("max(recording.momentum.linear[-1].y, 2*pi)", 25.0),
        ("recording.times[-1]", 0.16),
        ("report.deep.list[0] if report.step_count > 10 else 1", 1.5),
        ("bodies[left foot.1].mass + bodies[0].mass", 5.0),
        ("-report.step_count", -20.0),
    ],
)
def test_a_measure_is_arithmetic_of_what_it_names(
    recording: Recording, text: str, value: float
) -> None:
    """Frames by number or over all, components by letter, names with signs, the scene's values."""
    measure = Measure(text)
    measure.check(recording, SCENE)

    assert measure(recording, SCENE) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recording.bodies[torsoo].position[-1].x", "Did you mean 'torso'"),
        ("recording.bodies[torso].postion[-1].x", "Did you mean 'position'"),
        ("recording.bodies.position[-1].x", "bodies is a list; write bodies[torso]"),
        ("recording.bodies[torso].position.x", "write position[-1]"),
        ("recording.bodies[torso].position[last].x", "[last] is no frame"),
        ("recording.bodies[torso].position[-1]", "is a vector"),
        ("recording.bodies[torso].position[-1].w", "x, y, z, length"),
        ("recording.joints[knee-2].angle[-1].x", "is a number"),
        ("recording.joints[knee-2]", "angle, force"),
        ("recording.enrgy.total[-1]", "Did you mean 'energy'"),
        ("report.stepcount", "Did you mean 'step_count'"),
        ("report.words", "not a number"),
        ("report.words[0]", "not a number but 'a'"),
        ("report.words[7]", "1 items"),
        ("report.empty", "not a number but nothing"),
        ("report.deep", "several: list"),
        ("reprt.step_count", "recording, report or a key of the scene"),
        ("bodies[left foot.1].name", "cannot be changed"),
        ("bodies[left foot.1].motion", "not a number but 'dynamic'"),
        ("2*pi", "measures nothing"),
        ("report.step_count * t", "names the time"),
        ("report.step_count +", "not arithmetic"),
        ("maxi(report.step_count, 1)", "Did you mean 'max'"),
        ("__import__('os').system('true') + report.step_count", "not arithmetic"),
    ],
)
def test_what_has_no_number_is_refused(recording: Recording, text: str, message: str) -> None:
    """Before the first run, by the measure and the path; nothing foreign is ever run."""
    with pytest.raises(StudyError, match=re.escape(message)) as caught:
        Measure(text).check(recording, SCENE)
    assert "value_0" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recording.bodies[torso].position[99].x", "there are 5 frames"),
        ("report.step_count / recording.times[0]", "no finite value, with report.step_count = 20"),
    ],
)
def test_what_only_a_run_shows_is_told_then(recording: Recording, text: str, message: str) -> None:
    """A frame that a short run lacks, and a division by what is zero there, may be good later."""
    measure = Measure(text)
    measure.check(recording, SCENE)

    with pytest.raises(StudyError, match=re.escape(message)):
        measure(recording, SCENE)


@given(frame=st.integers(-FRAMES, FRAMES - 1), body=st.sampled_from([0, 1]), axis=st.integers(0, 2))
def test_frames_are_numbered_as_in_python(
    recording: Recording, frame: int, body: int, axis: int
) -> None:
    """From 0, or from the end; each component is that of the recording, bit for bit."""
    name = recording.body_names[body]
    measure = Measure(f"recording.bodies[{name}].position[{frame}].{'xyz'[axis]}")

    assert measure(recording, SCENE) == POSITIONS[frame, body, axis]


def test_a_measure_named_twice_is_one() -> None:
    """Its column would stand twice in the table."""
    assert len(parse_measures(["report.step_count", " report.step_count "])) == 1
