"""Machines beside MuJoCo, in one process, in turns: the time of a step, and how exact it is.

    python benchmarks/machines.py [FOLDER] [--rounds 5] [--duration S]

The scenes are those of sample_scenes/trials, or all that lie in FOLDER. Each engine takes the
scene's own step; MuJoCo with its implicitfast integrator and elliptic cones. How exact: the largest
distance of a body from where the same engine has it with a sixteenth of the step.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from impulse_core import OptionError, SceneError, SimulationError
from impulse_core.compile import CompiledScene, compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.simulation.timeline import active_loads
from impulse_core.types import Floats
from impulse_schema import Scene, load_scene
from mujoco_axes import targets
from mujoco_scene import mjcf, start, world_row
from mujoco_shapes import with_contact
from pages import table

TRIALS = Path(__file__).resolve().parents[1] / "sample_scenes" / "trials"
FINER = 16
ROUNDS = 5
BATCH = 20  # steps of an engine before it is the other's turn
INTEGRATOR = "implicitfast"


@dataclass(frozen=True)
class Beside:
    """A scene in both engines.

    Attributes:
        name: Of the scene.
        ours: Time of our step [ms].
        theirs: The same of MuJoCo's.
        error: How far bodies and their points are from where a sixteenth of the step has them [m].
        their_error: The same of MuJoCo's.
        why: What kept it from being compared.
    """

    name: str
    ours: float = math.nan
    theirs: float = math.nan
    error: float = math.nan
    their_error: float = math.nan
    why: str = ""


class Steps(Protocol):
    """A scene in one engine."""

    def advance(self, count: int) -> None:
        """Take so many steps."""

    def poses(self) -> tuple[Floats, Floats]:
        """Centres of mass [m] and orientations of the dynamic bodies, shapes (n, 3) and (n, 4)."""


class Ours:
    """With our engine."""

    def __init__(self, compiled: CompiledScene, step: float, count: int) -> None:
        del count
        options = choose_options(compiled, step=step)
        assembled = compiled.scene.settings.assemble == "all"
        self.engine = Engine(compiled, options, assemble=assembled)
        self.engine.start_segment(0.0, active_loads(compiled.load_windows, 0.0, step, step))
        self.step, self.taken = step, 0

    def advance(self, count: int) -> None:
        if not self.engine.advance(self.step, count, self.taken):
            raise SimulationError(self.engine.failure(self.taken * self.step, self.step)["message"])
        self.taken += count

    def poses(self) -> tuple[Floats, Floats]:
        bodies = self.engine.state.bodies[: self.engine.model.dynamic]
        return np.array(bodies["position"]), np.array(bodies["orientation"])


class Theirs:
    """With MuJoCo."""

    def __init__(self, compiled: CompiledScene, step: float, count: int) -> None:
        import mujoco

        mujoco.set_mju_user_warning(lambda _: None)  # else it writes a file
        text = mjcf(compiled, step=step, integrator=INTEGRATOR)
        if compiled.solids is not None:
            text = with_contact(text, compiled)
        self.mujoco, self.model = mujoco, mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        start(mujoco, self.model, self.data, compiled)
        self.targets = targets(compiled.scene, step * np.arange(count))
        self.changes = bool(np.ptp(self.targets, axis=0).any())
        self.data.ctrl[:] = self.targets[0]
        self.taken = 0
        self.rows = [self.model.body(str(row)).id for row in range(world_row(compiled))]

    def advance(self, count: int) -> None:
        if self.changes:
            for k in range(count):
                self.data.ctrl[:] = self.targets[self.taken + k]
                self.mujoco.mj_step(self.model, self.data)
        else:
            self.mujoco.mj_step(self.model, self.data, count)
        self.taken += count

    def poses(self) -> tuple[Floats, Floats]:
        self.mujoco.mj_kinematics(self.model, self.data)
        return np.array(self.data.xipos[self.rows]), np.array(self.data.xquat[self.rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=TRIALS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--duration", type=float, help="of all scenes [s]; default their own")
    parser.add_argument("--assemble", action="store_true", help="as impulse run has it")
    given = parser.parse_args()
    if not given.folder.is_dir():
        parser.error(f"{given.folder} is no folder")
    print(comparison(compare(given.folder, given.rounds, given.duration, given.assemble)))


def machines_section() -> str:
    """Of docs/benchmarks.md."""
    return f"""## Machines

