"""Short runs that need every kernel that any run can need, with those that they would call then.

``main`` prints how many kernels had to be compiled, the hash of their sources, the triple they are
for, and the files that were found on disk. Two processes share the work: one begins at the front,
where joints are, the other at the back, where there is contact, so that they hardly ever compile
the same kernels, until they meet.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import impulse_core as ic
from impulse_core.geometry import PolygonMesh, check_mesh, polyhedron_mass_properties, read_mesh
from impulse_core.methods.comparison import COMPARISON_ORDERS
from impulse_core.methods.imp import ORDERS as COMPOSITION_ORDERS
from impulse_core.simulation.options import SOLVERS
from impulse_schema.models import (
    Body,
    CouplingTerm,
    Friction,
    Geometry,
    Joint,
    Keyframe,
    Limit,
    Load,
    Mesh,
    Motor,
    Scene,
    Settings,
    Spring,
)

SAMPLES = sorted((Path(__file__).resolve().parents[1] / "sample_scenes").glob("*/*.xml"))
_MANY_BODIES = 500  # of which six steps take long, and need nothing that fewer do not
_STEPS = 6


def main(claims: str, *, from_the_back: bool) -> None:
    """Make the runs that no other process has claimed by a file in the folder ``claims``."""
    from numba.core.registry import cpu_target

    from impulse_core.jit import compiling, sources
    from impulse_core.jit.deferred import complete
    from impulse_core.jit.kernel_cache import found_on_disk, kernels_compiled

    runs = list(enumerate(short_runs()))
    with compiling():
        for number, run in reversed(runs) if from_the_back else runs:
            try:
                (Path(claims) / str(number)).touch(exist_ok=False)
            except FileExistsError:
                break
            run()
        complete()
    triple, _, _ = cpu_target.target_context.codegen().magic_tuple()
    print(kernels_compiled(), sources(), triple, *found_on_disk(), sep="\n")


def short_runs() -> list[Callable[[], object]]:
    """A few steps and frames of every sample, method, solver and option; those on a ground last."""
    samples = [
        scene for path in SAMPLES if len((scene := ic.load_scene(path)).bodies) < _MANY_BODIES
    ]
    on_ground = [any(body.motion == "static" for body in scene.bodies) for scene in samples]
    return [
        use_meshes,
        *(
            partial(_sample, scene)
            for scene, last in zip(samples, on_ground, strict=True)
            if not last
        ),
        *_runs_of_joints(),
        *(partial(_sample, scene) for scene, last in zip(samples, on_ground, strict=True) if last),
        *_runs_on_the_ground(),
    ]


def _sample(scene: Scene) -> None:
    ic.check(scene, start=True)
    ic.describe(scene)
    _run(scene, contacts=True, method=None)


def _runs_of_joints() -> Iterator[Callable[[], object]]:
    for method in COMPOSITION_ORDERS | COMPARISON_ORDERS:
        chain = _chain("hinge", "hinge" if method.startswith("gc") else "ball")
        yield partial(_run, chain, method=method)
    hanging = _chain("hinge", "ball")
    for solver in SOLVERS:
        yield partial(_run, hanging, solver=solver)
    yield partial(_run, hanging, solver="iterative", budget_ms=1.0)
    yield partial(_run, hanging, solver="iterative", budget_corrections=10)
    yield partial(_run, _chain("hinge", "ball", free_motion="rk4"))
    for coupled in (False, True):
        bare = _chain("hinge", "hinge", coupled=coupled)
        yield partial(ic.describe, bare)
        pushed = _chain("hinge", "hinge", coupled=coupled)
        pushed.loads[0].expression = "1 + t"
        for chain in (bare, pushed):
            yield partial(_run, chain)
            yield partial(_run, chain, method="lmvd8")
        damped = _chain("hinge", "hinge", coupled=coupled)
        damped.joints[0].springs = [Spring(damping=1.0)]
        yield partial(_run, damped, method="lmvd8")
        limited = _chain("hinge", "hinge", coupled=coupled)
        limited.joints[0].limits = [Limit(lower=-1.0, upper=1.0)]
        yield partial(_run, limited, time_of_impact=True)
        yield partial(_run, _machine(coupled=coupled, on_ground=False))
    yield partial(_run, _machine(acts=False, on_ground=False))


def _runs_on_the_ground() -> Iterator[Callable[[], object]]:
    for coupled in (False, True):
        yield partial(_share, _machine(coupled=coupled, on_ground=True))
    yield partial(_share, _machine(acts=False, on_ground=True))
    yield partial(_share, _cubes(overlapping=True), assemble=True)
    pushed = _cubes()
    pushed.loads = [Load(body=pushed.bodies[-1].name, force=(1.0, 0.0, 0.0), expression="t")]
    yield partial(_share, pushed)
    yield partial(_share, _cubes(sleeping=True), duration=0.1)
    yield partial(_share, _cubes(time_of_impact=True), duration=0.1)


def _share(scene: Scene, **options: Any) -> ic.Recording:
    """With what threads beside the first one run as well, if there is a processor for one."""
    return _run(scene, threads=2, **options)


def _run(scene: Scene, **options: Any) -> ic.Recording:
    chosen: dict[str, Any] = {
        "method": "imp2",
        "duration": _STEPS * scene.settings.step,
        "fps": 1000,
    } | options
    return ic.simulate(scene, **chosen)


def _bar(name: str, height: float) -> Body:
    solid = Geometry(shape="box", size=(0.1, 0.2, 1.0), role="visual")
    return Body(name=name, position=(0.0, 0.0, height), mass=1.0, geometry=[solid])


def _chain(first: Any, second: Any, *, coupled: bool = False, **settings: Any) -> Scene:
    """Two bars that hang from the world, from the side they are pushed to."""
    types = (first, second)
    joints: list[Any] = [
        Joint(
            name=f"joint-{k}",
            type=types[k],
            body1=("world", "upper")[k],
            body2=("upper", "lower")[k],
            anchor=(0.0, 0.0, -1.0 * k),
            axis=(0.0, 1.0, 0.0) if types[k] == "hinge" else None,
        )
        for k in range(2)
    ]
    if coupled:
        terms = [CouplingTerm(joint=f"joint-{k}", coefficient=1.0 + k) for k in range(2)]
        joints.append(Joint(name="gear", type="coupling", terms=terms))
    return Scene(
        version=1,
        name="chain",
        settings=Settings(**settings),
        bodies=[_bar("upper", -0.5), _bar("lower", -1.5)],
        joints=joints,
        loads=[Load(body="lower", force=(1.0, 0.0, 0.0))],
    )


def _machine(*, on_ground: bool, acts: bool = True, coupled: bool = False) -> Scene:
    """All that a scene can hold besides: a chain with a servo and a joint that breaks at once, or
    with neither, hung from a cart that moves by itself, above the ground or with none.
    """
    scene = _chain("hinge", "hinge", coupled=coupled)
    scene.joints[0].body1 = "cart"
    if acts:
        scene.joints[0].motors = [Motor(kind="servo", target=1.0, proportional=1e4)]
        scene.joints[1].frictions = [Friction(force=0.1)]
        scene.joints[1].armature = 0.1
        scene.joints[1].break_force = 1e-3
    path = [Keyframe(time=t, position=(t, 0.0, 0.0)) for t in (0.0, 1.0)]
    scene.bodies.append(Body(name="cart", motion="kinematic", keyframes=path))
    if on_ground:
        plane = Geometry(shape="plane", position=(0.0, 0.0, -3.0))
        ball = Geometry(shape="sphere", radius=0.1)
        scene.bodies.append(Body(name="ground", motion="static", geometry=[plane]))
        hanging = (0.0, 2.0, -2.9)
        scene.bodies.append(
            Body(name="ball", position=hanging, mass=1.0, geometry=[ball], record_clearance=True)
        )
    return scene


def _cubes(*, overlapping: bool = False, **settings: Any) -> Scene:
    """Two cubes that fall on the ground, or lie in each other."""
    ground = Body(name="ground", motion="static", geometry=[Geometry(shape="plane")])
    heights = (0.5, 1.4) if overlapping else (0.6, 1.8)
    cubes = [
        Body(
            name=f"cube-{k}",
            position=(0.0, 0.0, height),
            density=1000.0,
            geometry=[Geometry(shape="box", size=(1.0, 1.0, 1.0))],
        )
        for k, height in enumerate(heights)
    ]
    return Scene(version=1, name="cubes", settings=Settings(**settings), bodies=[ground, *cubes])


def use_meshes() -> None:
    """Check and integrate a box with a cavity, and read it from every kind of file."""
    outer = _box_mesh(1.0)
    mesh = _joined(outer, _box_mesh(0.5).flipped())
    assert not check_mesh(mesh)
    polyhedron_mass_properties(mesh, density=1.0)
    triangles = [(face[0], face[k], face[k + 1]) for face in _FACES for k in (1, 2)]
    corners = outer.vertices.tolist()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "box.stl"
        facets = "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join("vertex {} {} {}\n".format(*corners[i]) for i in triangle)
            + "endloop\nendfacet\n"
            for triangle in triangles
        )
        path.write_text(f"solid box\n{facets}endsolid box\n", encoding="ascii")
        check_mesh(read_mesh(path))
    scene = Scene(
        version=1,
        name="mesh",
        meshes=[Mesh(name="box", vertices=corners, faces=[list(face) for face in _FACES])],
        bodies=[
            Body(
                name="box",
                density=1000.0,
                geometry=[Geometry(shape="convex_hull", mesh="box")],
            )
        ],
    )
    _run(scene)


_FACES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


def _box_mesh(size: float) -> PolygonMesh:
    half = 0.5 * size
    ends = (-half, half)
    return PolygonMesh.from_faces([(x, y, z) for z in ends for y in ends for x in ends], _FACES)


def _joined(first: PolygonMesh, second: PolygonMesh) -> PolygonMesh:
    faces = [
        [int(corner) + shift for corner in mesh.corners[mesh.offsets[f] : mesh.offsets[f + 1]]]
        for mesh, shift in ((first, 0), (second, len(first.vertices)))
        for f in range(len(mesh.offsets) - 1)
    ]
    return PolygonMesh.from_faces([*first.vertices.tolist(), *second.vertices.tolist()], faces)
