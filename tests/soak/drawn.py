"""Scenes that nobody designed, one for each number: solids of all shapes in heaps, some of them
jointed, on grounds of all kinds, among bodies that are moved.

    python -m tests.soak.drawn --from 0 --to 500 [--processes 2]

A scene ends in one of three ways: complete; refused before the first step; or ended by name. Of
those that are not as they should be each is told with its number, and made again by --only N. A
fault is what is never to be: no number, or an overlap or a law broken by more than a share of the
size of a solid without a warning. What ends by name is at most one in a hundred.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import impulse_core
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Keyframe, Material, Mesh
from tests.contact.scenes import bowl, solids_of, turned

DEEPEST = 4e-3  # of the size of a solid: overlaps and broken laws that are told of
EXPECTED = 1e-3  # of the same, to which they should be kept
MOST_ENDED = 0.01  # of the scenes
SECONDS = 1.5  # of solids of a metre
JOINTS = (
    "hinge", "slider", "cylindrical", "screw", "universal", "ball", "planar", "fixed", "rope",
    "distance", "point-on-line",
)  # fmt: skip
ACTED = ("hinge", "slider", "cylindrical", "screw")  # along whose free axes something may act


class Outcome(NamedTuple):
    """How a scene ended."""

    number: int
    ended: str
    """"complete", "refused" or "ended"."""
    why: str
    overlap: float
    """Largest, over the size of a solid; infinite where there are no numbers."""
    violation: float
    """Largest of a law, likewise."""
    seconds: float
    """Processor time."""

    @property
    def fault(self) -> bool:
        """Whether something is wrong that nothing tells of."""
        worst = max(self.overlap, self.violation)
        untold = not self.why and not worst <= DEEPEST
        return self.ended == "complete" and (untold or not worst < math.inf)


def drawn(number: int) -> tuple[Scene, float]:
    """The scene of a number, and the size of its solids [m]."""
    random = np.random.default_rng([number, 14])
    size = math.exp(random.uniform(math.log(0.05), math.log(2.0)))
    materials = [_material(random, k, size) for k in range(3)]
    mesh = Mesh(name="stone", **_stone(random, 0.35 * size))
    bodies, meshes = _grounds(random, size)
    places = _places(random)
    solids = [_solid(random, k, place, size) for k, place in enumerate(places)]
    joints = _joints(random, solids, size)
    raw: dict[str, Any] = {
        "version": "1.3",
        "name": f"drawn-{number}",
        "settings": {
            "step": float(random.uniform(2e-3, 8e-3)) * _time(size),
            "duration": SECONDS * _time(size),
            "fps": 10.0 / _time(size),
            "time_of_impact": bool(random.random() < 0.3),
            "sleeping": bool(random.random() < 0.3),
            "impact_law": str(random.choice(["poisson", "newton"])),
        },
        "materials": [each.model_dump(exclude_none=True) for each in materials],
        "meshes": [each.model_dump(exclude_none=True) for each in (mesh, *meshes)],
        "bodies": [each.model_dump(exclude_none=True) for each in (*bodies, *solids)],
        "joints": joints,
    }
    return Scene.model_validate(raw, strict=False), size


def _time(size: float) -> float:
    """Times go with the root of lengths."""
    return math.sqrt(size)


def _vector(random: np.random.Generator, scale: float) -> tuple[float, ...]:
    return tuple(map(float, scale * random.normal(size=3)))


def _material(random: np.random.Generator, k: int, size: float) -> Material:
    friction = float(random.choice([0.0, random.uniform(0.0, 1.2)]))
    return Material(
        name=f"m{k}",
        density=math.exp(random.uniform(math.log(200.0), math.log(8000.0))),
        static_friction=friction,
        kinetic_friction=friction * float(random.choice([1.0, random.uniform(0.3, 1.0)])),
        rolling_friction=float(random.choice([0.0, 0.01 * size])),
        torsional_friction=float(random.choice([0.0, 0.01 * size])),
        restitution=float(random.choice([0.0, 0.0, random.uniform(0.0, 0.8)])),
    )


def _places(random: np.random.Generator) -> list[tuple[int, int, int]]:
    across, along, up = random.integers(1, 4, 3)
    return [(int(x), int(y), int(z)) for x, y, z in np.ndindex(across, along, up)][:25]


def _solid(random: np.random.Generator, k: int, place: tuple[int, int, int], size: float) -> Body:
    """A body of one solid, or of two."""
    fast = bool(random.random() < 0.4)
    parts = [_geometry(random, size, f"m{random.integers(0, 3)}")]
    if random.random() < 0.15:
        beside = _geometry(random, 0.6 * size, parts[0].material or "m0")
        parts.append(beside.model_copy(update={"position": _vector(random, 0.1 * size)}))
    x, y, z = place
    return Body(
        name=f"solid-{k}",
        position=(1.3 * size * x, 1.3 * size * y, size * (0.95 + 1.3 * z)),
        orientation=turned(random),
        velocity=_vector(random, _time(size) * fast),
        angular_velocity=_vector(random, 3.0 * fast / _time(size)),
        geometry=parts,
    )


def _geometry(random: np.random.Generator, size: float, material: str) -> Geometry:
    """A solid of any shape with measures of 0.3 to 0.8 of a size [m]."""
    a, b, c = map(float, size * random.uniform(0.3, 0.8, 3))
    kinds = solids_of(a, b, c) | {
        "torus": {"major_radius": 0.35 * a, "minor_radius": 0.12 * a},
        "convex_hull": {"mesh": "stone"},
    }
    shape = str(random.choice(list(kinds)))
    return Geometry.model_validate({"shape": shape, "material": material, **kinds[shape]})


def _stone(random: np.random.Generator, radius: float) -> dict[str, Any]:
    """Corners and faces of a convex solid."""
    from scipy.spatial import ConvexHull

    corners = random.normal(size=(int(random.integers(6, 20)), 3))
    corners *= radius / np.linalg.norm(corners, axis=1)[:, None]
    hull = ConvexHull(corners)
    faces = []
    for triangle, plane in zip(hull.simplices.tolist(), hull.equations, strict=True):
        a, b, c = corners[triangle]
        outward = np.dot(np.cross(b - a, c - a), plane[:3]) > 0.0
        faces.append(triangle if outward else triangle[::-1])
    used = sorted({corner for face in faces for corner in face})
    number = {corner: k for k, corner in enumerate(used)}
    return {
        "vertices": [tuple(map(float, corners[k])) for k in used],
        "faces": [[number[k] for k in face] for face in faces],
    }


def _grounds(random: np.random.Generator, size: float) -> tuple[list[Body], list[Mesh]]:
    """What stands below, and what is moved there."""
    kind = str(random.choice(["plane", "plane", "hills", "box", "bowl"]))
    meshes: list[Mesh] = []
    place = (1.3 * size, 1.3 * size, 0.0)
    if kind == "plane":
        ground = Geometry(shape="plane", material="m0")
    elif kind == "box":
        place = (1.3 * size, 1.3 * size, -0.25 * size)
        ground = Geometry(shape="box", size=(5 * size, 5 * size, 0.5 * size), material="m0")
    elif kind == "hills":
        heights = (0.25 * size * random.random((9, 9))).tolist()
        extent = (9 * size, 9 * size, 1.0)
        ground = Geometry(shape="height_field", size=extent, heights=heights, material="m0")
    else:
        place = (1.3 * size, 1.3 * size, -size)
        meshes.append(bowl("bowl", 5.0 * size, 2.0 * size, size, int(random.integers(5, 12))))
        ground = Geometry(shape="mesh", mesh="bowl", material="m0")
    bodies = [Body(name="ground", motion="static", position=place, geometry=[ground])]
    if random.random() < 0.35:
        bodies.append(_moved(random, size))
    return bodies, meshes


def _moved(random: np.random.Generator, size: float) -> Body:
    """A pusher that comes from the side, or a paddle that turns over the heap."""
    time = _time(size)
    beside = -2.0 * size
    if random.random() < 0.5:
        ways = [(0.0, beside), (0.5 * time, beside + 1.5 * size), (1.0 * time, beside)]
        frames = [Keyframe(time=t, position=(x, 1.3 * size, size)) for t, x in ways]
        blade = Geometry(shape="box", size=(0.3 * size, 3 * size, size), material="m1")
    else:
        frames = []
        for k in range(5):
            half = 0.25 * math.pi * k
            frames.append(
                Keyframe(
                    time=0.4 * k * time,
                    position=(beside, beside, size),
                    orientation=(math.cos(half), 0.0, 0.0, math.sin(half)),
                )
            )
        blade = Geometry(shape="box", size=(2.0 * size, 0.3 * size, size), material="m1")
    return Body(
        name="moved",
        motion="kinematic",
        keyframe_interpolation=str(random.choice(["linear", "cubic"])),
        geometry=[blade],
        keyframes=frames,
    )


def _joints(random: np.random.Generator, solids: list[Body], size: float) -> list[dict[str, Any]]:
    """Joints between solids that are neighbours, some of which close loops, and couplings."""
    if len(solids) < 2 or random.random() < 0.35:
        return []
    joints: list[dict[str, Any]] = []
    share = random.uniform(0.1, 0.8)
    for k in range(len(solids) - 1):
        if random.random() < share:
            other = k + 1 if random.random() < 0.8 else int(random.integers(0, len(solids)))
            if other != k:
                joints.append(_joint(random, len(joints), solids[k], solids[other], size))
    driven = [each for each in joints if each["type"] in ("hinge", "slider")]
    if len(driven) >= 2 and random.random() < 0.3:
        terms = [
            {"joint": each["name"], "coefficient": float(random.choice([-1.0, 0.5, 1.0]))}
            for each in driven[:2]
        ]
        joints.append({"name": "gear", "type": "coupling", "terms": terms})
    return joints


def _joint(
    random: np.random.Generator, k: int, one: Body, other: Body, size: float
) -> dict[str, Any]:
    kind = str(random.choice(JOINTS))
    ends = np.array([one.position, other.position])
    joint: dict[str, Any] = {"name": f"joint-{k}", "body1": one.name, "body2": other.name}
    if kind in ("rope", "distance"):
        joint |= {"type": "distance", "anchor": one.position, "anchor2": other.position}
        if kind == "rope":
            joint["max_length"] = float(np.linalg.norm(ends[1] - ends[0])) * 1.3
        return joint
    middle = tuple(map(float, ends.mean(axis=0)))
    joint |= {"type": kind, "anchor": middle}
    if kind not in ("ball", "fixed"):
        joint["axis"] = _vector(random, 1.0)
    if kind == "screw":
        joint["pitch"] = 0.3 * size
    if kind == "universal":
        joint["axis2"] = tuple(map(float, np.cross(joint["axis"], _vector(random, 1.0))))
    if kind in ("ball", "universal") and random.random() < 0.5:
        joint["damping"] = float(size**4.5 * 10.0 ** random.uniform(0.0, 3.0))
    if kind == "ball" and random.random() < 0.5:
        joint["axis"] = joint["axis2"] = _vector(random, 1.0)
        joint["limits"] = [{"freedom": "swing", "upper": float(random.uniform(0.1, 1.5))}]
    return joint | _actors(random, kind, size)


def _actors(random: np.random.Generator, kind: str, size: float) -> dict[str, Any]:
    """What acts along the free axis of a joint."""
    if kind not in ACTED:
        return {}
    slides = kind == "slider"
    freedom = {"freedom": "rotation"} if kind in ("cylindrical", "screw") else {}
    length, weight = (size if slides else 1.0), size**3 * (1.0 if slides else size)
    acts: dict[str, Any] = {}
    if random.random() < 0.5:
        lower, upper = (length * float(x) for x in random.uniform(0.05, 0.8, 2))
        acts["limits"] = [{"lower": -lower, "upper": upper, **freedom}]
    if random.random() < 0.5:
        acts["frictions"] = [{"force": weight * float(10.0 ** random.uniform(0.0, 3.5)), **freedom}]
    if random.random() < 0.3:
        stiffness = weight / length * float(10.0 ** random.uniform(2.0, 4.5))
        damping = 0.05 * stiffness * _time(size)
        acts["springs"] = [{"stiffness": stiffness, "damping": damping, **freedom}]
    if random.random() < 0.3:
        most = weight * float(10.0 ** random.uniform(1.0, 3.5))
        target = float(random.normal()) * 3.0 * length / _time(size)
        acts["motors"] = [{"kind": "velocity", "target": target, "max_force": most, **freedom}]
    return acts


def outcome(number: int) -> Outcome:
    """Of the scene of a number."""
    began = time.process_time()
    scene, size = drawn(number)
    ended, why = "complete", ""
    try:
        recording = impulse_core.simulate(scene)
    except (impulse_core.SceneError, impulse_core.OptionError) as error:
        return Outcome(number, "refused", str(error).splitlines()[0], 0.0, 0.0, 0.0)
    except impulse_core.SimulationError as error:
        ended, why, recording = "ended", str(error).splitlines()[0], error.recording
    told = recording.diagnostics
    contacts = told.get("contacts", {})
    overlap = contacts.get("max_penetration_m", 0.0) / size
    if not np.isfinite(recording.positions).all():
        overlap = math.inf
    violation = contacts.get("max_violation_m", 0.0) / size
    mended = "start velocities did not fit"
    why = why or "; ".join(text for text in told["warnings"] if mended not in text)
    return Outcome(number, ended, why, overlap, violation, time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description="Run scenes that nobody designed.")
    parser.add_argument("--from", dest="begin", type=int, default=0, help="first number")
    parser.add_argument("--to", dest="end", type=int, default=300, help="the one after the last")
    parser.add_argument("--only", type=int, help="one number")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--save", type=Path, help="write the scene of --only there")
    given = parser.parse_args()
    if given.only is not None and given.save:
        given.save.write_text(drawn(given.only)[0].model_dump_json(exclude_none=True))
        return
    numbers = range(given.begin, given.end) if given.only is None else [given.only]
    outcomes = []
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for each in pool.imap(outcome, numbers, chunksize=4):
            outcomes.append(each)
            worst = max(each.overlap, each.violation)
            if each.ended != "refused" and (each.why or not worst <= EXPECTED):
                told = "FAULT " if each.fault else ""
                print(
                    f"{each.number}: {told}{each.ended}, overlap {each.overlap:.1e},"
                    f" law {each.violation:.1e}, {each.seconds:.1f} s. {each.why[:160]}",
                    flush=True,
                )
    counted = dict.fromkeys(("complete", "refused", "ended"), 0)
    for each in outcomes:
        counted[each.ended] += 1
    faults = [each.number for each in outcomes if each.fault]
    took = sum(each.seconds for each in outcomes)
    print(f"{counted}, {took:.0f} s of processor time, faults: {faults or 'none'}", flush=True)
    if faults or counted["ended"] > max(2, MOST_ENDED * len(outcomes)):
        sys.exit(1)


if __name__ == "__main__":
    main()
