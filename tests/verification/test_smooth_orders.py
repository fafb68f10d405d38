"""Orders of methods with what acts smoothly along free axes, against exact or other solutions.

Springs, dampers, servos, motors, rotors, couplings and damped turning keep the order of the
compositions and of lmvd8; references are closed forms and SciPy's integration of minimal
coordinates to 1e-13.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import impulse_core as ic
from impulse_schema.models import CouplingTerm, Joint, Motor, Spring, SpringDamper
from tests.core.machines import MASS, arm, sled
from tests.core.scenes import NO_GRAVITY, box, scene_of

G = 9.81
PUSH, CRANK = "sin(2*t+1)", "2*sin(3*t)+0.5"
P, I, D = 40.0, 20.0, 4.0  # gains of the servo
TWIST = np.array([2.0, 3.0, -1.0])  # of the body on a ball
MOMENT = 0.1  # of a bar of the arm about its middle [kg m²]


def integrated(rates, start):
    """The solution of an ODE at 1 s."""
    return solve_ivp(rates, (0.0, 1.0), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]


def place(run):
    return run.positions[-1, 0]


def sprung():
    return sled(1.0, springs=[Spring(stiffness=30.0, damping=1.5)])


def sprung_end():
    decay, square = 1.5 / (2.0 * MASS), 30.0 / MASS
    swing = math.sqrt(square - decay**2)
    return (math.exp(-decay) * math.sin(swing) / swing, 0.0, 0.0)


def served():
    servo = Motor(kind="servo", expression="0.5*sin(3*t)", proportional=P, integral=I, derivative=D)
    return sled(0.3, motors=[servo])


def served_end():
    def rates(t, y):
        error = 0.5 * math.sin(3.0 * t) - y[0]
        force = P * error + I * y[2] + D * (1.5 * math.cos(3.0 * t) - y[1])
        return [y[1], force / MASS, error]

    return (integrated(rates, [0.0, 0.3, 0.0])[0], 0.0, 0.0)


def pushed():
    return sled(motors=[Motor(kind="force", expression=PUSH)], springs=[Spring(damping=2.0)])


def pushed_end():
    def rates(t, y):
        return [y[1], (math.sin(2.0 * t + 1.0) - 2.0 * y[1]) / MASS]

    return (integrated(rates, [0.0, 0.0])[0], 0.0, 0.0)


def with_rotor():
    return sled(0.7, armature=1.3, springs=[Spring(stiffness=50.0)])


def with_rotor_end():
    swing = math.sqrt(50.0 / (MASS + 1.3))
    return (0.7 / swing * math.sin(swing), 0.0, 0.0)


def hung():
    """A box on a damped cord, which turns and swings."""
    scene = scene_of([box("b", (0.3, 0.2, -1.0), velocity=(0.5, 0.0, 0.2))])
    cord = SpringDamper(
        body2="b", anchor=(0, 0, 0), anchor2=(0.3, 0.2, -1.0), stiffness=40.0, damping=3.0,
        rest_length=0.8,
    )  # fmt: skip
    scene.springs = [cord]
    return scene


def hung_end():
    def rates(_, y):
        length = np.linalg.norm(y[:3])
        along = y[:3] / length
        force = -(40.0 * (length - 0.8) + 3.0 * along @ y[3:]) * along
        return np.concatenate([y[3:], force - [0.0, 0.0, G]])

    return integrated(rates, [0.3, 0.2, -1.0, 0.5, 0.0, 0.2])[:3]


def geared():
    """Two bars whose hinges turn by 2φ and φ, with a rotor at each."""
    bodies, joints = arm([1.0, 0.7], armature=0.3)
    terms = [CouplingTerm(joint="j0", coefficient=1.0), CouplingTerm(joint="j1", coefficient=-2.0)]
    joints.append(Joint(name="gear", type="coupling", terms=terms))
    return scene_of(bodies, joints)


def geared_end():
    def rates(_, y):
        phi, rate = y
        inertia = 4.0 * (0.25 + MOMENT + 0.3) + 0.7 * (6.25 + 6.0 * math.cos(phi))
        inertia += 9.0 * MOMENT + 0.3
        slope = -0.7 * 6.0 * math.sin(phi)
        weight = G * (math.cos(2 * phi) + 0.7 * (2 * math.cos(2 * phi) + 1.5 * math.cos(3 * phi)))
        return [rate, (weight - 0.5 * slope * rate**2) / inertia]

    phi = integrated(rates, [0.0, 0.0])[0]
    return (0.5 * math.cos(2 * phi), 0.0, -0.5 * math.sin(2 * phi))


def cranked():
    """A bar that is turned as prescribed, with another that swings at its end."""
    bodies, joints = arm([1.0, 1.0])
    joints[0].motors = [Motor(kind="velocity", expression=CRANK)]
    return scene_of(bodies, joints)


def crank(t):
    """Its angle, rate and angular acceleration."""
    turn = 2.0 / 3.0 * (1.0 - math.cos(3.0 * t)) + 0.5 * t
    return turn, 2.0 * math.sin(3.0 * t) + 0.5, 6.0 * math.cos(3.0 * t)


def cranked_end():
    def rates(t, y):
        a, u, acceleration = crank(t)
        inward = acceleration * math.cos(y[0] - a) + u**2 * math.sin(y[0] - a)
        return [y[1], 0.5 * (G * math.cos(y[0]) - inward) / (0.25 + MOMENT)]

    # the crank jumps to its rate, and the bar keeps its momentum about the pin between them
    start = -0.5 * 0.5 / (0.25 + MOMENT)
    a, b = crank(1.0)[0], integrated(rates, [0.0, start])[0]
    return (0.5 * math.cos(b) + math.cos(a), 0.0, -math.sin(a) - 0.5 * math.sin(b))


def twisted():
    """A body on a damped ball joint at its centre of mass, which tumbles to rest."""
    body = box("b", (0.0, 0.0, 0.0), size=(0.6, 0.9, 1.3), angular_velocity=tuple(TWIST))
    ball = Joint(name="ball", type="ball", body2="b", anchor=(0, 0, 0), damping=0.2)
    return scene_of([body], [ball], gravity=NO_GRAVITY)


def twisted_end():
    """The orientation, as its quaternion's vector part."""
    x, y, z = 0.36, 0.81, 1.69
    inertia = np.array([y + z, x + z, x + y]) / 12.0

    def rates(_, y):
        w, v, spin = y[0], y[1:4], y[4:]
        turn = -np.cross(spin, inertia * spin) - 0.2 * spin
        return np.concatenate(
            [[-0.5 * v @ spin], 0.5 * (w * spin + np.cross(v, spin)), turn / inertia]
        )

    return integrated(rates, [1.0, 0.0, 0.0, 0.0, *TWIST])[1:4]


