"""The bias Ġ v of parts and couplings is the derivative of G v at constant velocities."""

import numpy as np
import pytest

from impulse_core.algebra import Quat, Vec3, rotation_of
from impulse_core.jit import kernel
from impulse_core.joints.table import JOINT_PARTS
from impulse_core.model import copy_state
from impulse_core.observables.accelerations import joint_accelerations
from impulse_schema.models import Joint
from tests.core.probes import Probe
from tests.core.scenes import box, scene_of

WITHOUT_AXIS = ("ball", "fixed", "distance", "orientation")


@kernel
def _biases(model, state, still, work):
    """Accelerations of all joints, couplings too, while no body accelerates, into work.error."""
    joint_accelerations(model, state, still, work)


class Moving(Probe):
    """Two bodies with a joint between them and one to the world, at open joints, moving anyhow."""

    def __init__(self, kind, seed):
        rng = np.random.default_rng(seed)
        axis = None if kind in WITHOUT_AXIS else (0.3, -0.5, 1.0)
        joints = [
            Joint(
                name=f"{first}-{second}",
                type=kind,
                body1=first,
                body2=second,
                anchor=None if kind in ("orientation", "parallel-axes") else (0.4, 0.1, z),
                anchor2=(0.2, 0.3, z + 0.8) if kind == "distance" else None,
                axis=axis,
                axis2=(1.0, 0.6, 0.0) if kind == "universal" else None,
                pitch=0.7 if kind == "screw" else None,
            )
            for z, (first, second) in enumerate([("a", "b"), ("b", "world"), ("world", "a")])
        ]
        bodies = [
            box("a", (0.0, 0.0, 0.0), orientation=(0.8, 0.0, 0.6, 0.0)),
            box("b", (0.5, 0.2, 0.7), orientation=(0.6, 0.8, 0.0, 0.0)),
        ]
        super().__init__(scene_of(bodies, joints))
        self.velocity = rng.normal(size=(2, 3))
        self.spin = 3.0 * rng.normal(size=(2, 3))
        self.state.bodies["position"][:2] += 0.05 * rng.normal(size=(2, 3))
        self.shift(0.1)
        self.start = copy_state(self.state)

    def shift(self, time):
        """Move on with constant velocities and constant angular velocities."""
        for i in range(2):
            turn = rotation_of(Vec3(*(time * self.spin[i])))
            self.state.bodies["position"][i] += time * self.velocity[i]
            self.state.bodies["orientation"][i] = turn * Quat(*self.state.bodies["orientation"][i])
            self.state.bodies["velocity"][i] = self.velocity[i]
            self.state.bodies["angular_momentum"][i] = self.world_inertia(i) @ self.spin[i]

    def rates_after(self, time):
        for array, value in zip(self.state, self.start, strict=True):
            array[:] = value
        self.shift(time)
        return self.rates().copy()

    def biases(self):
        self.rates_after(0.0)
        still = copy_state(self.state)
        still.bodies["velocity"] = 0.0
        self.work.next["position"] = 0.0
        _biases(self.model, self.state, still, self.work)
        return np.where(self.used, self.work.error, 0.0)


@pytest.mark.parametrize("kind", JOINT_PARTS)
@pytest.mark.parametrize("seed", range(3))
def test_bias_is_the_derivative_of_the_rates(kind, seed):
    """Central differences of fourth order of G v agree, at open joints, to round-off of theirs."""
    moving = Moving(kind, seed)
    size = 4e-4

    def difference(time):
        return moving.rates_after(time) - moving.rates_after(-time)

    slope = (8.0 * difference(size) - difference(2.0 * size)) / (12.0 * size)

    found = moving.biases()
    assert kind in ("fixed", "orientation") or np.abs(found).max() > 0.1
    assert found == pytest.approx(slope, abs=1e-7)
