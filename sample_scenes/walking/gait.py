"""The leg of the walking machine as a plane mechanism, and the gait of its servo.

Plane coordinates: x forward, z up, the hip at the origin. The angle of a crank is that of its
servo, counted from the crank hanging down; where it grows, a foot on the ground strides back.
"""

from __future__ import annotations

import math

Pair = tuple[float, float]

CRANK = 0.07  # m, from the hip to the crank pin
GUIDE = 0.2  # m, of the swivel above the hip
LEG = 0.42  # m, from the crank pin to the middle of the foot
FOOT = 0.03  # m, radius

PERIOD = 1.3  # s of a gait
START_UP = 0.3  # s in which the gait gets going
# The servo turns evenly but for these sines of the phase and its multiples. A foot is on the ground
# for half of the period, while the crank turns from -45 to 45 degrees; there it moves evenly, to
# within a tenth of its mean speed.
HARMONICS = (-0.8124, 0.1802, -0.0272)  # rad


def crank_angle(phase: float) -> float:
    """Of the servo [rad] at a phase of the gait [rad]; at 0 the leg is in mid-stance."""
    return phase + sum(a * math.sin(k * phase) for k, a in enumerate(HARMONICS, start=1))


def crank_pin(angle: float) -> Pair:
    """Where the crank pin is [m]."""
    return (-CRANK * math.sin(angle), -CRANK * math.cos(angle))


def along_leg(angle: float) -> Pair:
    """Unit vector from the swivel to the crank pin, in which direction the foot is too."""
    x, z = crank_pin(angle)
    length = math.hypot(x, z - GUIDE)
    return (x / length, (z - GUIDE) / length)


def foot(angle: float) -> Pair:
    """Where the middle of the foot is [m]."""
    pin, along = crank_pin(angle), along_leg(angle)
    return (pin[0] + LEG * along[0], pin[1] + LEG * along[1])


def stride() -> float:
    """How far a foot on the ground moves back against the body [m]: half of a period's way."""
    return foot(crank_angle(-math.pi / 2))[0] - foot(crank_angle(math.pi / 2))[0]


def servo_expression(start: float) -> str:
    """Target of a servo [rad from its start pose] whose leg starts at this phase [rad]."""
    progress = f"{2 * math.pi / PERIOD:.12g}*(t - {START_UP:g}*(1 - exp(-t/{START_UP:g})))"
    sines = "".join(
        f" + {a:g}*sin({k}*({start:.12g} + {progress}))" for k, a in enumerate(HARMONICS, start=1)
    )
    return f"{progress}{sines} - {crank_angle(start) - start:.12g}".replace("+ -", "- ").replace(
        "- -", "+ "
    )


def servo_target(time: float, start: float) -> float:
    """What ``servo_expression`` says at a time [s]."""
    progress = 2 * math.pi / PERIOD * (time - START_UP * (1 - math.exp(-time / START_UP)))
    return crank_angle(start + progress) - crank_angle(start)
