"""Point masses on massless rods of 1 m, as in Schmitt and Bender 2005."""

from __future__ import annotations

import math

from impulse_schema import Body, Geometry, Joint, Scene

__all__ = ["GRAVITY", "stretched_out", "swinging"]

GRAVITY = 9.81  # m/s²


def swinging(amplitude_degrees: float) -> Scene:
    """A pendulum at the bottom, with the speed that just carries it to the amplitude."""
    speed = math.sqrt(2.0 * GRAVITY * (1.0 - math.cos(math.radians(amplitude_degrees))))
    bob = _bob(1, (0.0, 0.0, -1.0))
    bob.velocity = (speed, 0.0, 0.0)
    return _scene(f"pendulum{amplitude_degrees:g}", [bob])


def stretched_out(masses: int) -> Scene:
    """Masses 1 m apart along x, at rest, the first 1 m from a fixed point."""
    bobs = [_bob(k, (float(k), 0.0, 0.0)) for k in range(1, masses + 1)]
    return _scene(f"pendulum-{masses}", bobs)


def _bob(k: int, position: tuple[float, float, float]) -> Body:
    """A mass of 1 kg; joints end in its centre, so its inertia does not matter."""
    look = Geometry(role="visual", shape="sphere", radius=0.1)
    return Body(name=f"bob{k}", position=position, mass=1.0, geometry=[look])


def _scene(name: str, bobs: list[Body]) -> Scene:
    joints = []
    before, start = "world", (0.0, 0.0, 0.0)
    for k, bob in enumerate(bobs, start=1):
        joints.append(
            Joint(
                name=f"rod{k}",
                type="distance",
                body1=before,
                body2=bob.name,
                anchor=start,
                anchor2=bob.position,
            )
        )
        before, start = bob.name, bob.position
    return Scene(version=1, name=name, bodies=bobs, joints=joints)
