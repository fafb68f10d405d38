"""Tables whose hinges rub and feet resist rolling come to rest. All their legs bend in one
direction, so that across it they are rigid: what closes the gap at one foot opens that at another.
"""

from __future__ import annotations

import numpy as np
import pytest

from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Material
from tests.contact.scenes import rubbing_hinge, scene
from tests.contact.test_to_and_fro import G, naps

FOOT = 0.07  # radius of the feet over the height


def table(
    step: float,
    height: float = 0.3,
    mass: float = 5.0,
    long: float = 0.63,
    wide: float = 0.43,
    off: tuple[float, float] = (0.067, 0.0067),
    gain: float = 6.8,
    rub: float = 0.0136,
    grip: float = 0.8,
) -> Scene:
    """A top on four legs of a thigh and a calf each, held by servos that bend them a little.

    Args:
        step: Length [s].
        height: Of the hips [m]. What follows is in such lengths.
        mass: Of the top [kg]; a thigh has a fifth of it, a calf a fifth of that.
        long, wide: From the middle to the legs, along and across the way in which they bend.
        off: Centre of mass of the top from the middle.
        gain: Of the servos, in weights of the top times the height.
        rub: Dry friction of hips and knees, likewise.
        grip: Coefficient of friction of the feet.
    """
    torque, limb = mass * G * height, 0.43 * height
    hinges, bodies = [], []
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        at = x * long * height, y * wide * height
        before = "top"
        for name, middle, hinge, part in (("thigh", 0.75, 1.0, 0.2), ("calf", 0.285, 0.5, 0.04)):
            inertia = part * mass * limb * limb / 12.0
            body = Body(
                name=f"{name}-{k}",
                mass=part * mass,
                inertia=(inertia, inertia, 0.1 * inertia),
                position=(*at, middle * height),
            )
            if name == "calf":
                low = (0.0, 0.0, (FOOT - middle) * height)
                body.geometry = [
                    Geometry(shape="sphere", radius=FOOT * height, position=low, material="rubber")
                ]
            hinges.append(
                rubbing_hinge(
                    f"{name}-{k}",
                    (before, body.name),
                    (*at, hinge * height),
                    (0.0, 1.0, 0.0),
                    stiffness=gain * torque,
                    damping=0.02 * gain * torque,
                    friction=rub * torque,
                    target=0.05,
                )
            )
            bodies.append(body)
            before = body.name
    top = Body(
        name="top",
        position=(0.0, 0.0, height),
        mass=mass,
        center_of_mass=(off[0] * height, off[1] * height, 0.0),
        inertia=tuple(mass * height * height * np.array((0.04, 0.14, 0.16))),
    )
    rubber = Material(name="rubber", static_friction=grip, rolling_friction=0.033 * height)
    found = scene(top, *bodies, materials=(rubber,), step=step)
    found.joints.extend(hinges)
    return found


@pytest.mark.parametrize("step", [0.0035, 0.004, 0.0045, 0.005])
def test_a_table_comes_to_rest(step):
    """It crept at 1e-7 m/s for ever, to close gaps that are less than joints may be open."""
    assert naps(table(step)) >= 0.9


@pytest.mark.parametrize("seed", range(200, 224))
def test_drawn_tables_come_to_rest(seed):
    """Of any size, mass, friction and step, and whether or not it stands evenly."""
    rng = np.random.default_rng(seed)
    found = table(
        step=rng.uniform(0.001, 0.006),
        height=10.0 ** rng.uniform(-1.0, 0.3),
        mass=10.0 ** rng.uniform(-1.0, 2.0),
        long=rng.uniform(0.3, 1.0),
        wide=rng.uniform(0.3, 1.0),
        off=(rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1)),
        gain=rng.uniform(4.0, 10.0),
        rub=rng.uniform(0.005, 0.05),
        grip=rng.uniform(0.4, 1.0),
    )

    assert naps(found) >= 0.9
