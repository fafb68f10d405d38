"""One run of a scene with either engine: how long stepping took and how far the run was off.

Both engines are sampled at the same times, a few dozen per simulated second, outside the timing.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import impulse_core
from impulse_core.compile import CompiledScene, compile_scene
from impulse_core.geometry.rotations import rotated
from impulse_core.types import Floats
from impulse_schema import Scene
from mujoco_scene import LoopStiffness, mjcf, start, world_row

__all__ = ["Case", "Impulse", "MuJoCo", "Run", "mujoco_is_installed", "short"]

SAMPLES_PER_SECOND = 25
GRAVITY = 9.81  # m/s²; energies without a load are measured by lifting all masses 1 m in it


@dataclass(frozen=True)
class Case:
    """A scene and what its errors are measured from.

    Attributes:
        scene: What moves.
        duration: Simulated time [s].
        settled: From when on energy must stay constant [s]: the end of the loads.
    """

    scene: Scene
    duration: float = 10.0
    settled: float = 0.0

    def energy_error(self, times: Floats, energy: Floats) -> float:
        """max |E(t) - E(settled)| over what the loads brought in.

        Without loads over M g · 1 m, without gravity over the energy itself. inf for a run that
        ended before, or whose energy is not a number.
        """
        first = int(np.searchsorted(times, self.settled - 1e-9))
        if not np.isfinite(energy).all() or first == len(times):
            return np.inf
        if self.scene.loads:
            scale = abs(energy[first] - energy[0])
        elif any(self.scene.settings.gravity):
            scale = sum(compile_scene(self.scene).model.bodies["mass"]) * GRAVITY
        else:
            scale = abs(energy[0])
        return float(np.abs(energy[first:] - energy[first]).max() / scale)


@dataclass(frozen=True)
class Run:
    """What one run took and reached.

    Attributes:
        seconds: Wall time per simulated second.
        energy_error: Relative (``Case.energy_error``); inf if the run failed.
        joint_error: Largest distance of two points that a joint should hold together [m].
        corrections: Joint corrections per impulse step; 0 for MuJoCo.
        halvings: Steps repeated in halves.
        position: Centres of mass at the end [m], shape (n, 3).
    """

    seconds: float
    energy_error: float
    joint_error: float
    corrections: float = 0.0
    halvings: int = 0
    position: Floats | None = field(default=None, repr=False)


FAILED = Run(np.inf, np.inf, np.inf)


@dataclass(frozen=True)
class Impulse:
    """A way of running a scene with this project.

    Attributes:
        method: As ``--method`` names it.
        step: [s].
        tolerance: Largest joint error accepted [m].
    """

    method: str
    step: float
    tolerance: float

    @property
    def name(self) -> str:
        return self.method

    @property
    def details(self) -> str:
        return f"h = {step_text(self.step)}, {short(self.tolerance)} m"

    def run(self, case: Case, *, sampled: bool = True) -> Run:
        """Simulate; without samples the energy error is not measured."""
        every = max(1, round(1.0 / (self.step * SAMPLES_PER_SECOND))) if sampled else None
        try:
            recording = impulse_core.simulate(
                case.scene,
                duration=case.duration,
                step=self.step,
                fps=1.0 / (every * self.step) if every else 1.0 / case.duration,
                method=self.method,
                tolerance=self.tolerance,
            )
        except impulse_core.SimulationError:
            return FAILED
        report = recording.diagnostics
        error = math.inf
        if sampled:
            error = case.energy_error(recording.times, recording.energy["total"])
        return Run(
            seconds=report["wall_seconds_total"] / case.duration,
            energy_error=error,
            joint_error=report["max_joint_error_m"],
            corrections=report["corrections_per_step"]["mean"],
            halvings=report["halvings"],
            position=recording.positions[-1],
        )


@dataclass(frozen=True)
class MuJoCo:
    """A way of running a scene with MuJoCo.

    Attributes:
        integrator: "Euler", "implicitfast" or "RK4".
        step: [s].
        loops: How loops are closed; MuJoCo's default if None.
    """

    integrator: str
    step: float
    loops: LoopStiffness | None = None

    @property
    def name(self) -> str:
        return f"MuJoCo {self.integrator}" + (", tuned" if self.loops else "")

    @property
    def details(self) -> str:
        return f"h = {step_text(self.step)}"

    def run(self, case: Case, *, sampled: bool = True) -> Run:
        """Simulate; without samples the errors are not measured."""
        scene = compile_scene(case.scene)
        watch = _Watch(case, scene, self)
        every = max(1, round(1.0 / (self.step * SAMPLES_PER_SECOND))) if sampled else 2**40
        total, done, seconds = round(case.duration / self.step), 0, 0.0
        switch = round(case.settled / self.step)
        while done < total:
            watch.apply_loads(done * self.step)
            count = min(every, total - done)
            if done < switch:
                count = min(count, switch - done)
            began = time.perf_counter()
            watch.advance(count)
            seconds += time.perf_counter() - began
            done += count
            if sampled:
                watch.sample(done * self.step)
        return watch.result(seconds / case.duration)


class _Watch:
    """MuJoCo's model and data, and what was seen of them."""

    def __init__(self, case: Case, scene: CompiledScene, how: MuJoCo) -> None:
        import mujoco

        mujoco.set_mju_user_warning(_ignore)  # else it writes a log file into the working folder
        self.mujoco, self.case, self.scene = mujoco, case, scene
        text = mjcf(scene, step=how.step, integrator=how.integrator, loops=how.loops)
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        start(mujoco, self.model, self.data, scene)
        self.times: list[float] = []
        self.energy: list[float] = []
        self.joint_error = 0.0
        self.sample(0.0)

    def advance(self, count: int) -> None:
        self.mujoco.mj_step(self.model, self.data, count)

    def apply_loads(self, now: float) -> None:
        """World-frame torques, switched at the ends of steps."""
        self.data.xfrc_applied[:] = 0.0
        for load in self.case.scene.loads:
            if any(load.force):
                raise ValueError("only torques are exported")
            if now < load.until - 1e-9:
                row = [body.name for body in self.case.scene.bodies].index(load.body)
                self.data.xfrc_applied[self.model.body(str(row)).id, 3:] += load.torque

    def sample(self, now: float) -> None:
        """Energy and joint errors of the present state; the next step computes them anew."""
        mujoco, model, data = self.mujoco, self.model, self.data
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_energyPos(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_energyVel(model, data)
        self.times.append(now)
        self.energy.append(float(data.energy.sum()))
        self.joint_error = max(self.joint_error, self._largest_gap())

    def _largest_gap(self) -> float:
        scene = self.scene
        position, turn = self._poses()
        model = scene.model
        A = position[model.joints["body1"]] + rotated(
            turn[model.joints["body1"]], model.joints["anchor1"]
        )
        B = position[model.joints["body2"]] + rotated(
            turn[model.joints["body2"]], model.joints["anchor2"]
        )
        return float(np.linalg.norm(B - A, axis=1).max(initial=0.0))

    def _poses(self) -> tuple[Floats, Floats]:
        """Of all rows of our model: positions (n+1, 3) and orientations (n+1, 4)."""
        position = np.zeros((world_row(self.scene) + 1, 3))
        turn = np.tile((1.0, 0.0, 0.0, 0.0), (len(position), 1))
        for row in range(len(position) - 1):
            number = self.model.body(str(row)).id
            position[row], turn[row] = self.data.xpos[number], self.data.xquat[number]
        return position, turn

    def result(self, seconds: float) -> Run:
        self.mujoco.mj_kinematics(self.model, self.data)
        warnings = self.mujoco.mjtWarning
        bad = (warnings.mjWARN_BADQPOS, warnings.mjWARN_BADQVEL, warnings.mjWARN_BADQACC)
        if any(self.data.warning[int(kind)].number for kind in bad):
            return Run(seconds, np.inf, np.inf)
        if len(self.times) == 1:
            return Run(seconds, np.inf, np.inf)
        error = self.case.energy_error(np.array(self.times), np.array(self.energy))
        return Run(seconds, error, self.joint_error, position=self._poses()[0][:-1])


def _ignore(_: Any) -> None:
    """A state that is no longer finite counts as a failed run."""


def mujoco_is_installed() -> bool:
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return False
    return True


def step_text(step: float) -> str:
    """1/60 s rather than 0.0166667 s."""
    parts = 1.0 / step
    return f"1/{parts:.0f} s" if abs(parts - round(parts)) < 1e-6 * parts else f"{step:.4g} s"


def short(number: float) -> str:
    """1e-6 rather than 1e-06."""
    return f"{number:.0e}".replace("e-0", "e-").replace("e+0", "e")
