"""Bodies that touch, beside MuJoCo: falling and sliding cubes, growth, detection, walking.

Either engine's overlaps are those of its own detection; energies and ways are of the states. Steps
of cubes are measured in processor time of the one thread they take: a run of minutes is never alone
on a machine, and what interrupts a step is not its worst case.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import impulse_core
from engines import mujoco_is_installed
from impulse_core.collision.detect import Search, detect
from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import conjugated, rotated
from impulse_core.jit import kernel
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.simulation.timeline import active_loads
from impulse_core.types import Floats
from impulse_schema import Scene
from mujoco_scene import mjcf, start
from mujoco_shapes import with_contact

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_scenes"
sys.path[:0] = [str(SAMPLES / folder) for folder in ("contact", "walking")]

from heaps import cubes  # noqa: E402
from sliding_cubes import DISTANCES, SLOPE, sliding_cubes  # noqa: E402
from walking_machine import walking_machines  # noqa: E402

__all__ = [
    "GROWTH",
    "STEP",
    "Contact",
    "Fall",
    "Slide",
    "Walk",
    "growth_exponent",
    "measure_contact",
]

STEP = 0.01  # s
FALLING = 5.0  # s
GROWING = 1.0  # s
GROWTH = {  # cubes along both edges of the ground, and layers
    "n × n columns of n": ((5, 5), (10, 10), (15, 15), (20, 20)),
    "n × n columns of 5": ((5, 5), (10, 5), (20, 5), (40, 5)),
}
AT_REST = 1.0  # J; 600 t that move with 2 mm/s
LOOKS = 200
SLIDING = 10.0  # s
WALKING = 10.0  # s
WALKS = 5


@dataclass(frozen=True)
class Fall:
    """Cubes that fall, by one engine.

    Attributes:
        scene: Its name.
        engine: And solver.
        seconds: Processor time of each step, the least of all rounds [s].
        depth: Deepest overlap that the engine's own detection finds in each step [m].
        kinetic: Kinetic energy after each step [J].
        contacts: Points found in the last step.
    """

    scene: str
    engine: str
    seconds: Floats
    depth: Floats
    kinetic: Floats
    contacts: int

    @property
    def rest(self) -> float:
        """When the kinetic energy has come below AT_REST for good [s], inf if it does not."""
        moving = np.flatnonzero(self.kinetic >= AT_REST)
        last = int(moving[-1]) + 1 if len(moving) else 0
        return STEP * last if last < len(self.kinetic) else math.inf


@dataclass(frozen=True)
class Slide:
    """Cubes that slide to a stop.

    Attributes:
        engine: And step.
        step: [s].
        seconds: Wall time per simulated second.
        error: Largest deviation from the exact distance [m].
        hop: How far a cube leaves the slope [m], nan where it was not looked for.
    """

    engine: str
    step: float
    seconds: float
    error: float
    hop: float


@dataclass(frozen=True)
class Walk:
    """The walking machine.

    Attributes:
        step: [s].
        seconds: Wall time per simulated second.
        worst: Wall time of the longest call, which is a step or a few [s/step].
        distance: How far it got [m].
        joint_error: Largest after a step [m].
        tolerance: Allowed [m].
        drift: Of the energy, with the work of motors and all losses, over that work.
        halvings: Steps repeated in halves.
    """

    step: float
    seconds: float
    worst: float
    distance: float
    joint_error: float
    tolerance: float
    drift: float
    halvings: int


@dataclass(frozen=True)
class Contact:
    """Everything that was measured.

    Attributes:
        falls: Columns and heap by either engine.
        growth: Of each family of ``GROWTH`` the mean time of a step by number of cubes [s].
        detection: One detection of all contacts of the columns at rest [s].
        slides: By either engine.
        walk: The walking machine.
    """

    falls: list[Fall]
    growth: dict[str, dict[int, float]]
    detection: float
    slides: list[Slide]
    walk: Walk


class Ours:
    """Steps a scene and looks at it after each."""

    name = "Impulse"

    def __init__(self, scene: Scene) -> None:
        self.compiled = compile_scene(scene)
        options = choose_options(self.compiled, step=STEP)
        self.engine = Engine(self.compiled, options)
        self.engine.start_segment(0.0, active_loads(self.compiled.load_windows, 0.0, STEP, STEP))
        self.taken = 0

    @property
    def setup(self) -> Any:
        """What its kernels keep of the contacts."""
        return self.engine.runner.setup  # type: ignore[attr-defined]

    def advance(self) -> None:
        self.engine.tally.totals["deepest"] = 0.0
        if not self.engine.advance(STEP, 1, self.taken):
            raise RuntimeError(self.engine.failure(self.taken * STEP, STEP)["message"])
        self.taken += 1

    def depth(self) -> float:
        return float(self.engine.tally.totals["deepest"][0])

    def contacts(self) -> int:
        return int(self.setup.contacts.used[0])

    def kinetic(self) -> float:
        model, state = self.engine.model, self.engine.state
        momentum = rotated(
            conjugated(state.bodies["orientation"]), state.bodies["angular_momentum"]
        )
        linear = model.bodies["mass"] * (state.bodies["velocity"] ** 2).sum(axis=1)
        angular = (model.bodies["inverse_inertia"] * momentum**2).sum(axis=1)
        return 0.5 * float((linear + angular)[: model.dynamic].sum())


class Theirs:
    """The same scene in MuJoCo."""

    def __init__(self, scene: Scene, solver: str, step: float = STEP) -> None:
        import mujoco

        self.name = f"MuJoCo elliptic {solver}"
        self.mujoco = mujoco
        compiled = compile_scene(scene)
        text = with_contact(mjcf(compiled, step=step), compiled, solver)
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        start(mujoco, self.model, self.data, compiled)

    def advance(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def depth(self) -> float:
        """At the start of the step, where it looks for contacts."""
        return float(-self.data.contact.dist.min(initial=0.0))

    def contacts(self) -> int:
        return int(self.data.ncon)

    def kinetic(self) -> float:
        """Of free bodies, whose velocities are linear in the world and angular in the body."""
        squares = self.data.qvel.reshape(-1, 6) ** 2
        linear = self.model.body_mass[1:] * squares[:, :3].sum(axis=1)
        angular = (self.model.body_inertia[1:] * squares[:, 3:]).sum(axis=1)
        return 0.5 * float((linear + angular).sum())

    def positions(self) -> Floats:
        return np.array(self.data.qpos.reshape(-1, 7)[:, :3])


def fall(scene: Scene, engines: list[Callable[[], Any]], rounds: int, until: float) -> list[Fall]:
    """Let cubes fall in all engines in turns."""
    best: dict[str, Fall] = {}
    for _ in range(rounds):
        for build in engines:
            run = fall_once(scene, build(), until)
            last = best.get(run.engine, run)
            least = np.minimum(last.seconds, run.seconds)
            best[run.engine] = Fall(
                run.scene, run.engine, least, run.depth, run.kinetic, run.contacts
            )
    return list(best.values())


def fall_once(scene: Scene, engine: Any, until: float) -> Fall:
    count = round(until / STEP)
    seconds, depth, kinetic = np.zeros(count), np.zeros(count), np.zeros(count)
    for k in range(count):
        began = time.thread_time()
        engine.advance()
        seconds[k] = time.thread_time() - began
        depth[k], kinetic[k] = engine.depth(), engine.kinetic()
    return Fall(scene.name, engine.name, seconds, depth, kinetic, engine.contacts())


@kernel
def detect_often(model, setup, state, h, margin, times):
    """Find all contacts ``times`` over; returns how many."""
    search = Search(
        setup.shapes, setup.sweep, setup.found, setup.memory, setup.contacts, setup.needed
    )
    for _ in range(times):
        detect(model, search, state, setup.sleep.still, h, margin)
    return setup.contacts.used[0]


def time_detection(ours: Ours) -> float:
    """Of one detection at the present poses, the best of five [s]."""
    engine = ours.engine
    arguments = (engine.model, ours.setup, engine.state, STEP, 2.0 * engine.tolerance)
    detect_often(*arguments, 1)
    best = math.inf
    for _ in range(5):
        began = time.thread_time()
        detect_often(*arguments, LOOKS // 5)
        best = min(best, (time.thread_time() - began) / (LOOKS // 5))
    return best


def slides() -> Iterator[Slide]:
    """The ten cubes of BFS05 against the exact distances."""
    scene = sliding_cubes()
    along = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])
    normal = np.array([math.sin(SLOPE), 0.0, math.cos(SLOPE)])
    for step in (0.01, 0.001):
        recording = impulse_core.simulate(scene, duration=SLIDING, step=step, fps=100)
        first = recording.body_names.index("cube-0")
        moved = (recording.positions - recording.positions[0])[:, first:]
        yield Slide(
            "Impulse",
            step,
            recording.diagnostics["wall_seconds_total"] / SLIDING,
            float(np.abs(moved[-1] @ along - DISTANCES).max()),
            float(np.abs(moved @ normal).max()),
        )
    for step in (0.01, 0.001) if mujoco_is_installed() else ():
        theirs = Theirs(scene, "Newton", step)
        before, hop, seconds = theirs.positions(), 0.0, 0.0
        for _ in range(round(SLIDING / step)):
            began = time.perf_counter()
            theirs.advance()
            seconds += time.perf_counter() - began
            hop = max(hop, float(np.abs((theirs.positions() - before) @ normal).max()))
        error = np.abs((theirs.positions() - before) @ along - DISTANCES).max()
        yield Slide(theirs.name, step, seconds / SLIDING, float(error), hop)


def walk() -> Walk:
    """The machine on a plane with friction."""
    scene = walking_machines()["walking/walking-machine.xml"]
    runs = [impulse_core.simulate(scene, duration=WALKING) for _ in range(WALKS)]
    recording = min(runs, key=lambda run: float(run.diagnostics["wall_seconds_total"]))
    report = recording.diagnostics
    torso = recording.positions[:, recording.body_names.index("torso")]
    energy = report["energy_j"]
    return Walk(
        step=scene.settings.step,
        seconds=report["wall_seconds_total"] / WALKING,
        worst=report["seconds_per_step"]["max"],
        distance=float(torso[-1, 0] - torso[0, 0]),
        joint_error=report["max_joint_error_m"],
        tolerance=report["tolerance_m"],
        drift=energy["max_abs_drift"] / abs(energy["work_of_motors"]),
        halvings=report["halvings"],
    )


def measure_contact(tell: Callable[[str], None], heap: float = FALLING) -> Contact:
    """Measure everything; the heap falls for so many seconds."""
    beside = mujoco_is_installed()
    falls = []
    for brick, solver, rounds, until in ((False, "Newton", 2, FALLING), (True, "CG", 1, heap)):
        scene = cubes(brick=brick)
        tell(f"contact: {scene.name}")
        engines: list[Callable[[], Any]] = [lambda scene=scene: Ours(scene)]
        if beside:
            engines.append(lambda scene=scene, solver=solver: Theirs(scene, solver))
        falls += fall(scene, engines, rounds, until)
    growth = {}
    for family, sizes in GROWTH.items():
        tell(f"contact: {family}")
        growth[family] = {edge**2 * layers: mean_step(edge, layers) for edge, layers in sizes}
    tell("contact: detection")
    resting = Ours(cubes())
    for _ in range(round(FALLING / STEP)):
        resting.advance()
    detection = time_detection(resting)
    tell("contact: sliding cubes")
    sliding = list(slides())
    tell("contact: walking machine")
    return Contact(falls, growth, detection, sliding, walk())


def mean_step(edge: int, layers: int) -> float:
    """Of the lowest layers of the columns while they land [s]."""
    scene = cubes(edge)
    del scene.bodies[1 + edge**2 * layers :]
    return float(fall_once(scene, Ours(scene), GROWING).seconds.mean())


def growth_exponent(growth: dict[int, float]) -> float:
    """Least-squares slope of log(time) over log(cubes)."""
    slope, _ = np.polyfit(np.log(list(growth)), np.log(list(growth.values())), 1)
    return float(slope)
