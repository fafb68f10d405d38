"""A bicycle that nobody steers balances as its equations of motion say.

The benchmark of Meijaard, Papadopoulos, Ruina and Schwab 2007, Linearized dynamics equations for
the balance and steer of a bicycle: a review and benchmark, tables 1 and 2 and equation 5.3: a frame
with its rider, a fork, and two wheels that roll without slip on knife edges.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Material, Settings

G = 9.81  # m/s²
BASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10.0  # m, m, rad: wheelbase, trail, steer axis
FPS = 100
UPRIGHT = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # a wheel that turns about y


def eigenvalues_in_theory(speed):
    """Of M q̈ + v C q̇ + (g K₀ + v² K₂) q = 0 with the lean and the steer angle, in order [1/s]."""
    M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
    C = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
    stiffness, damping = G * K0 + speed**2 * K2, speed * C
    rates = -np.linalg.solve(M, np.hstack([stiffness, damping]))
    return np.sort_complex(np.linalg.eigvals(np.vstack([np.eye(4)[2:], rates])))


def bicycle(speed, thickness):
    """It rolls along x and is given a small rate of lean; wheels have round edges."""
    lean = 0.02  # rad/s

    def part(name, x, z, mass, inertia, **given):
        spin = given.pop("spin", 0.0)
        return Body(
            name=name,
            position=(x, 0.0, z),
            mass=mass,
            inertia=inertia,
            velocity=(speed, -lean * z, 0.0),
            angular_velocity=(lean, spin, 0.0),
            **given,
        )

    def wheel(name, x, radius, mass, across, about):
        ring = Geometry(
            shape="torus",
            major_radius=radius - thickness,
            minor_radius=thickness,
            orientation=UPRIGHT,
            material="rough",
        )
        inertia = (across, about, across)
        return part(name, x, radius, mass, inertia, spin=speed / radius, geometry=[ring])

    plane = Geometry(shape="plane", material="rough")
    bodies = [
        Body(name="ground", motion="static", geometry=[plane]),
        wheel("rear wheel", 0.0, 0.3, 2.0, 0.0603, 0.12),
        part("frame", 0.3, 0.9, 85.0, (9.2, 11.0, 2.8, 0.0, -2.4, 0.0)),
        part("fork", 0.9, 0.7, 4.0, (0.05892, 0.06, 0.00708, 0.0, 0.00756, 0.0)),
        wheel("front wheel", BASE, 0.35, 3.0, 0.1405, 0.28),
    ]
    steer = (-math.sin(TILT), 0.0, math.cos(TILT))
    hinges = [
        ("frame", "rear wheel", (0.0, 0.0, 0.3), (0.0, 1.0, 0.0)),
        ("frame", "fork", (BASE + TRAIL, 0.0, 0.0), steer),
        ("fork", "front wheel", (BASE, 0.0, 0.35), (0.0, 1.0, 0.0)),
    ]
    joints = [
        Joint(name=f"{a} {b}", type="hinge", body1=a, body2=b, anchor=anchor, axis=axis)
        for a, b, anchor, axis in hinges
    ]
    return Scene(
        version=1,
        settings=Settings(step=0.005, duration=1.5, fps=FPS),
        materials=[Material(name="rough", static_friction=1.5)],
        bodies=bodies,
        joints=joints,
    )


def eigenvalues(speed, thickness):
    """Of a run, in order [1/s]: of the linear recurrence by which lean and steer angles follow from
    those of two frames before.
    """
    recording = impulse_core.simulate(bicycle(speed, thickness))
    energy = recording.diagnostics["energy_j"]
    assert abs(energy["dissipated"]) < 1e-5 * energy["initial"]
    frame, fork = (recording.body_names.index(name) for name in ("frame", "fork"))
    q, p = recording.orientations[:, frame], recording.orientations[:, fork]
    lean = np.arcsin(2.0 * (q[:, 2] * q[:, 3] + q[:, 0] * q[:, 1]))
    turn = q[:, 0] * p[:, 3] - p[:, 0] * q[:, 3] - (q[:, 1] * p[:, 2] - q[:, 2] * p[:, 1])
    angles = np.stack([lean, turn], axis=1)[5:]
    angles /= angles.std(axis=0)
    given = np.hstack([angles[1:-1], angles[:-2]])
    next_ones = np.linalg.lstsq(given, angles[2:], rcond=None)[0].T
    of_a_frame = np.linalg.eigvals(np.vstack([next_ones, np.eye(4)[:2]]))
    return np.sort_complex(FPS * np.log(of_a_frame.astype(complex)))


@pytest.mark.parametrize("speed", [4.0, 5.0, 6.0, 6.7])
def test_a_bicycle_weaves_and_capsizes_as_fast_as_theory_says(speed):
    """Knife edges are wheels of no thickness: two thicknesses lead there. At 4 m/s weaving grows,
    at 6.7 m/s it falls over slowly, between 4.3 and 6 m/s it balances itself.
    """
    thick, thin = eigenvalues(speed, 0.005), eigenvalues(speed, 0.0025)
    theory = eigenvalues_in_theory(speed)
    assert np.abs(2.0 * thin - thick - theory).max() < 5e-3 * np.abs(theory).max()
    assert np.abs(2.0 * thin - thick - theory)[1:].max() < 8e-3