def orientation(run):
    return run.orientations[-1, 0, 1:]


def second_place(run):
    return run.positions[-1, 1]


MACHINES = {
    "spring and damper": (sprung, sprung_end, place),
    "servo": (served, served_end, place),
    "force motor against a damper": (pushed, pushed_end, place),
    "rotor": (with_rotor, with_rotor_end, place),
    "damped cord": (hung, hung_end, place),
    "coupling and rotors": (geared, geared_end, place),
    "velocity motor": (cranked, cranked_end, second_place),
    "damped ball": (twisted, twisted_end, orientation),
}
STEPS = {"imp4": 0.04, "imp6": 0.05, "imp8": 0.1, "lmvd4": 0.02, "lmvd8": 0.125}
ROUND_OFF = 1e-12  # velocities begin with a relative error of as much


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("method", STEPS)
def test_order(name, method):
    """Half the step has an error smaller by two to the order of the method."""
    build, exact, read = MACHINES[name]
    end, step = exact(), STEPS[method]

    def error(h):
        run = ic.simulate(build(), duration=1.0, method=method, step=h, fps=1.0, tolerance=1e-14)
        return np.abs(read(run) - end).max()

    coarse, fine = error(step), error(step / 2)
    assert fine < 1e-5
    assert fine < ROUND_OFF or math.log2(coarse / fine) > int(method[-1]) - 0.6
