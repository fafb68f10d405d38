"""Shapes in great numbers, each scene in a process of its own: time to compile, memory, a step.

python benchmarks/large.py [NAME]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from impulse_core.compile import compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.simulation.timeline import active_loads
from impulse_core.types import Floats
from impulse_schema import Body, Geometry, Mesh, Scene, Settings
from pages import table

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "sample_scenes" / "contact"))

from rubble import rubble  # noqa: E402
from solids import friction  # noqa: E402

__all__ = ["LARGE_SCENES", "Large", "large_section", "measure_large"]

STEP = 0.005  # s
STEPS = 100
FEW_STEPS = 5  # of the stones, each of which takes seconds
CELLS = 708  # along each edge of a ground: a million triangles
CUBES = 16  # along each edge of a sheet of cubes that falls on it
PITCH = 1.0  # m, of cubes of .5 m


@dataclass(frozen=True)
class Large:
    """What a scene takes.

    Attributes:
        name: What it is.
        compile_seconds: Processor time of ``compile_scene`` [s].
        memory: Most that the process had, with Python and the kernels [MiB].
        mean: Time of a step [s].
        worst: The longest [s].
        overlap: The largest at the start of a step [m].
        points: Contacts in the last step.
    """

    name: str
    compile_seconds: float
    memory: float
    mean: float
    worst: float
    overlap: float
    points: int


def stones() -> Scene:
    """A wall of 10 000 stones, which stands."""
    return rubble(10_000)


def waves(rows: int, columns: int, size: float) -> Floats:
    """Heights of hills on a square of this size [m], shape (rows, columns)."""
    y, x = np.meshgrid(np.linspace(0.0, size, rows), np.linspace(0.0, size, columns), indexing="ij")
    heights: Floats = 0.5 * (np.sin(0.9 * x) * np.cos(0.7 * y) + 0.3 * np.sin(3.1 * x + 2.3 * y))
    return heights


def cubes_on(ground: Body, meshes: list[Mesh]) -> Scene:
    """A sheet of cubes that falls on hills around the origin."""
    cubes = [
        Body(
            name=f"cube-{i}-{j}",
            position=(PITCH * (i - CUBES / 2), PITCH * (j - CUBES / 2), 1.2),
            density=1000.0,
            geometry=[Geometry(shape="box", size=(0.5, 0.5, 0.5), material="rough")],
        )
        for i in range(CUBES)
        for j in range(CUBES)
    ]
    return Scene(
        version=1,
        name="large",
        settings=Settings(step=STEP, duration=STEP * STEPS),
        materials=[friction("rough", 0.6)],
        meshes=meshes,
        bodies=[ground, *cubes],
    )


def mesh_ground() -> Scene:
    """Hills of a million triangles."""
    size = CUBES * PITCH * 1.5
    z = waves(CELLS + 1, CELLS + 1, size)
    y, x = np.meshgrid(*[np.linspace(-size / 2, size / 2, CELLS + 1)] * 2, indexing="ij")
    corner = np.arange((CELLS + 1) ** 2).reshape(CELLS + 1, CELLS + 1)
    a, b = corner[:-1, :-1].ravel(), corner[:-1, 1:].ravel()
    c, d = corner[1:, 1:].ravel(), corner[1:, :-1].ravel()
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    vertices = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    mesh = Mesh(
        name="hills",
        vertices=[tuple(v) for v in vertices.tolist()],
        faces=faces.tolist(),
    )
    solid = Geometry(shape="mesh", mesh="hills", material="rough")
    return cubes_on(Body(name="ground", motion="static", geometry=[solid]), [mesh])


def field() -> Scene:
    """The same hills as a height field."""
    size = CUBES * PITCH * 1.5
    z = waves(CELLS + 1, CELLS + 1, size)
    solid = Geometry(
        shape="height_field", size=(size, size, 1.0), heights=z.tolist(), material="rough"
    )
    return cubes_on(Body(name="ground", motion="static", geometry=[solid]), [])


LARGE_SCENES: dict[str, Callable[[], Scene]] = {
    "10 000 stones": stones,
    "a mesh of a million triangles, 256 cubes": mesh_ground,
    "a height field as fine, 256 cubes": field,
}


def measure(name: str) -> Large:
    """In this process."""
    scene = LARGE_SCENES[name]()
    began = time.process_time()
    compiled = compile_scene(scene)
    compile_seconds = time.process_time() - began
    engine = Engine(compiled, choose_options(compiled, step=STEP))
    engine.start_segment(0.0, active_loads(compiled.load_windows, 0.0, STEP, STEP))
    seconds = np.zeros(FEW_STEPS if LARGE_SCENES[name] is stones else STEPS)
    for k in range(len(seconds)):
        began = time.thread_time()
        if not engine.advance(STEP, 1, k):
            raise RuntimeError(engine.failure(k * STEP, STEP)["message"])
        seconds[k] = time.thread_time() - began
    return Large(
        name,
        compile_seconds,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        float(seconds[1:].mean()),
        float(seconds[1:].max()),
        float(engine.tally.totals["deepest"][0]),
        int(engine.runner.setup.contacts.used[0]),  # type: ignore[attr-defined]
    )


def measure_large(name: str) -> Large:
    """In a process of its own."""
    done = subprocess.run(
        [sys.executable, str(HERE / "large.py"), name], stdout=subprocess.PIPE, check=True
    )
    return Large(**json.loads(done.stdout))


def large_section() -> str:
    """Of docs/benchmarks.md."""
    rows = [
        [
            run.name,
            f"{run.compile_seconds:.1f}",
            f"{run.memory:.0f}",
            f"{1e3 * run.mean:.3g}",
            f"{1e3 * run.worst:.3g}",
            f"{1e3 * run.overlap:.2g}",
            str(run.points),
        ]
        for run in map(measure_large, LARGE_SCENES)
    ]
    head = [
        "scene", "to compile [s]", "memory [MiB]", "ms/step", "worst ms", "largest overlap [mm]",
        "points",
    ]  # fmt: skip
    return f"""## Large scenes

{STEPS} steps of {1e3 * STEP:g} ms, of the stones {FEW_STEPS}, each scene in a process of its own;
memory with Python and the kernels. The stones stand as a wall, which a ball is about to hit; the
cubes fall on hills.

{table(head, rows)}
"""


def main() -> None:
    """The section, or the numbers of the scene that is named."""
    if sys.argv[1:]:
        print(json.dumps(asdict(measure(sys.argv[1]))))
    else:
        print(large_section())


if __name__ == "__main__":
    main()
