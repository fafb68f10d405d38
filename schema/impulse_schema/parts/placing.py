"""Copies of the elements of a part, placed and named.

The pose of a mirrored body is Q M R M: its own axes are mirrored like those of the part, so that
what stands in its frame is mirrored by M. A joint keeps its coordinate: a turn by φ about the axis
a becomes one by φ about det(M) Q M a, a shift by s along a one by s along Q M a. A joint that turns
and slides along one axis has that of its turn, against which its slide counts (export/joints.py of
the add-on does the same).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from impulse_schema.models import (
    FREE_AXES,
    Body,
    CollisionPair,
    CouplingTerm,
    Element,
    Geometry,
    Joint,
    Keyframe,
    Limit,
    Load,
    Motor,
    Spring,
    SpringDamper,
    Use,
)
from impulse_schema.parts.placement import Placement, others, product

WORLD = "world"
_TURNING = frozenset(
    {"ball", "universal", *(type_ for type_, free in FREE_AXES.items() if "rotation" in free)}
)
_OF_BODIES = ("body", "body1", "body2", "reaction_body")
_WITH_A_MESH = ("mesh", "convex_hull")

E = TypeVar("E", bound=Element)


class Twins:
    """The mirror images of meshes that mirrored solids refer to.

    Each mesh has one twin, called ``MESH.mirrored``, whose twin it is itself.
    """

    def __init__(self, flips: Mapping[str, str]) -> None:
        """``flips`` says of each mesh what its ``mirror`` is."""
        self._flips = flips
        self.originals: dict[str, str] = {}
        """The mesh that each twin is the image of."""

    def of(self, mesh: str) -> tuple[str, int]:
        """The twin of a mesh, and the axis along which each of them is the image of the other."""
        if mesh not in self._flips and mesh not in self.originals:
            return mesh, 0  # one that had to be left out of the scene
        original = self.originals.get(mesh)
        if original is not None:
            return original, self._axis(original)
        twin = f"{mesh}.mirrored"
        self.originals[twin] = mesh
        return twin, self._axis(mesh)

    def mirror(self, twin: str) -> str:
        """What the ``mirror`` of a twin is."""
        return "x" if self._flips[self.originals[twin]] == "none" else "none"

    def _axis(self, original: str) -> int:
        flip = self._flips[original]
        return 0 if flip == "none" else "xyz".index(flip)


class Placer:
    """Copies elements of a part to where a use places them."""

    def __init__(
        self, use: Use, placement: Placement, joints: Mapping[str, Joint], twins: Twins
    ) -> None:
        """``joints`` holds those of the part by their names."""
        self._name = use.name
        self._phase = use.phase
        self._at = placement
        self._joints = joints
        self._twins = twins

    def copy(self, element: E) -> E:
        """A placed copy that shares nothing that can change."""
        made = copied(element)
        steps: dict[type[Element], Callable[[Any], None]] = {
            Body: self._body,
            Load: self._load,
            Joint: self._joint,
            SpringDamper: self._spring,
            CollisionPair: self._pair,
        }
        steps[type(element)](made)
        return made

    def _rename(self, element: Element, *keys: str) -> None:
        """Put the name of the use before names; ``body1`` and the like may be the world's."""
        values = element.__dict__
        for key in keys:
            if values[key] is not None and (values[key] != WORLD or key not in _OF_BODIES):
                values[key] = f"{self._name}.{values[key]}"

    def _body(self, body: Body) -> None:
        at, values = self._at, body.__dict__
        self._rename(body, "name")
        self._pose(body, stated=not body.keyframes)
        for keyframe in body.keyframes:
            self._pose(keyframe, stated=True)
        values["velocity"] = at.vector(body.velocity)
        values["angular_velocity"] = at.axial(body.angular_velocity)
        if at.mirror is None:
            return
        if body.center_of_mass is not None:
            values["center_of_mass"] = at.image(body.center_of_mass)
        if body.inertia is not None and len(body.inertia) == 6:
            values["inertia"] = _mirrored_tensor(body.inertia, at.mirror)
        for solid in body.geometry:
            self._mirror_solid(solid, at.mirror)

    def _pose(self, pose: Body | Keyframe, *, stated: bool) -> None:
        """Place a pose; of one that need not be stated, defaults are what is not."""
        values = pose.__dict__
        if stated or pose.position != (0.0, 0.0, 0.0):
            values["position"] = self._at.point(pose.position)
        if stated or pose.orientation != (1.0, 0.0, 0.0, 0.0):
            values["orientation"] = self._at.rotation(pose.orientation)

    def _mirror_solid(self, solid: Geometry, axis: int) -> None:
        """The image S u of a shape whose points are u, turned by M R S and so a rotation."""
        values, at = solid.__dict__, self._at
        values["position"] = at.image(solid.position)
        flipped = axis
        if solid.mesh is not None and solid.shape in _WITH_A_MESH:
            values["mesh"], flipped = self._twins.of(solid.mesh)
        elif solid.shape == "height_field" and solid.heights is not None:
            values["heights"] = [row[::-1] for row in solid.heights]
            values["diagonal"] = "falling" if solid.diagonal == "rising" else "rising"
            flipped = 0
        elif solid.shape in ("cone", "plane") and axis == 2:
            flipped = 0  # top and bottom differ
        orientation = at.rotation_image(solid.orientation)
        if flipped != axis:
            orientation = product(orientation, _half_turn(3 - axis - flipped))
        values["orientation"] = orientation

    def _load(self, load: Load) -> None:
        at, values = self._at, load.__dict__
        self._rename(load, "name", "body", "reaction_body")
        in_body = load.axes == "body"
        values["force"] = at.image(load.force) if in_body else at.vector(load.force)
        values["torque"] = at.axial_image(load.torque) if in_body else at.axial(load.torque)
        if load.point is not None:
            values["point"] = at.image(load.point)
        if load.expression is not None:
            values["phase"] = load.phase + self._phase

    def _spring(self, spring: SpringDamper) -> None:
        values = spring.__dict__
        self._rename(spring, "name", "body1", "body2")
        values["anchor"] = self._at.point(spring.anchor)
        values["anchor2"] = self._at.point(spring.anchor2)

    def _pair(self, pair: CollisionPair) -> None:
        self._rename(pair, "body1", "body2")

    def _joint(self, joint: Joint) -> None:
        at, values = self._at, joint.__dict__
        self._rename(joint, "name", "body1", "body2")
        directed = at.axial if joint.type in _TURNING else at.vector
        for key in ("anchor", "anchor2"):
            if values[key] is not None:
                values[key] = at.point(values[key])
        for key in ("axis", "axis2"):
            if values[key] is not None:
                values[key] = directed(values[key])
        if at.mirror is not None:
            self._mirror_slides(joint)
        for term in joint.terms:
            self._rename(term, "joint")
        if joint.motors:
            values["phase"] = joint.phase + self._phase

    def _mirror_slides(self, joint: Joint) -> None:
        if joint.pitch is not None:
            joint.__dict__["pitch"] = 0.0 - joint.pitch
        if slides_and_turns(joint):
            parts: list[Motor | Limit | Spring] = [*joint.motors, *joint.limits, *joint.springs]
            for part in parts:
                if part.freedom == "translation":
                    turn_round(part)
        for term in joint.terms:
            coupled = self._joints.get(term.joint)
            if term.freedom == "translation" and coupled is not None and slides_and_turns(coupled):
                turn_round(term)


