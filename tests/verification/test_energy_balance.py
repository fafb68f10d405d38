"""Energy in the report: what nothing explains stands by itself, is warned of, and ends a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_core.simulation.engine import Engine
from impulse_schema.models import Body, Geometry, Joint, Limit, Material, Scene, Settings

STEP = 0.005


def chain(links: int, step: float = STEP, mass: float = 1.0) -> Scene:
    """Bars that hang from one another by balls and swing, first held out to the side."""
    bodies = [
        Body(name=f"bar {k}", position=(k + 0.5, 0, 0), mass=mass, inertia=(0.1 * mass,) * 3)
        for k in range(links)
    ]
    joints = [
        Joint(
            name=f"ball {k}",
            type="ball",
            body1=f"bar {k - 1}" if k else "world",
            body2=f"bar {k}",
            anchor=(k, 0, 0),
        )
        for k in range(links)
    ]
    return Scene(
        version=1, settings=Settings(duration=1.0, step=step), bodies=bodies, joints=joints
    )


def tamper(monkeypatch: pytest.MonkeyPatch, at: int, change: Any) -> None:
    """Let something be wrong with the state or the account after so many steps."""
    original = Engine.advance
    done = []

    def advance(self: Engine, length: float, count: int, grid: int = -1) -> bool:
        if self.steps >= at and not done:
            done.append(True)
            change(self)
        return original(self, length, count, grid)

    monkeypatch.setattr(Engine, "advance", advance)


def energy_of(recording: ic.Recording) -> dict[str, float]:
    figures: dict[str, float] = recording.diagnostics["energy_j"]
    return figures


def test_the_figures_add_up() -> None:
    """final = initial + works - dissipated + unexplained, and nothing was taken out here."""
    energy = energy_of(ic.simulate(chain(3)))
    works = energy["work_of_loads"] + energy["work_of_motors"] + energy["work_of_kinematic_bodies"]
    explained = energy["initial"] + works - energy["dissipated"]
    assert energy["final"] == pytest.approx(explained + energy["unexplained"], abs=1e-12)
    assert energy["dissipated"] == 0.0
    assert abs(energy["unexplained"]) <= energy["max_abs_drift"]
    assert energy["mean_abs_increment"] <= energy["max_unexplained_step"]


def test_what_was_taken_out_does_not_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """An element that only takes out and is said to give is not subtracted: it is unexplained."""

    def give(engine: Engine) -> None:
        engine.tally.totals["dissipated"] -= 5.0

    tamper(monkeypatch, 50, give)
    recording = ic.simulate(chain(2))
    assert energy_of(recording)["dissipated"] == 0.0
    stopped = Limit(lower=-0.5, upper=0.5, restitution=0.5)
    slider = Joint(
        name="slider",
        type="slider",
        body2="bar 0",
        anchor=(0, 0, 0),
        axis=(0, 0, 1),
        limits=[stopped],
    )
    scene = chain(1).model_copy(update={"joints": [slider]})
    monkeypatch.undo()
    before = energy_of(ic.simulate(scene))["dissipated"]
    tamper(monkeypatch, 150, give)
    energy = energy_of(ic.simulate(scene))
    assert before > 1.0
    assert 0.9 * before < energy["dissipated"] <= before


@settings(max_examples=12, deadline=None)
@given(
    links=st.integers(1, 2),
    step=st.sampled_from([0.001, 0.002]),
    mass=st.floats(1e-3, 1e3),
    factor=st.floats(60.0, 90.0),
    at=st.integers(40, 60),
)
def test_a_rise_out_of_nowhere_ends_the_run(
    links: int, step: float, mass: float, factor: float, at: int
) -> None:
    """It names time, body and joint, and the frames so far are kept."""

    def speed_up(engine: Engine) -> None:
        engine.state.bodies["velocity"][:-1] *= factor
        engine.state.bodies["angular_momentum"][:-1] *= factor

    scene = chain(links, step, mass)
    with pytest.MonkeyPatch.context() as patch:
        tamper(patch, at, speed_up)
        with pytest.raises(ic.SimulationError, match="the energy rises by") as failed:
            ic.simulate(scene, fps=1.0 / step)
    event = failed.value.recording.events[-1]
    assert event["kind"] == "failure"
    assert event["body1"].startswith("bar")
    assert event["joint"].startswith("ball")
    assert event["time"] == pytest.approx(at * step)
    assert len(failed.value.recording.times) >= at
    assert np.isfinite(failed.value.recording.positions).all()


def test_a_step_too_long_is_warned_of() -> None:
    """A share of the energy goes astray that a shorter step does not lose."""
    coarse = ic.simulate(chain(6, step=0.1), duration=2.0)
    fine = ic.simulate(chain(6, step=0.0025), duration=2.0)
    wanted = "away from what loads, motors and friction explain"
    assert any(wanted in text for text in coarse.diagnostics["warnings"])
    assert not any(wanted in text for text in fine.diagnostics["warnings"])
    drifts = [energy_of(run)["max_abs_drift"] for run in (coarse, fine)]
    assert drifts[1] < 0.03 * drifts[0]


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_box_that_drops_gives_back_no_more_than_its_law(restitution: float) -> None:
    """What contacts take out is never negative, and explains what is lost."""
    material = Material(name="m", static_friction=0.3, restitution=restitution)
    ground = Body(name="ground", motion="static", geometry=[Geometry(shape="plane", material="m")])
    box = Body(
        name="box",
        position=(0, 0, 0.5),
        velocity=(1, 0, 0),
        geometry=[Geometry(shape="box", size=(0.2, 0.3, 0.1), material="m", density=500)],
    )
    scene = Scene(
        version=1,
        settings=Settings(duration=1.0, step=STEP),
        materials=[material],
        bodies=[ground, box],
    )
    recording = ic.simulate(scene)
    energy = energy_of(recording)
    assert energy["dissipated"] >= 0.0
    assert abs(energy["unexplained"]) <= 1e-3 * np.ptp(recording.energy["total"]) + 1e-9
