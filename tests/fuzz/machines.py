"""Scenes that are meant to be right: bodies in a row, joints of all types, drives, contacts."""

from __future__ import annotations

import math
from random import Random
from typing import Any, get_args

from impulse_schema.models import Method

_TREE_TYPES = (
    "ball", "hinge", "hinge", "hinge", "universal", "fixed", "slider", "slider", "cylindrical",
    "point-on-line", "point-on-plane", "planar", "parallel-axes", "orientation", "distance",
    "screw",
)  # fmt: skip
_FREE_AXES = {"hinge": ["rotation"], "slider": ["translation"], "screw": ["rotation"]}
_CYLINDRICAL = ["rotation", "translation"]
_METHODS = get_args(Method)
_SPACING = 1.0  # m between bodies, more than the largest is long

Raw = dict[str, Any]


def machine(rng: Random) -> Raw:
    """A scene as the data of its JSON, which most often validates and runs."""
    touching = rng.random() < 0.5
    bodies = [_body(rng, k) for k in range(rng.choice((1, 1, 2, 2, 3, 3, 4, 6)))]
    joints = _joints(rng, len(bodies))
    scene: Raw = {"version": 1, "bodies": bodies, "joints": joints}
    scene["settings"] = _settings(rng, touching)
    if rng.random() < 0.5:
        scene["materials"] = [_material(rng, name) for name in ("steel", "rubber")]
        for body in bodies:
            if "geometry" in body and rng.random() < 0.7:
                body["geometry"][0]["material"] = rng.choice(("steel", "rubber"))
        if rng.random() < 0.3:
            pair = {"material1": "steel", "material2": "rubber", "static_friction": _size(rng)}
            scene["material_pairs"] = [pair]
    if touching:
        bodies += _grounds(rng, scene)
    else:
        scene["collision_filter"] = {"default": False}
    if rng.random() < 0.3:
        scene["loads"] = [_load(rng, bodies) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.2:
        scene["springs"] = [_spring(rng, bodies)]
    return scene


def _size(rng: Random, low: float = -1.0, high: float = 0.3) -> float:
    """A positive number of ordinary size."""
    return float(f"{10 ** rng.uniform(low, high):.3g}")


def _vector(rng: Random, size: float = 1.0) -> list[float]:
    return [round(rng.uniform(-size, size), 3) for _ in range(3)]


def _axis(rng: Random) -> list[float]:
    if rng.random() < 0.7:
        return rng.choice(([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]))
    vector = _vector(rng)
    return vector if any(vector) else [0.0, 0.0, 1.0]


def _rotation(rng: Random) -> list[float]:
    angle, (x, y, z) = rng.uniform(-math.pi, math.pi), _axis(rng)
    factor = math.sin(angle / 2) / math.hypot(x, y, z)
    return [math.cos(angle / 2), x * factor, y * factor, z * factor]


def _body(rng: Random, k: int) -> Raw:
    body: Raw = {"name": f"b{k}", "position": [_SPACING * (k + 1), 0.0, 0.0]}
    if rng.random() < 0.3:
        body["orientation"] = _rotation(rng)
    if rng.random() < 0.4:
        body["velocity"] = _vector(rng, 2.0)
    if rng.random() < 0.4:
        body["angular_velocity"] = _vector(rng, 5.0)
    if rng.random() < 0.15:
        body |= {"mass": _size(rng), "inertia": [_size(rng, -2, -1.8) for _ in range(3)]}
        return body
    body["geometry"] = [_solid(rng)]
    body |= {"density": _size(rng, 2, 4)} if rng.random() < 0.5 else {"mass": _size(rng)}
    return body


def _solid(rng: Random) -> Raw:
    shape = rng.choice(("box", "box", "sphere", "cylinder", "capsule", "cone", "torus"))
    if rng.random() < 0.02:
        shape = "ellipsoid"  # takes a tenth of a second
    solid: Raw = {"shape": shape}
    if shape in ("box", "ellipsoid"):
        solid["size"] = [round(rng.uniform(0.05, 0.5), 3) for _ in range(3)]
    elif shape == "torus":
        minor = round(rng.uniform(0.01, 0.1), 3)
        solid |= {"minor_radius": minor, "major_radius": round(minor * rng.uniform(1.1, 10.0), 3)}
    else:
        solid["radius"] = round(rng.uniform(0.05, 0.2), 3)
    if shape in ("cylinder", "capsule", "cone"):
        solid["height"] = round(rng.uniform(0.05, 0.3), 3)
    if rng.random() < 0.1:
        solid["rounding"] = 0.01
    return solid


def _material(rng: Random, name: str) -> Raw:
    material: Raw = {"name": name, "static_friction": rng.choice((0.0, 0.3, 0.9))}
    if rng.random() < 0.3:
        material["rolling_friction"] = 0.01
    if rng.random() < 0.2:
        material["torsional_friction"] = rng.choice((0.001, 0.1))
    if rng.random() < 0.5:
        material["restitution"] = rng.choice((0.2, 0.5, 1.0))
    return material


def _joints(rng: Random, count: int) -> list[Raw]:
    joints = []
    for k in range(count):
        if rng.random() < 0.25:
            continue
        parent = rng.choice(("world", *(f"b{i}" for i in range(k))))
        joints.append(_joint(rng, rng.choice(_TREE_TYPES), parent, k))
    if count > 1 and rng.random() < 0.2:  # a loop
        joints.append(_joint(rng, rng.choice(_TREE_TYPES), "world", rng.randrange(count)))
    driven = [joint for joint in joints if joint["type"] in _FREE_AXES]
    if len(driven) > 1 and rng.random() < 0.3:
        for number, joint in enumerate(driven):
            joint["name"] = f"j{number}"
        terms = [
            {"joint": joint["name"], "coefficient": rng.choice((1.0, -1.0, 2.0))}
            for joint in driven[:2]
        ]
        joints.append({"type": "coupling", "terms": terms})
    return joints


def _joint(rng: Random, kind: str, parent: str, child: int) -> Raw:
    joint: Raw = {"type": kind, "body1": parent, "body2": f"b{child}"}
    if kind not in ("orientation", "parallel-axes"):
        joint["anchor"] = [_SPACING * (child + rng.choice((0.5, 0.5, 1.0))), 0.0, 0.0]
    if kind == "distance":
        joint["anchor2"] = [_SPACING * (child + 1), 0.0, rng.choice((0.0, 0.1))]
    if kind not in ("ball", "fixed", "orientation", "distance"):
        joint["axis"] = [0.0, 1.0, 0.0] if kind == "universal" else _axis(rng)
    if kind == "screw":
        joint["pitch"] = rng.choice((1.0, -1.0)) * _size(rng, -3, 0)
    if kind == "universal":
        joint["axis2"] = [0.0, rng.choice((0.0, 0.0, 1.0, -4.0)), 1.0]
    for freedom in _CYLINDRICAL if kind == "cylindrical" else _FREE_AXES.get(kind, ()):
        _drive(rng, joint, {"freedom": freedom} if kind == "cylindrical" else {})
    if rng.random() < 0.05:
        joint["break_force"] = _size(rng, 0, 4)
    if kind in _FREE_AXES and rng.random() < 0.2:
        joint["armature"] = _size(rng, -4, 2)
    if kind in ("ball", "universal") and rng.random() < 0.3:
        joint["damping"] = _size(rng, -3, 4)
    if kind == "ball" and rng.random() < 0.3:
        _hold_in_cone(rng, joint)
    return joint


def _hold_in_cone(rng: Random, joint: Raw) -> None:
    """Limits of a ball joint."""
    joint["axis"] = _axis(rng)
    bounce = rng.choice((0.0, 0.5, 1.0))
    joint["limits"] = [
        {"freedom": "swing", "upper": rng.choice((0.02, 0.3, 1.5, 3.1)), "restitution": bounce}
    ]
    if rng.random() < 0.5:
        joint["limits"].append({"freedom": "twist", "lower": -_size(rng), "upper": _size(rng)})


def _drive(rng: Random, joint: Raw, freedom: Raw) -> None:
    """Some of what can act on a free axis."""
    chance = rng.random
    if chance() < 0.3:
        joint.setdefault("motors", []).append(freedom | _motor(rng))
    if chance() < 0.25:
        limits = {"lower": -_size(rng), "upper": _size(rng), "restitution": rng.choice((0.0, 0.5))}
        if chance() < 0.3:
            limits["max_velocity"] = _size(rng, -2, 1)
        joint.setdefault("limits", []).append(freedom | limits)
    if chance() < 0.25:
        spring = {"stiffness": _size(rng, 0, 3), "damping": _size(rng)}
        joint.setdefault("springs", []).append(freedom | spring)
    if chance() < 0.25:
        joint.setdefault("frictions", []).append(freedom | {"force": _size(rng)})


def _motor(rng: Random) -> Raw:
    kind = rng.choice(("velocity", "servo", "force"))
    motor: Raw = {"kind": kind}
    if kind == "servo":
        motor |= {"proportional": _size(rng, 0, 3), "derivative": _size(rng)}
        if rng.random() < 0.3:
            motor["integral"] = _size(rng)
    if rng.random() < 0.5:
        motor["max_force"] = _size(rng, 0, 2)
        if rng.random() < 0.3:
            motor["min_force"] = -rng.choice((0.0, _size(rng, -1, 2)))
    target = rng.choice(("target", "expression", "curve"))
    if target == "target":
        motor["target"] = round(rng.uniform(-2, 2), 2)
    elif target == "expression":
        motor["expression"] = rng.choice(
            ("0.5*sin(2*pi*t)", "t", "1 if t < 0.02 else -1", "min(t, 0.5)", "exp(-t)")
        )
    else:
        times = [0.0, 0.02, 0.05, 1.0]
        motor["curve"] = {
            "times": times,
            "values": [round(rng.uniform(-1, 1), 2) for _ in times],
            "interpolation": rng.choice(("step", "linear", "cubic")),
            "repeat": rng.random() < 0.3,
        }
    return motor


def _grounds(rng: Random, scene: Raw) -> list[Raw]:
    """What the bodies can touch, half a metre to nothing below them."""
    below = [2.0, 0.0, -rng.choice((0.3, 0.3, 0.35, 0.5))]
    kind = rng.choice(("plane", "plane", "slope", "box", "height_field", "mesh", "kinematic"))
    ground: Raw = {"name": "ground", "motion": "static", "position": below}
    box: Raw = {"shape": "box", "size": [20.0, 20.0, 0.02]}
    if kind in ("plane", "slope"):
        ground["geometry"] = [{"shape": "plane"}]
        if kind == "slope":
            ground["orientation"] = [math.cos(0.05), 0.0, math.sin(0.05), 0.0]
            ground["position"][2] -= 0.7
    elif kind == "box":
        ground["geometry"] = [box]
    elif kind == "height_field":
        rows = [[round(rng.uniform(0, 0.1), 2) for _ in range(4)] for _ in range(4)]
        ground["geometry"] = [{"shape": "height_field", "size": [9.0, 9.0, 0.5], "heights": rows}]
        ground["position"][2] -= 0.2
    elif kind == "mesh":
        scene["meshes"] = [{"name": "wedge", "file": "tetra.obj", "scale": 20.0}]
        ground["geometry"] = [{"shape": rng.choice(("mesh", "convex_hull")), "mesh": "wedge"}]
        ground["position"] = [-6.0, -6.0, -6.5]
    else:
        high = [below[0], below[1], below[2] + 0.02]
        del ground["position"]
        ground |= {"motion": "kinematic", "geometry": [box]}
        ground["keyframes"] = [{"time": 0.0, "position": below}, {"time": 0.1, "position": high}]
        ground["keyframe_interpolation"] = rng.choice(("linear", "cubic"))
    return [ground]


def _load(rng: Random, bodies: list[Raw]) -> Raw:
    load: Raw = {"body": rng.choice(bodies)["name"], "axes": rng.choice(("world", "body"))}
    load[rng.choice(("force", "torque"))] = _vector(rng, 5.0)
    if rng.random() < 0.4:
        load["point"] = _vector(rng, 0.2)
    if rng.random() < 0.4:
        load |= {"from": 0.015, "until": 0.035}
    return load


def _spring(rng: Random, bodies: list[Raw]) -> Raw:
    anchors = {"anchor": _vector(rng), "anchor2": _vector(rng)}
    ends = {"body1": rng.choice(bodies)["name"], "body2": "world"}
    return anchors | ends | {"stiffness": _size(rng, 0, 3), "damping": _size(rng)}


def _settings(rng: Random, touching: bool) -> Raw:
    settings: Raw = {"duration": 0.05, "step": rng.choice((0.01, 0.01, 0.005, 0.002))}
    if rng.random() < 0.2:
        settings["gravity"] = _vector(rng, 10.0)
    if touching:
        for name in ("time_of_impact", "sleeping", "record_contacts"):
            if rng.random() < 0.3:
                settings[name] = True
        if rng.random() < 0.2:
            settings["impact_law"] = "newton"
    elif rng.random() < 0.4:
        settings["method"] = rng.choice(_METHODS)
    elif rng.random() < 0.3:
        settings["solver"] = rng.choice(("sle", "iterative"))
    if rng.random() < 0.1:
        settings["free_motion"] = "rk4"
    return settings
