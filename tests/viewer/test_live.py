"""What the page asks of a simulation, without a browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser")

import impulse_core as ic
from impulse_cli.viewer.address import ANY_PORT, Address, open_server
from impulse_cli.viewer.joint_errors import JointErrors
from impulse_cli.viewer.live import LiveSource
from impulse_cli.viewer.opening import open_scene
from impulse_cli.viewer.page import Page
from impulse_cli.viewer.stage import Stage
from impulse_cli.viewer.touching import Friction
from impulse_cli.viewer.watching import FileWatch
from impulse_schema import Body, Geometry, Material, MaterialPair, Scene, save_scene

from .machines import swing


@pytest.fixture
def source() -> Iterator[LiveSource]:
    """The swing, stopped at its start."""
    live = LiveSource(swing(), paused=True)
    yield live
    live.close()


def steps(source: LiveSource, count: int) -> None:
    """Take single steps, each of which is published and kept."""
    for _ in range(count):
        now = source.span[1]
        source.step()
        while source.span[1] == now:
            time.sleep(0.001)
        time.sleep(0.002)


def test_an_impulse_acts_where_it_was_given(source: LiveSource) -> None:
    """At the point, in the next step: the hinge turns at J r / I, and the rest is borne by it."""
    source.push("box", (0.0, 3.0, 0.0), (0.0, 0.0, -0.5))
    steps(source, 1)

    inertia = 2.0 * (1.0 / 6.0 + 1.5**2)
    angle = source.frame().orientations[0, 1] * 2.0
    assert angle == pytest.approx(3.0 * 2.0 / inertia * 0.01, rel=1e-3)


def test_values_are_changed_or_refused_with_a_sentence(source: LiveSource) -> None:
    """A change is seen in the scene; a refusal names what is wrong and changes nothing."""
    paths = [parameter.text for parameter in source.parameters()]
    assert "joints[pin].motors[0].target" in paths

    source.change("settings.gravity[2]", -1.5)
    assert source.scene.settings.gravity == (0.0, 0.0, -1.5)
    with pytest.raises(ic.CommandError, match="gravity"):
        source.change("settings.gravty", 1.0)
    with pytest.raises(ic.CommandError, match="mass"):
        source.change("bodies[box].mass", -1.0)
    assert source.scene.bodies[0].mass == 2.0


def test_a_motor_goes_where_it_is_told(source: LiveSource) -> None:
    """A torque of 5 N m at rest turns the box by M h² / I in a step."""
    source.set_target(0, 0, 5.0)
    steps(source, 1)

    inertia = 2.0 * (1.0 / 6.0 + 1.5**2)
    angle = source.frame().orientations[0, 1] * 2.0
    assert angle == pytest.approx(5.0 * 0.01**2 / inertia, rel=0.6)
    assert angle > 0.0


def test_a_failure_is_told_and_the_last_good_state_stays(source: LiveSource) -> None:
    """What no number can hold ends the run; it can be turned back and goes on."""
    steps(source, 3)
    source.set_target(0, 0, 1e307)
    source.pause(False)
    _until(source.problem)

    assert source.is_paused
    assert np.isfinite(source.frame().positions).all()
    source.set_target(0, 0, 0.0)
    source.seek(0.0)
    source.pause(False)
    _until(lambda: source.span[1] > 0.1)
    assert not source.problem()


def test_what_was_before_a_rewind_is_kept_and_what_was_after_is_not(source: LiveSource) -> None:
    """Curves and recordings end at the present, and go on along the new way."""
    source.push("box", (0.0, 3.0, 0.0), (0.0, 0.0, 0.0))
    steps(source, 30)
    times = source.curves("energy", ())[0].times
    assert times[-1] >= 0.28

    source.seek(0.1)
    assert source.span[1] == pytest.approx(0.1)
    assert source.is_paused
    after = source.curves("energy", ())[0].times
    assert after[-1] <= 0.1 + 1e-9

    recording = source.recording()
    assert recording.times[-1] == after[-1]
    assert recording.joints["pin"]["angle"][-1] == source.curves("angle", ())[0].values[-1]


def test_every_quantity_has_curves(source: LiveSource) -> None:
    """Of equal length, finite, with the names that can be chosen."""
    steps(source, 5)
    for quantity in source.quantities():
        curves = source.curves(quantity, ())
        assert curves, quantity
        assert all(len(curve.times) == len(curve.values) for curve in curves)
        assert all(np.isfinite(curve.values).all() for curve in curves)
        for name in source.names(quantity):
            assert 0 < len(source.curves(quantity, (name,))) <= len(curves)
    assert {"energy", "momentum", "joint_error", "angle", "drive_torque"} <= {*source.quantities()}


def test_errors_of_joints_are_distances() -> None:
    """A box that is moved away from its hinge by 3 mm leaves it open by that."""
    scene = swing()
    box = scene.bodies[0]
    errors = JointErrors(scene)
    at = np.array([box.position], dtype=float), np.array([box.orientation], dtype=float)

    assert errors.names == ["pin"]
    assert errors.of("pin", *at) == 0.0
    assert errors.of("pin", at[0] + (0.0, 0.003, 0.0), at[1]) == pytest.approx(0.003)


def test_friction_is_known_where_bodies_have_one_material() -> None:
    """The mean of two materials, or what their pair says; with several it depends on the solid."""
    ball = {"shape": "sphere", "radius": 1.0}

    def body(name: str, *materials: str | None) -> Body:
        solids = [Geometry(**ball, material=material) for material in materials]
        return Body(name=name, mass=1.0, geometry=solids)

    scene = Scene(
        version=1,
        materials=[Material(name="ice", static_friction=0.1), Material(name="gum")],
        material_pairs=[MaterialPair(material1="ice", material2="gum", static_friction=0.02)],
        bodies=[body("a", "ice"), body("b", "gum"), body("c", None), body("d", "ice", "gum")],
    )
    friction = Friction(scene)

    assert friction.between(0, 0) == 0.1
    assert friction.between(0, 1) == friction.between(1, 0) == 0.02
    assert friction.between(0, 2) == 0.3
    assert friction.between(0, 3) is None


@pytest.fixture
def page(tmp_path: Path) -> Iterator[tuple[Page, Path, Any]]:
    """The page of a file that is watched, the file, and what makes a source of it."""
    path = tmp_path / "swing.xml"
    save_scene(swing(), path)

    def made() -> Any:
        return open_scene(path, None, allow_outside=False, speed=1.0, paused=True)[1]()

    server = open_server(Address("127.0.0.1", ANY_PORT), "test")
    source, ended = made(), threading.Event()
    shown = Page(server, source, Stage(server, source.scene))
    loop = threading.Thread(target=shown.run, args=(ended, (FileWatch(path), made)))
    loop.start()
    yield shown, path, made
    ended.set()
    loop.join()
    shown.close()
    server.stop()


def test_a_file_that_is_written_is_taken_over(page: tuple[Page, Path, Any]) -> None:
    """A good one begins anew; a broken one is told of on the page, and the old one stays."""
    shown, path, _ = page
    first, good = shown.source, path.read_text()

    path.write_text(good.replace('mass="2', 'mas="2'))
    _until(lambda: "swing.xml" in shown.problem)
    assert "mass" in shown.problem  # what to write instead
    assert shown.source is first

    path.write_text(good.replace('mass="2', 'mass="7'))
    _until(lambda: shown.source is not first and not shown.problem)
    assert shown.source.scene.bodies[0].mass == 7.0


def _until(is_so: Any) -> None:
    end = time.monotonic() + 30.0
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)
