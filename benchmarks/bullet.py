"""Scenes of free bodies and ball joints in Bullet, where pybullet is installed.

With its defaults: 50 iterations of sequential impulses, no sleep. Only damping is taken out, which
it gives all bodies.
"""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy as np

from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import conjugated, rotated
from impulse_core.types import Floats
from impulse_schema import Body, Geometry, Mesh, Scene

__all__ = ["Bullet", "bullet_is_installed"]


def bullet_is_installed() -> bool:
    """Whether there is anything to compare with."""
    return importlib.util.find_spec("pybullet") is not None


class Bullet:
    """Steps a scene, and tells of it as the other engines do."""

    name = "Bullet"

    def __init__(self, scene: Scene, step: float) -> None:
        import pybullet

        self.bullet = pybullet
        self.client = pybullet.connect(pybullet.DIRECT)
        self._do("setGravity", *scene.settings.gravity)
        self._do("setPhysicsEngineParameter", fixedTimeStep=step, deterministicOverlappingPairs=1)
        compiled = compile_scene(scene)
        self._mass = compiled.model.bodies["mass"]
        self._moments = compiled.model.bodies["inertia"]
        # Its rigid bodies have the moments that it finds, right of a box, and no joints; its
        # multibodies have those they are given.
        self._plain = not scene.joints
        self._meshes = {mesh.name: mesh for mesh in scene.meshes}
        self._frictions = {each.name: each.static_friction or 0.0 for each in scene.materials}
        state = compiled.state.bodies
        self._numbers: dict[str, int] = {}
        self._moving: list[tuple[int, int]] = []
        for body, row, origin, axes in zip(
            scene.bodies, compiled.body_row, compiled.origin, compiled.axes, strict=True
        ):
            if body.motion == "static":
                self._numbers[body.name] = self._add(body, 0.0, body.position, body.orientation)
                continue
            number = self._numbers[body.name] = self._add(
                body,
                float(self._mass[row]),
                state["position"][row].tolist(),
                state["orientation"][row].tolist(),
                (origin, axes, self._moments[row].tolist()),
            )
            self._moving.append((number, int(row)))
        for joint in scene.joints:
            self._join(joint)

    def _do(self, call: str, *values: Any, **named: Any) -> Any:
        return getattr(self.bullet, call)(*values, **named, physicsClientId=self.client)

    def _add(
        self, body: Body, mass: float, position: Any, orientation: Any, inertial: Any = None
    ) -> int:
        """A body in the frame of its centre and principal axes."""
        solids = [each for each in body.geometry if each.role != "visual"]
        assert len(solids) == 1, body.name
        solid = solids[0]
        w, *xyz = orientation
        number = self._do(
            "createMultiBody",
            baseMass=mass,
            baseCollisionShapeIndex=self._shape(solid, inertial),
            basePosition=position,
            baseOrientation=[*xyz, w],
            useMaximalCoordinates=int(self._plain),
        )
        # Bullet multiplies the numbers of both surfaces
        friction = math.sqrt(self._frictions.get(solid.material or "", 0.0))
        self._do(
            "changeDynamics",
            number,
            -1,
            lateralFriction=friction,
            restitution=0.0,
            linearDamping=0.0,
            angularDamping=0.0,
        )
        if inertial is not None and not self._plain:
            self._do("changeDynamics", number, -1, localInertiaDiagonal=inertial[2])
        return int(number)

    def _shape(self, solid: Geometry, inertial: Any) -> int:
        bullet = self.bullet
        if solid.shape == "plane":
            return int(self._do("createCollisionShape", bullet.GEOM_PLANE, planeNormal=[0, 0, 1]))
        if solid.shape == "convex_hull":
            mesh: Mesh = self._meshes[solid.mesh]
            origin, axes, _ = inertial
            vertices = rotated(conjugated(axes), np.array(mesh.vertices) - origin)
            return int(
                self._do("createCollisionShape", bullet.GEOM_MESH, vertices=vertices.tolist())
            )
        w, *xyz = solid.orientation
        given = {
            "box": lambda: (bullet.GEOM_BOX, {"halfExtents": [0.5 * x for x in solid.size]}),
            "sphere": lambda: (bullet.GEOM_SPHERE, {"radius": solid.radius}),
            "capsule": lambda: (
                bullet.GEOM_CAPSULE,
                {"radius": solid.radius, "height": solid.height},
            ),
        }
        kind, sizes = given[solid.shape]()
        return int(
            self._do(
                "createCollisionShape",
                kind,
                **sizes,
                collisionFramePosition=solid.position,
                collisionFrameOrientation=[*xyz, w],
            )
        )

    def _join(self, joint: Any) -> None:
        """A ball joint."""
        assert joint.type == "ball"
        ends = []
        for name in (joint.body1, joint.body2):
            number = self._numbers.get(name)
            if number is None:
                ends.append((-1, list(joint.anchor)))
                continue
            position, orientation = self._pose(number)
            ends.append(
                (number, rotated(conjugated(orientation), joint.anchor - position).tolist())
            )
        ends.sort(key=lambda end: end[0] < 0)  # the world last
        (first, at_first), (second, at_second) = ends
        self._do(
            "createConstraint",
            first,
            -1,
            second,
            -1,
            self.bullet.JOINT_POINT2POINT,
            [0, 0, 0],
            at_first,
            at_second,
        )

    def _pose(self, number: int) -> tuple[Floats, Floats]:
        position, (x, y, z, w) = self._do("getBasePositionAndOrientation", number)
        return np.array(position), np.array([w, x, y, z])

    def advance(self) -> None:
        self._do("stepSimulation")

    def depth(self) -> float:
        """At the start of the step, where it looks for contacts."""
        return max((-point[8] for point in self._do("getContactPoints")), default=0.0)

    def contacts(self) -> int:
        return len(self._do("getContactPoints"))

    def kinetic(self) -> float:
        total = 0.0
        for number, row in self._moving:
            velocity, spin = self._do("getBaseVelocity", number)
            _, orientation = self._pose(number)
            w = rotated(conjugated(orientation), np.array(spin))
            total += 0.5 * float(self._mass[row]) * float(np.square(velocity).sum())
            total += 0.5 * float((self._moments[row] * w**2).sum())
        return total

    def __del__(self) -> None:
        if hasattr(self, "client"):
            self.bullet.disconnect(self.client)
