"""Bodies that touch, beside MuJoCo and Bullet: heaps, a wall, dominoes, sliding cubes, walking.

Either engine's overlaps are those of its own detection; energies and ways are of the states. Steps
of cubes are measured in processor time of the one thread they take: a run of minutes is never alone
on a machine, and what interrupts a step is not its worst case.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import impulse_core
from bullet import Bullet, bullet_is_installed
from engines import mujoco_is_installed
from impulse_core.collision.detect import detect
from impulse_core.compile import compile_scene
from impulse_core.jit import kernel
from impulse_core.observables.invariants import observe
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.simulation.timeline import active_loads
from impulse_core.step.passes import search_of
from impulse_core.types import Floats
from impulse_schema import Scene
from mujoco_scene import mjcf, start
from mujoco_shapes import with_contact
from toppling import Wave, cheapest_wave

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_scenes"
sys.path[:0] = [str(SAMPLES / folder) for folder in ("contact", "walking")]

from heaps import cubes  # noqa: E402
from rubble import rubble  # noqa: E402
from sliding_cubes import DISTANCES, SLOPE, sliding_cubes  # noqa: E402
from walking_machine import walking_machines  # noqa: E402

__all__ = [
    "STEP",
    "Contact",
    "Fall",
    "Landing",
    "Slide",
    "Walk",
    "growth_exponents",
    "measure_contact",
]

STEP = 0.01  # s
FALLING = 5.0  # s
GROWING = 1.0  # s
EDGES = (5, 10, 15, 20)  # cubes along each edge of heaps that grow
EDGES_OF_TEN = (4, 10, 18, 28)  # the same of those whose height stays: as many cubes, nearly
LARGE = 14  # cubes along each edge of a large brick
WALL = 4.0  # s
ROWS = (50, 200)  # dominoes
TURNED = 1.8  # m between the middles of cubes that lie anyhow, more than their diagonal
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
        step: Length of a step [s].
    """

    scene: str
    engine: str
    seconds: Floats
    depth: Floats
    kinetic: Floats
    contacts: int
    step: float

    @property
    def rest(self) -> float:
        """When the kinetic energy has come below AT_REST for good [s], inf if it does not."""
        moving = np.flatnonzero(self.kinetic >= AT_REST)
        last = int(moving[-1]) + 1 if len(moving) else 0
        return self.step * last if last < len(self.kinetic) else math.inf


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


class Landing(NamedTuple):
    """Time of the steps in which a heap lands [s]."""

    mean: float
    slowest: float


@dataclass(frozen=True)
class Contact:
    """Everything that was measured.

    Attributes:
        falls: Columns and heap by either engine.
        growth: Of each family of ``GROWING_HEAPS`` how it lands, by number of cubes.
        detection: One detection of all contacts of the columns at rest [s].
        waves: Of dominoes, by either engine.
        slides: By either engine.
        walk: The walking machine.
    """

    falls: list[Fall]
    growth: dict[str, dict[int, Landing]]
    detection: float
    waves: list[Wave]
    slides: list[Slide]
    walk: Walk


class Ours:
    """Steps a scene and looks at it after each."""

    name = "Impulse"

    def __init__(self, scene: Scene, step: float) -> None:
        self.compiled = compile_scene(scene)
        options = choose_options(self.compiled, step=step)
        self.engine = Engine(self.compiled, options)
        self.engine.start_segment(0.0, active_loads(self.compiled.load_windows, 0.0, step, step))
        self.step, self.taken = step, 0

    @property
    def setup(self) -> Any:
        """What its kernels keep of the contacts."""
        return self.engine.runner.setup  # type: ignore[attr-defined]

    def advance(self) -> None:
        self.engine.tally.totals["deepest"] = 0.0
        if not self.engine.advance(self.step, 1, self.taken):
            raise RuntimeError(self.engine.failure(self.taken * self.step, self.step)["message"])
        self.taken += 1

    def depth(self) -> float:
        return float(self.engine.tally.totals["deepest"][0])

    def contacts(self) -> int:
        return int(self.setup.contacts.used[0] + self.setup.sleep.frozen.used[0])

    def kinetic(self) -> float:
        return float(observe(self.engine.model, self.engine.state, self.engine.work)[0])

    def energy(self) -> float:
        return float(sum(observe(self.engine.model, self.engine.state, self.engine.work)[:2]))

    def orientations(self) -> Floats:
        return np.array(self.engine.state.bodies["orientation"][: self.engine.model.dynamic])


class Theirs:
    """The same scene in MuJoCo."""

    def __init__(self, scene: Scene, step: float, solver: str) -> None:
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

    def energy(self) -> float:
        mass, gravity = self.model.body_mass[1:], self.model.opt.gravity
        return self.kinetic() - float(mass @ (self.positions() @ gravity))

    def positions(self) -> Floats:
        return np.array(self.data.qpos.reshape(-1, 7)[:, :3])

    def orientations(self) -> Floats:
        return np.array(self.data.qpos.reshape(-1, 7)[:, 3:])


def fall(scene: Scene, engines: list[Callable[[], Any]], rounds: int, until: float) -> list[Fall]:
    """Let bodies fall in all engines in turns."""
    for build in engines:
        build().advance()  # kernels are loaded, or compiled, at their first call
    best: dict[str, Fall] = {}
    for _ in range(rounds):
        for build in engines:
            run = fall_once(scene, build(), until)
            last = best.get(run.engine, run)
            least = np.minimum(last.seconds, run.seconds)
            best[run.engine] = Fall(
                run.scene, run.engine, least, run.depth, run.kinetic, run.contacts, run.step
            )
    return list(best.values())


