"""A four-legged machine that trots: one leg is written, its left ones are mirror images.

The part ``limb`` is a leg without what drives it, hip downwards. ``leading`` and ``following`` use
it and add servos, half a period apart. Legs that stand across from each other move together, so the
front right and the rear left leg are ``leading``, the latter as a mirror image.
"""

from __future__ import annotations

from impulse_schema import (
    Body,
    Geometry,
    Joint,
    Material,
    Motor,
    Part,
    Scene,
    Settings,
    Use,
)

TRUNK = (0.5, 0.24, 0.1)  # m
TRUNK_MASS = 6.0  # kg
ALONG, ASIDE = 0.2, 0.12  # m, of the hips from the middle of the trunk
OUTWARD = 0.1  # m, of a leg from its hip
THIGH = SHANK = 0.2  # m
FOOT = 0.025  # m, radius
THIGH_MASS, SHANK_MASS, MOUNT_MASS = 0.6, 0.3, 0.4  # kg

FREQUENCY = 12.0  # rad/s
BEND, SWING, LIFT = 0.5, 0.12, 0.3  # rad: of the thigh at rest, its swing, of the lifted knee
STIFFNESS, DAMPING, STRENGTH = 300.0, 8.0, 30.0  # N m/rad, N m s/rad, N m
RISE = 0.5  # s, in which the machine begins to walk


def limb() -> Part:
    """A right leg that hangs straight: its hip is the origin, forward is x, the left is y."""
    return Part(
        name="limb",
        bodies=[
            Body(
                name="mount",
                mass=MOUNT_MASS,
                geometry=[Geometry(role="visual", shape="sphere", radius=0.04)],
            ),
            _rod("thigh", THIGH_MASS, THIGH, 0.0),
            _rod("shank", SHANK_MASS, SHANK, -THIGH, _foot()),
        ],
    )


def _rod(name: str, mass: float, length: float, top: float, *more: Geometry) -> Body:
    """A thin rod below its origin, at the height ``top``."""
    across = round(mass * length**2 / 12, 9)
    rod = Geometry(
        role="visual",
        shape="capsule",
        position=(0.0, 0.0, -length / 2),
        radius=0.02,
        height=length,
    )
    return Body(
        name=name,
        position=(0.0, -OUTWARD, top),
        mass=mass,
        center_of_mass=(0.0, 0.0, -length / 2),
        inertia=(across, across, round(across / 10, 9)),
        geometry=[rod, *more],
    )


def _foot() -> Geometry:
    place = (0.0, 0.0, -SHANK)
    return Geometry(name="foot", shape="sphere", position=place, radius=FOOT, material="rubber")


def leg(name: str, phase: str) -> Part:
    """A limb with servos in hip and knee; they count from the straight leg."""
    lift = f"max(0, -cos({FREQUENCY:g}*t{phase}))"
    start = f"(1 - exp(-(t/{RISE:g})**2))"
    hip = f"{start}*({-BEND:g} + {SWING:g}*sin({FREQUENCY:g}*t{phase}) - {LIFT / 2:g}*{lift})"
    knee = f"{start}*({2 * BEND:g} + {LIFT:g}*{lift})"
    bodies = [f"limb.{body}" for body in ("mount", "thigh", "shank")]
    return Part(
        name=name,
        uses=[Use(part="limb", name="limb")],
        joints=[
            _servo("hip", *bodies[:2], 0.0, hip),
            _servo("knee", *bodies[1:], -THIGH, knee),
        ],
    )


def _servo(name: str, above: str, below: str, height: float, target: str) -> Joint:
    return Joint(
        name=name,
        type="hinge",
        body1=above,
        body2=below,
        anchor=(0.0, -OUTWARD, height),
        axis=(0.0, 1.0, 0.0),
        motors=[
            Motor(
                kind="servo",
                expression=target,
                proportional=STIFFNESS,
                derivative=DAMPING,
                max_force=STRENGTH,
            )
        ],
    )


def trotter() -> Scene:
    """The machine on level ground, with straight legs."""
    height = round(THIGH + SHANK + FOOT, 9)
    uses = [
        Use(
            part="leading" if (x > 0) == (side == "right") else "following",
            name=f"{end}-{side}",
            position=(x, y, height),
            mirror="y" if side == "left" else "none",
        )
        for end, x in (("front", ALONG), ("rear", -ALONG))
        for side, y in (("right", -ASIDE), ("left", ASIDE))
    ]
    trunk = Body(
        name="trunk",
        position=(0.0, 0.0, height),
        mass=TRUNK_MASS,
        geometry=[Geometry(shape="box", size=TRUNK, material="rubber")],
    )
    ground = Body(
        name="ground", motion="static", geometry=[Geometry(shape="plane", material="rubber")]
    )
    return Scene(
        version=1,
        name="trotter",
        description="A four-legged machine trots. One leg is written as a part; the left ones are"
        " its mirror images.",
        settings=Settings(step=0.002, duration=4.0),
        materials=[Material(name="rubber", static_friction=0.8)],
        parts=[limb(), leg("leading", ""), leg("following", " + pi")],
        bodies=[ground, trunk],
        uses=uses,
        joints=[
            Joint(
                name=f"{use.name}-mount",
                type="fixed",
                body1="trunk",
                body2=f"{use.name}.limb.mount",
                anchor=use.position,
            )
            for use in uses
        ],
    )