def slides_and_turns(joint: Joint) -> bool:
    """Whether a joint has a turn and a slide along one axis."""
    return len(FREE_AXES.get(joint.type, ())) == 2


def turn_round(part: Motor | Limit | Spring | CouplingTerm) -> None:
    """Give what acts along an axis the numbers that it has along the opposite one."""
    values = part.__dict__
    if isinstance(part, Limit):
        values["lower"], values["upper"] = _negative(part.upper), _negative(part.lower)
    elif isinstance(part, Spring):
        values["rest"] = 0.0 - part.rest
    elif isinstance(part, CouplingTerm):
        values["coefficient"] = 0.0 - part.coefficient
    else:
        values["target"] = _negative(part.target)
        if part.expression is not None:
            values["expression"] = f"-({part.expression})"
        if part.curve is not None:
            part.curve.__dict__["values"] = [0.0 - value for value in part.curve.values]
        if part.min_force is not None and part.max_force is not None:
            values["min_force"], values["max_force"] = 0.0 - part.max_force, 0.0 - part.min_force


def _negative(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _half_turn(axis: int) -> tuple[float, float, float, float]:
    """By π about an axis of the shape."""
    w, x, y, z = 0.0, *(1.0 if axis == i else 0.0 for i in range(3))
    return (w, x, y, z)


def _mirrored_tensor(tensor: tuple[float, ...], axis: int) -> tuple[float, ...]:
    """M I M of (xx, yy, zz, xy, xz, yz): products with the mirrored axis change their sign."""
    products = ((0, 1), (0, 2), (1, 2))
    kept = others(axis)
    return tensor[:3] + tuple(
        value if pair == kept else 0.0 - value
        for pair, value in zip(products, tensor[3:], strict=True)
    )


def copied(element: E) -> E:
    """A copy of an element and of all below it; tuples, which cannot change, are shared."""
    made = element.model_copy()
    values = made.__dict__
    for name, value in values.items():
        if isinstance(value, (list, Element)):
            values[name] = _copied_value(value)
    return made


def _copied_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied_value(item) for item in value]
    return copied(value) if isinstance(value, Element) else value