def fall_once(scene: Scene, engine: Any, until: float) -> Fall:
    """One run. Python's collector, which takes 60 ms and more, does not fall into a step."""
    count = round(until / scene.settings.step)
    seconds, depth, kinetic = np.zeros(count), np.zeros(count), np.zeros(count)
    gc.collect()
    gc.disable()
    for k in range(count):
        began = time.thread_time()
        engine.advance()
        seconds[k] = time.thread_time() - began
        depth[k], kinetic[k] = engine.depth(), engine.kinetic()
    gc.enable()
    return Fall(
        scene.name, engine.name, seconds, depth, kinetic, engine.contacts(), scene.settings.step
    )


@kernel
def detect_often(model, setup, state, h, margin, times):
    """Find all contacts ``times`` over, also of bodies that nap; returns how many."""
    search = search_of(setup)
    setup.sleep.still[:] = 0  # each step finds that out anew
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
        theirs = sliding_theirs(scene, step)
        before, hop, seconds = theirs.positions(), 0.0, 0.0
        for _ in range(round(SLIDING / step)):
            began = time.perf_counter()
            theirs.advance()
            seconds += time.perf_counter() - began
            hop = max(hop, float(np.abs((theirs.positions() - before) @ normal).max()))
        error = np.abs((theirs.positions() - before) @ along - DISTANCES).max()
        yield Slide(theirs.name, step, seconds / SLIDING, float(error), hop)


def sliding_theirs(scene: Scene, step: float) -> Theirs:
    """The cubes in MuJoCo: each with its own friction on the slope, whatever it would have on the
    others, which it never meets.
    """
    alike = [each.model_copy(update={"static_friction": 0.5}) for each in scene.materials]
    theirs = Theirs(
        scene.model_copy(update={"materials": alike, "material_pairs": []}), step, "Newton"
    )
    for geom, body in enumerate(theirs.model.geom_bodyid):
        if body > 0:
            theirs.model.geom_friction[geom, 0] = scene.material_pairs[body - 1].static_friction
            theirs.model.geom_priority[geom] = 100
    return theirs


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
    tell("contact: sliding cubes")
    sliding = list(slides())
    tell("contact: walking machine")
    walking = walk()
    falls = []
    for scene, solver, bullet, rounds, until in (
        (cubes(), "Newton", False, 2, FALLING),
        (cubes(brick=True), "CG", True, 1, heap),
        (cubes(LARGE, brick=True), "CG", False, 1, heap),
        (rubble(), "", True, 1, WALL),
    ):
        tell(f"contact: {scene.name}")
        falls += fall(scene, engines_for(scene, solver, bullet), rounds, until)
    growth = {}
    for family, (build, edges) in GROWING_HEAPS.items():
        tell(f"contact: {family}")
        heaps = map(build, edges)
        growth[family] = {len(heap.bodies) - 1: land(heap) for heap in heaps}
    tell("contact: detection")
    resting = Ours(cubes(), STEP)
    for _ in range(round(FALLING / STEP)):
        resting.advance()
    detection = time_detection(resting)
    waves = []
    for count in ROWS:
        tell(f"contact: {count} dominoes")
        waves.append(cheapest_wave(count, Ours))
        if mujoco_is_installed():
            waves.append(cheapest_wave(count, lambda scene, step: Theirs(scene, step, "Newton")))
    return Contact(falls, growth, detection, waves, sliding, walking)


def engines_for(scene: Scene, solver: str, bullet: bool) -> list[Callable[[], Any]]:
    """Builders of the engines that are wanted and installed; MuJoCo has its solver, or is not."""
    step = scene.settings.step
    engines: list[Callable[[], Any]] = [lambda: Ours(scene, step)]
    if solver and mujoco_is_installed():
        engines.append(lambda: Theirs(scene, step, solver))
    if bullet and bullet_is_installed():
        engines.append(lambda: Bullet(scene, step))
    return engines


def land(scene: Scene) -> Landing:
    """The first second of a heap."""
    seconds = fall_once(scene, Ours(scene, STEP), GROWING).seconds
    return Landing(float(seconds.mean()), float(seconds.max()))


def anyhow(edge: int) -> Scene:
    """Cubes that are turned anyhow and fall into a heap."""
    scene = cubes(edge)
    rng = np.random.default_rng(edge)
    turns = rng.normal(size=(edge**3, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    moving = [body for body in scene.bodies if body.motion == "dynamic"]
    for body, turn, place in zip(moving, turns, np.ndindex(edge, edge, edge), strict=True):
        layer, *beside = place
        x, y = (TURNED * (k - (edge - 1) / 2) for k in beside)
        body.position, body.orientation = (x, y, 0.9 + TURNED * layer), tuple(turn)
    return scene.model_copy(update={"name": f"anyhow-{edge**3}"})


GROWING_HEAPS: dict[str, tuple[Callable[[int], Scene], tuple[int, ...]]] = {
    "n × n columns of n": (cubes, EDGES),
    "columns of ten": (lambda edge: cubes(edge, layers=10), EDGES_OF_TEN),
    "bricks of n layers": (lambda edge: cubes(edge, brick=True), EDGES),
    "n layers that lie anyhow": (anyhow, EDGES),
}


def growth_exponents(growth: dict[int, Landing]) -> Landing:
    """Least-squares slopes of log(time) over log(cubes)."""
    slopes, _ = np.polyfit(np.log(list(growth)), np.log(list(growth.values())), 1)
    return Landing(*map(float, slopes))
