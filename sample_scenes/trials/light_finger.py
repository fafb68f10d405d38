"""A heavy arm that swings with a finger of a millionth of its mass at its end."""

from __future__ import annotations

from impulse_schema import Body, Geometry, Joint, Scene, Settings

HINGE = (0.0, 1.0, 0.0)
ARM = (20.0, 1.2)  # kg, m
LINKS = ((2e-3, 0.04), (2e-4, 0.03), (2e-5, 0.02))  # kg, m


def light_finger() -> Scene:
    """Three links, each a tenth of the mass of the one before, whip about as the arm swings."""
    reach = 0.0
    bodies, joints = [], []
    above = "world"
    for k, (mass, length) in enumerate((ARM, *LINKS)):
        name = "arm" if k == 0 else f"link-{k}"
        across = mass * length**2 / 12
        bodies.append(
            Body(
                name=name,
                position=(reach + length / 2, 0.0, 0.0),
                mass=mass,
                inertia=(0.01 * across, across, across),
                geometry=[
                    Geometry(role="visual", shape="box", size=(length, length / 8, length / 8))
                ],
            )
        )
        joints.append(
            Joint(
                name=f"joint-{k}",
                type="hinge",
                body1=above,
                body2=name,
                anchor=(reach, 0.0, 0.0),
                axis=HINGE,
            )
        )
        above, reach = name, reach + length
    return Scene(
        version=1,
        name="light-finger",
        description="A heavy arm swings down from the level; three links at its end, down to a"
        " millionth of its mass, are whipped about.",
        settings=Settings(step=0.0005, duration=2.0),
        bodies=bodies,
        joints=joints,
    )
