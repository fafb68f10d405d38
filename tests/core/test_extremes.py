"""Scenes with any numbers within their bounds: run, refused or given up, never a fault."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from impulse_cli.main import execute
from impulse_schema import Scene, save_scene
from impulse_schema.bounds import bounds_of
from impulse_schema.checks.joints import USAGE
from impulse_schema.fields import FieldSpec, element_spec
from impulse_schema.models import (
    Body,
    CouplingTerm,
    Element,
    Friction,
    Geometry,
    Joint,
    Keyframe,
    Limit,
    Load,
    Material,
    Motor,
    Settings,
    Spring,
    SpringDamper,
)

GOOD, WRONG_INPUT, FAILED = 0, 1, 3


class _Extremes:
    """Draws elements whose numbers are mostly plain, and by the share ``wild`` anything legal."""

    def __init__(self, seed: int, wild: float) -> None:
        self.random = Random(seed)
        self.wild = wild

    def number(self, field: FieldSpec) -> float:
        """Within the bounds of the field: an end, or a power of ten between."""
        least, most = bounds_of(field.unit)
        plain = self.random.choice([0.1, 0.5, 1.0, 2.0])
        exponent = self.random.uniform(np.log10(least), np.log10(most))
        anything = float(np.clip(10.0**exponent, least, most))
        size = self.random.choice([least, most, anything])
        size = size if self.random.random() < self.wild else plain
        if field.sign == "any":
            size = self.random.choice([size, size, 5e-324, 0.0])
            return self.random.choice([-size, size])
        return self.random.choice([size, size, 0.0]) if field.sign == "non-negative" else size

    def fields(self, model: type[Element], *keys: str) -> dict[str, Any]:
        """Values of the numeric fields of a model with these keys."""
        specs = element_spec(model).fields
        return {key: self.value(specs[key]) for key in keys}

    def value(self, field: FieldSpec) -> Any:
        if field.kind == "number":
            return self.number(field)
        return tuple(self.number(field) for _ in range(field.counts[0]))

    def some(self, items: list[Any]) -> Any:
        return self.random.choice(items)

    def solid(self) -> Geometry:
        shape, keys = self.some(
            [
                ("box", ("size",)),
                ("sphere", ("radius",)),
                ("ellipsoid", ("size",)),
                ("cylinder", ("radius", "height")),
                ("capsule", ("radius", "height")),
                ("cone", ("radius", "height")),
            ]
        )
        keys += self.some([(), ("position",), ("rounding",)])
        return Geometry(shape=shape, material="stuff", **self.fields(Geometry, *keys))

    def body(self, name: str) -> Body:
        keys = ("position", *self.some([(), ("velocity",), ("velocity", "angular_velocity")]))
        given = {"name": name, **self.fields(Body, *keys)}
        if self.random.random() < 0.3:
            moment = self.number(element_spec(Body).fields["inertia"])
            size = abs(moment) or 1.0
            return Body(**given, **self.fields(Body, "mass"), inertia=(size, size, 1.5 * size))
        solids = [self.solid() for _ in range(self.some([1, 1, 2]))]
        mass = self.some([{}, self.fields(Body, "mass")])
        return Body(**given, **mass, geometry=solids)

    def joint(self, bodies: list[str]) -> Joint:
        kind = self.some([name for name in USAGE if name != "coupling"])
        usage = USAGE[kind]
        numbers = (
            "anchor",
            "anchor2",
            "axis",
            "axis2",
            "length",
            "pitch",
            "break_force",
            "break_torque",
            "armature",
            "damping",
            "max_length",
        )
        keys = [k for k in usage.needed if k in numbers]
        keys += [k for k in usage.optional if k in numbers and self.random.random() < 0.2]
        given = self.fields(Joint, *keys)
        if kind == "universal":
            given |= {"axis": (1.0, 0.0, 0.0), "axis2": (0.0, 1.0, 0.0)}
        if "motors" in usage.optional:
            freedom = {"freedom": "rotation"} if kind == "cylindrical" else {}
            given |= {
                "motors": self.some([[], [self.motor(freedom)]]),
                "limits": self.some(
                    [
                        [],
                        [
                            Limit(
                                **freedom,
                                **self.fields(
                                    Limit, *self.some([("upper",), ("upper", "max_velocity")])
                                ),
                            )
                        ],
                    ]
                ),
                "springs": self.some([[], [self.spring(freedom)]]),
                "frictions": self.some(
                    [[], [Friction(**freedom, **self.fields(Friction, "force"))]]
                ),
            }
        body1 = self.some(["world", *bodies[:1]])
        return Joint(type=kind, name="j", body1=body1, body2=bodies[-1], **given)

    def motor(self, freedom: dict[str, Any]) -> Motor:
        gains = {}
        kind = self.some(["velocity", "servo", "force"])
        if kind == "servo":
            gains = self.fields(Motor, "proportional", "derivative", "integral")
        limit = self.some([{}, self.fields(Motor, "max_force")])
        if limit:
            limit |= {
                "min_force": self.some(
                    [None, -abs(self.number(element_spec(Motor).fields["min_force"]))]
                )
            }
        target = self.some([self.fields(Motor, "target"), {"expression": "1e9*sin(1e9*t)"}])
        return Motor(kind=kind, **freedom, **gains, **limit, **target)

    def spring(self, freedom: dict[str, Any]) -> Spring:
        return Spring(**freedom, **self.fields(Spring, "stiffness", "damping", "rest"))

    def scene(self) -> Scene:
        bodies = [self.body(name) for name in ("a", "b")[: self.some([1, 2])]]
        names = [body.name for body in bodies]
        ground = Body(name="ground", motion="static", geometry=[Geometry(shape="plane")])
        moved = Body(
            name="moved",
            motion="kinematic",
            keyframe_interpolation=self.some(["linear", "cubic"]),
            keyframes=[
                Keyframe(time=time, **self.fields(Keyframe, "position"))
                for time in sorted({self.number(element_spec(Keyframe).fields["time"]), 1.0, 2.0})
            ],
        )
        joints = self.some([[], [self.joint(names)]])
        if joints and joints[0].motors:
            term = CouplingTerm(joint="j", freedom=joints[0].motors[0].freedom, coefficient=1.0)
            joints += self.some([[], [Joint(type="coupling", terms=[term])]])
        load = Load(body=names[-1], **self.fields(Load, "force", "torque", "from", "until"))
        spring = SpringDamper(
            body1=self.some(["world", *names[:-1]]),
            body2=names[-1],
            **self.fields(SpringDamper, "anchor", "anchor2", "stiffness", "damping"),
            **self.some([{}, self.fields(SpringDamper, "rest_length")]),
        )
        return Scene(
            version=1,
            settings=self.settings(),
            materials=[
                Material(name="stuff", **self.fields(Material, "density", "static_friction"))
            ],
            bodies=[*bodies, *self.some([[], [ground]]), *self.some([[], [moved]])],
            joints=joints,
            loads=self.some([[], [load]]),
            springs=self.some([[], [spring]]),
        )

    def settings(self) -> Settings:
        """Three steps, and a frame for each."""
        step = float(np.clip(self.number(element_spec(Settings).fields["step"]), 2e-9, 3e8))
        return Settings(
            step=step,
            duration=3.0 * step,
            fps=min(1.0 / step, 1e9),
            time_of_impact=self.some([True, False]),
            **self.fields(Settings, "gravity"),
        )


@pytest.mark.parametrize("wild", [0.02, 0.1, 0.5, 1.0])
def test_any_legal_numbers(tmp_path: Path, wild: float) -> None:
    """A scene of legal numbers runs, is refused or fails, with a sentence and without a warning."""
    path, output = tmp_path / "scene.json", tmp_path / "out.npz"
    for seed in range(40):
        scene = _Extremes(seed, wild).scene()
        path.unlink(missing_ok=True)
        save_scene(scene, path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            code = execute(["run", str(path), "-o", str(output), "--progress", "none"])
        assert code in (GOOD, WRONG_INPUT, FAILED), f"seed {seed}"
