"""A small wheel whose servo turns it steadily against a large load."""

from __future__ import annotations

from impulse_schema import Body, Geometry, Joint, Load, Motor, Scene, Settings

SPEED = 3.0  # rad/s
TORQUE = 12.0  # N m
INERTIA = 5e-4  # kg m²


def loaded_servo() -> Scene:
    """In each second the servo takes TORQUE times SPEED from the load, 36 J."""
    wheel = Body(
        name="wheel",
        mass=0.3,
        inertia=(INERTIA / 2, INERTIA / 2, INERTIA),
        angular_velocity=(0.0, 0.0, SPEED),
        geometry=[Geometry(role="visual", shape="cylinder", radius=0.06, height=0.02)],
    )
    motor = Motor(kind="servo", expression=f"{SPEED:g}*t", proportional=2000.0, derivative=40.0)
    shaft = Joint(
        name="shaft",
        type="hinge",
        body2="wheel",
        anchor=(0.0, 0.0, 0.0),
        axis=(0.0, 0.0, 1.0),
        motors=[motor],
    )
    return Scene(
        version=1,
        name="loaded-servo",
        description="A servo keeps a small wheel from turning faster under a large torque.",
        settings=Settings(gravity=(0.0, 0.0, 0.0), step=0.01, duration=2.0),
        bodies=[wheel],
        joints=[shaft],
        loads=[Load(body="wheel", torque=(0.0, 0.0, TORQUE))],
    )
