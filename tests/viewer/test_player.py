"""A recording plays by the clock."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import impulse_core as ic
from impulse_cli.viewer.opening import is_animation, open_scene
from impulse_cli.viewer.player import Player, stand_in
from impulse_core.recording import Recording, RecordingError
from impulse_schema import Body, Geometry, Scene, save_scene


class Clock:
    """Time that goes by when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def recording() -> Recording:
    """A body that moves along x at 1 m/s for two seconds, and turns half round."""
    times = np.linspace(0.0, 2.0, 21)
    return Recording(
        scene="slide",
        fps=10,
        step=0.01,
        method="imp2",
        solver="direct",
        times=times,
        body_names=("b",),
        positions=np.column_stack([times, 0 * times, 0 * times])[:, None],
        orientations=np.column_stack(
            [np.cos(times * np.pi / 4), 0 * times, 0 * times, np.sin(times * np.pi / 4)]
        )[:, None],
        contacts={
            "frame": [3],
            "body1": [0],
            "body2": [0],
            "point": [(0, 0, 0)],
            "normal": [(0, 0, 1)],
            "force": [(0, 0, 5)],
        },
    )


def player(clock: Clock, *, paused: bool = False) -> Player:
    """Plays it."""
    held = recording()
    return Player(held, stand_in(held), paused=paused, clock=clock)


def test_it_plays_in_real_time_and_again() -> None:
    """Bodies are where they were at the time that went by; after the end it begins anew."""
    clock = Clock()
    source = player(clock)
    for passed, place in ((0.0, 0.0), (0.55, 0.55), (1.0, 1.55), (1.0, 0.55)):
        clock.now += passed
        assert source.frame().positions[0, 0] == pytest.approx(place)
        assert np.linalg.norm(source.frame().orientations[0]) == pytest.approx(1.0)


def test_speed_and_pause() -> None:
    """A change of the pace does not change where it is; while it stops no time goes by."""
    clock = Clock()
    source = player(clock)
    clock.now += 0.5
    source.set_speed(0.1)
    clock.now += 1.5
    assert source.frame().time == pytest.approx(0.65)

    source.pause(True)
    clock.now += 1.0
    assert source.frame().time == pytest.approx(0.6)
    assert source.frame() is source.frame()


def test_steps_and_seeking_show_frames() -> None:
    """Stopped, it shows what was recorded and nothing in between."""
    source = player(Clock(), paused=True)
    source.seek(0.36)
    assert source.frame().positions[0, 0] == 0.30000000000000004
    assert len(source.frame().contacts.forces) == 1

    source.step()
    assert source.frame().positions[0, 0] == 0.4
    assert len(source.frame().contacts.forces) == 0
    source.seek(99.0)
    assert source.frame().time == 2.0
    source.step()
    assert source.frame().time == 0.0


def test_the_end_of_a_failed_run_is_told() -> None:
    """As the run told it."""
    failed = replace(
        recording(),
        complete=False,
        events=[{"time": 2.0, "kind": "failure", "message": "It broke."}],
    )

    assert Player(failed, stand_in(failed)).problem() == "It broke."
    assert player(Clock()).problem() == ""


def scene() -> Scene:
    """What was recorded."""
    box = Geometry(shape="box", size=(1, 1, 1))
    return Scene(version=1, name="slide", bodies=[Body(name="b", mass=1.0, geometry=[box])])


def test_the_scene_of_a_recording_is_found_beside_it(tmp_path: Path) -> None:
    """By its checksum, whatever it is called; else each body is a small box."""
    path, animation = tmp_path / "anything.xml", tmp_path / "a.json"
    save_scene(scene(), path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    replace(recording(), scene_sha256=digest).save(animation)

    def shown(scene_file: Path | None = None) -> Scene:
        return open_scene(animation, scene_file, allow_outside=False, speed=1.0, paused=True)[0]

    assert is_animation(animation)
    assert not is_animation(path)
    assert shown().bodies[0].geometry[0].size == (1, 1, 1)

    other = scene()
    other.bodies[0].name = "c"
    save_scene(other, path)
    assert shown().bodies[0].geometry[0].size != (1, 1, 1)
    with pytest.raises(RecordingError, match="other bodies than"):
        shown(path)


def test_a_recording_of_some_bodies_is_shown_with_those(tmp_path: Path) -> None:
    """As --bodies writes it: the other bodies, and the joints that they have, are left out."""
    walker = Path(__file__).parents[2] / "sample_scenes" / "walking" / "walking-machine.xml"
    animation = tmp_path / "some.imprec"
    machine = ic.load_scene(walker)
    chosen = ["torso", "front-left*"]
    ic.simulate_to_file(machine, animation, duration=0.1, bodies=chosen)

    shown, make = open_scene(animation, walker, allow_outside=False, speed=1.0, paused=True)
    names = [body.name for body in shown.bodies]
    assert 1 < len(names) < len(machine.bodies)
    assert names[0] == "torso"
    assert len(make().frame().positions) == len(names)
    assert 0 < len(shown.joints) < len(machine.joints)
    for joint in shown.joints:
        assert {joint.body1, joint.body2} <= {*names, "world", None}