The [trials](../sample_scenes/trials/README.md), at their own step: processor time of a step, in one
process, in turns. MuJoCo takes its implicitfast integrator, of order one, and elliptic friction
cones; its loops are soft. The error is the largest distance that a body, or a point of it at its
radius of gyration, is at the end from where the same engine has it with a sixteenth of the step.
The light finger is chaotic.

{comparison(compare(TRIALS, ROUNDS))}
"""


def comparison(rows: Iterable[Beside]) -> str:
    """A table of scenes."""
    head = ["scene", "Impulse ms", "MuJoCo ms", "ratio", "Impulse error m", "MuJoCo error m"]
    return table(
        head,
        (
            [f"`{row.name}`", row.why, "", "", "", ""]
            if row.why
            else [
                f"`{row.name}`",
                f"{row.ours:.4f}",
                f"{row.theirs:.4f}",
                f"{row.ours / row.theirs:.2f}",
                f"{row.error:.1e}",
                f"{row.their_error:.1e}",
            ]
            for row in rows
        ),
    )


def compare(
    folder: Path, rounds: int, duration: float | None = None, assemble: bool = False
) -> Iterator[Beside]:
    """Every scene of a folder, in the order of their names."""
    for path in sorted((*folder.rglob("*.xml"), *folder.rglob("*.json"))):
        try:
            scene = load_scene(path)
            if assemble:
                scene.settings.assemble = "all"
            row = beside(scene, rounds, duration)
        except (SceneError, OptionError, SimulationError, ValueError) as error:
            row = Beside("", why=str(error).splitlines()[0])
        yield replace(row, name=path.stem)


def beside(scene: Scene, rounds: int, duration: float | None) -> Beside:
    """Time and errors of a scene in both engines."""
    compiled = compile_scene(scene)
    step = scene.settings.step
    count = round((duration or scene.settings.duration) / step)
    seconds = least_seconds(compiled, step, count, rounds)
    errors = [error(kind, compiled, step, count) for kind in (Ours, Theirs)]
    return Beside(scene.name or "", *(1e3 * each for each in seconds), *errors)


def least_seconds(compiled: CompiledScene, step: float, count: int, rounds: int) -> list[float]:
    """Processor time of a step of either engine: the least of each batch of steps, on average."""
    least = np.full((2, math.ceil(count / BATCH)), np.inf)
    for _ in range(rounds):
        engines: list[Any] = [Ours(compiled, step, count), Theirs(compiled, step, count)]
        for batch in range(least.shape[1]):
            for k, engine in enumerate(engines):
                taken = min(BATCH, count - batch * BATCH)
                began = time.thread_time()
                engine.advance(taken)
                least[k, batch] = min(least[k, batch], time.thread_time() - began)
    return [float(total) / count for total in least.sum(axis=1)]


def error(kind: Any, compiled: CompiledScene, step: float, count: int) -> float:
    """How far bodies, and points at their radius of gyration, are at the end from where a sixteenth
    of the step has them [m].
    """
    coarse = kind(compiled, step, count)
    fine = kind(compiled, step / FINER, count * FINER)
    coarse.advance(count)
    fine.advance(count * FINER)
    (p, q), (p_fine, q_fine) = coarse.poses(), fine.poses()
    bodies = compiled.model.bodies[: compiled.model.dynamic]
    gyration = np.sqrt(bodies["inertia"].max(axis=1) / bodies["mass"])
    turned = 2.0 * np.arccos(np.clip(np.abs((q * q_fine).sum(axis=1)), 0.0, 1.0))
    return float((np.linalg.norm(p - p_fine, axis=1) + gyration * turned).max())


if __name__ == "__main__":
    main()
