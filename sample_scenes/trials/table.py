"""A table on four legs with dry friction in its joints, whose servos hold it up."""

from __future__ import annotations

from impulse_schema import Body, Friction, Geometry, Joint, Material, Motor, Scene, Settings

CORNERS = ((0.19, 0.13), (0.19, -0.13), (-0.19, 0.13), (-0.19, -0.13))  # m
TOP = 0.3  # m, height of the hips
KNEE = 0.15  # m
FOOT = 0.02  # m, radius


def table(friction: float = 0.2) -> Scene:
    """The servos bend hips and knees by 0.05 rad, against joint friction, on feet that resist
    rolling.

    Args:
        friction: In each joint [N m].
    """
    bodies, joints = [], []
    for k, (x, y) in enumerate(CORNERS):
        thigh = _limb(f"thigh-{k}", (x, y, 0.225), 1.0)
        calf = _limb(f"calf-{k}", (x, y, 0.085), 0.2)
        calf.geometry.append(
            Geometry(
                shape="sphere", radius=FOOT, position=(0.0, 0.0, FOOT - 0.085), material="rubber"
            )
        )
        bodies += [thigh, calf]
        joints += [
            _joint(f"hip-{k}", "top", thigh.name, (x, y, TOP), friction),
            _joint(f"knee-{k}", thigh.name, calf.name, (x, y, KNEE), friction),
        ]
    top = Body(
        name="top",
        position=(0.0, 0.0, TOP),
        mass=5.0,
        center_of_mass=(0.02, 0.002, 0.0),
        inertia=(0.017, 0.063, 0.072),
        geometry=[Geometry(role="visual", shape="box", size=(0.5, 0.3, 0.04))],
    )
    ground = Body(
        name="ground", motion="static", geometry=[Geometry(shape="plane", material="rubber")]
    )
    return Scene(
        version=1,
        name="table",
        description="A table on four legs: servos bend hips and knees against dry friction, and the"
        " feet resist rolling.",
        settings=Settings(step=0.002, duration=2.0),
        materials=[Material(name="rubber", static_friction=0.8, rolling_friction=0.01)],
        bodies=[ground, top, *bodies],
        joints=joints,
    )


def _limb(name: str, at: tuple[float, float, float], mass: float) -> Body:
    return Body(
        name=name,
        position=at,
        mass=mass,
        inertia=(0.0046 * mass, 0.0046 * mass, 4e-4 * mass),
        geometry=[Geometry(role="visual", shape="box", size=(0.03, 0.03, 0.13))],
    )


def _joint(
    name: str, body1: str, body2: str, anchor: tuple[float, float, float], friction: float
) -> Joint:
    return Joint(
        name=name,
        type="hinge",
        body1=body1,
        body2=body2,
        anchor=anchor,
        axis=(0.0, 1.0, 0.0),
        frictions=[Friction(force=friction)] if friction else [],
        motors=[Motor(kind="servo", proportional=100.0, derivative=2.0, target=0.05, max_force=24)],
    )
