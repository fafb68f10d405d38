"""A tree of fifty joints with dry friction that servos hold in the air."""

from __future__ import annotations

from bars import Point, Vector

from impulse_schema import (
    Body,
    CouplingTerm,
    Friction,
    Geometry,
    Joint,
    Limit,
    Motor,
    Scene,
    Settings,
)

COUNT = 50
TRUNK, BRANCH = 0.25, 0.85  # m, and how much shorter a branch is than what it grows from
MASS, LIGHTER = 3.0, 0.6  # kg, and how much lighter
AXES: tuple[Vector, ...] = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.6, 0.8))
DENSITY = 1000.0  # kg/m³, of bodies as inertia goes


def held_tree() -> Scene:
    """Each limb carries two; what a servo has is a little more than it needs to hold its limb.

    The last four limbs are coupled in pairs, as fingers are.
    """
    bodies: list[Body] = []
    joints: list[Joint] = []
    tips: list[Point] = []
    for k in range(COUNT):
        above = (k - 1) // 2
        depth = (k + 1).bit_length() - 1
        length, mass = TRUNK * BRANCH**depth, MASS * LIGHTER**depth
        foot = tips[above] if k else (0.0, 0.0, 1.5)
        side = 1.0 if k % 2 else -1.0
        along = (0.6 * side, 0.0, 0.8) if depth % 2 else (0.0, 0.6 * side, 0.8)
        tips.append(_moved(foot, along, length))
        bodies.append(_limb(f"limb-{k}", _moved(foot, along, length / 2), length, mass))
        joints.append(
            Joint(
                name=f"joint-{k}",
                type="hinge",
                body1=f"limb-{above}" if k else "world",
                body2=f"limb-{k}",
                anchor=foot,
                axis=AXES[k % len(AXES)],
                frictions=[Friction(force=0.8 * LIGHTER**depth)],
                limits=[Limit(lower=-0.5, upper=0.8)],
                motors=[
                    Motor(
                        kind="servo",
                        proportional=400.0 * LIGHTER**depth,
                        derivative=8.0 * LIGHTER**depth,
                        target=0.02,
                        max_force=60.0 * (LIGHTER / 1.4) ** depth,
                    )
                ],
            )
        )
    for a, b in ((COUNT - 4, COUNT - 3), (COUNT - 2, COUNT - 1)):
        joints[b].motors = []
        terms = [
            CouplingTerm(joint=f"joint-{a}", coefficient=1.0),
            CouplingTerm(joint=f"joint-{b}", coefficient=-1.0),
        ]
        joints.append(Joint(name=f"fingers-{a}", type="coupling", terms=terms))
    return Scene(
        version=1,
        name="held-tree",
        description="A tree of fifty limbs: servos hold it up against dry friction in every joint.",
        settings=Settings(step=0.001, duration=2.0),
        bodies=bodies,
        joints=joints,
    )


def _limb(name: str, center: Point, length: float, mass: float) -> Body:
    thickness = (mass / DENSITY / length) ** 0.5
    return Body(
        name=name,
        position=center,
        mass=mass,
        inertia=(
            mass / 12 * (length**2 + thickness**2),
            mass / 12 * (length**2 + thickness**2),
            mass / 6 * thickness**2,
        ),
        geometry=[Geometry(role="visual", shape="box", size=(thickness, thickness, length))],
    )


def _moved(start: Point, along: Vector, length: float) -> Point:
    x, y, z = (a + length * b for a, b in zip(start, along, strict=True))
    return x, y, z
