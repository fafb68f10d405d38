"""Joint parts: directions are derivatives of the errors, and every action has its reaction."""

import numpy as np
import pytest

from impulse_core.geometry.rotations import multiplied
from impulse_core.joints.table import JOINT_PARTS
from impulse_core.model import copy_state
from impulse_schema.models import Joint
from tests.core.probes import Probe
from tests.core.scenes import NO_GRAVITY, box, random_tree, scene_of

TYPES = sorted(JOINT_PARTS)
AXIS, ANCHOR = (0.3, -0.5, 0.8), (0.4, 0.1, -0.2)
NORMAL2 = (0.5, 0.3, 0.0)  # perpendicular to AXIS
NEEDS_AXIS = {t for t in TYPES if t not in ("ball", "fixed", "orientation", "distance")}
ROWS = {
    "ball": 3,
    "hinge": 5,
    "universal": 4,
    "fixed": 6,
    "slider": 5,
    "cylindrical": 4,
    "screw": 5,
    "point-on-line": 2,
    "point-on-plane": 1,
    "planar": 3,
    "orientation": 3,
    "parallel-axes": 2,
    "distance": 1,
}


def two_bodies(kind, *, reverse=False):
    """Two turned boxes and one joint of this type, satisfied."""
    rng = np.random.default_rng(7)
    q = rng.normal(size=(2, 4))
    bodies = [
        box(name, place, orientation=tuple(turn / np.linalg.norm(turn)), mass=mass)
        for name, place, turn, mass in zip(
            "ab", [(0.0, 0.2, 0.1), (0.9, -0.1, -0.3)], q, (1.0, 2.5), strict=True
        )
    ]
    names = ("b", "a") if reverse else ("a", "b")
    joint = Joint(
        name="j",
        type=kind,
        body1=names[0],
        body2=names[1],
        anchor=None if kind in ("orientation", "parallel-axes") else ANCHOR,
        anchor2=(0.7, -0.2, 0.3) if kind == "distance" else None,
        axis=AXIS if kind in NEEDS_AXIS else None,
        axis2=NORMAL2 if kind == "universal" else None,
        pitch=0.7 if kind == "screw" else None,
    )
    return scene_of(bodies, [joint], gravity=NO_GRAVITY)


def displaced(state, body, direction, size):
    """The state with one body moved, or turned about a world axis."""
    moved = copy_state(state)
    if direction < 3:
        moved.bodies["position"][body, direction] += size
    else:
        turn = np.zeros(4)
        turn[0] = np.cos(size / 2.0)
        turn[direction - 2] = np.sin(size / 2.0)
        moved.bodies["orientation"][body] = multiplied(turn, state.bodies["orientation"][body])
    return moved


def test_the_whole_catalogue_is_tested():
    """Every type of the table removes the number of rows the catalogue says."""
    assert {kind: parts.rows for kind, parts in JOINT_PARTS.items()} == ROWS
    assert {kind: Probe(two_bodies(kind)).used.sum() for kind in TYPES} == ROWS


@pytest.mark.parametrize("kind", TYPES)
def test_start_pose_satisfies_the_joint(kind):
    """A joint given by anchors and axes in the world has no error at the start."""
    assert np.abs(Probe(two_bodies(kind)).errors()).max() <= 1e-15


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("reverse", [False, True], ids=["a-b", "b-a"])
def test_rows_are_derivatives_of_the_errors(kind, reverse):
    """G is the derivative of the error, by central differences, for both bodies.

    Distinguishes a moment arm that reaches to the wrong point, and a wrong sign, in every row.
    """
    probe = Probe(two_bodies(kind, reverse=reverse))
    G = probe.gradient()
    step = 1e-5

    for column in range(12):
        body, direction = divmod(column, 6)
        ahead = probe.errors(displaced(probe.state, body, direction, step))
        behind = probe.errors(displaced(probe.state, body, direction, -step))
        found = ((ahead - behind) / (2.0 * step))[probe.used]
        assert found == pytest.approx(G[:, column], abs=1e-9)


@pytest.mark.parametrize("kind", TYPES)
def test_rows_are_derivatives_after_sliding_and_turning(kind):
    """The same in a pose that the joint allows but that is far from the start.

    Bodies are moved by ten finite steps along the null space of G, pulled back by Newton steps.
    """
    probe = Probe(two_bodies(kind))
    rng = np.random.default_rng(3)
    wish = rng.normal(size=12)
    for _ in range(10):
        G = probe.gradient()
        allowed = wish - np.linalg.pinv(G) @ (G @ wish)
        move_bodies(probe.state, 0.05 * allowed)
        for _ in range(4):
            move_bodies(probe.state, -np.linalg.pinv(probe.gradient()) @ probe.errors()[probe.used])
    assert np.abs(probe.errors()).max() <= 1e-13
    G, step = probe.gradient(), 1e-5

    for column in range(12):
        body, direction = divmod(column, 6)
        ahead = probe.errors(displaced(probe.state, body, direction, step))
        behind = probe.errors(displaced(probe.state, body, direction, -step))
        found = ((ahead - behind) / (2.0 * step))[probe.used]
        assert found == pytest.approx(G[:, column], abs=1e-8)


def move_bodies(state, moves):
    """Shift and turn all bodies in place by a vector like a column of G."""
    for body in range(len(moves) // 6):
        shift, turn = moves[6 * body : 6 * body + 3], moves[6 * body + 3 : 6 * body + 6]
        angle = np.linalg.norm(turn)
        axis = turn / angle if angle else turn
        quaternion = np.array([np.cos(angle / 2.0), *(np.sin(angle / 2.0) * axis)])
        state.bodies["position"][body] += shift
        state.bodies["orientation"][body] = multiplied(
            quaternion, state.bodies["orientation"][body]
        )


@pytest.mark.parametrize("kind", TYPES)
def test_action_is_reaction(kind):
    """Impulses of a joint leave total linear and angular momentum as they are, to round-off.

    The bodies start 1 cm and 0.01 rad out of the joint: the rule holds there too.
    """
    probe = Probe(two_bodies(kind))
    rng = np.random.default_rng(5)
    move_bodies(probe.state, 0.01 * rng.normal(size=12))
    impulse = np.where(probe.used, rng.normal(size=probe.used.shape), 0.0)

    before = momenta(probe)
    probe.apply(impulse)
    after = momenta(probe)

    assert np.abs(probe.state.bodies["velocity"][:2]).max() > 0.05 or kind in (
        "orientation",
        "parallel-axes",
    )
    assert np.abs(probe.state.bodies["angular_momentum"][:2]).max() > 0.02
    assert after == pytest.approx(before, abs=2e-15)


def momenta(probe):
    """Total linear and angular momentum about the origin, shape (6,)."""
    m, s = probe.model.bodies["mass"][:-1, None], probe.state
    linear = m * s.bodies["velocity"][:-1]
    angular = np.cross(s.bodies["position"][:-1], linear) + s.bodies["angular_momentum"][:-1]
    return np.concatenate([linear.sum(axis=0), angular.sum(axis=0)])


@pytest.mark.parametrize("kind", TYPES)
def test_impulses_are_the_transpose_of_the_rates(kind):
    """apply_impulses changes momenta by Gᵀλ with the same G that gives the rates."""
    probe = Probe(two_bodies(kind))
    G = probe.gradient()
    impulse = np.random.default_rng(6).normal(size=probe.used.shape) * probe.used
    expected = (G.T @ impulse[probe.used]).reshape(2, 6)

    probe.apply(impulse)

    assert probe.state.bodies["velocity"][:2] * probe.model.bodies["mass"][
        :2, None
    ] == pytest.approx(expected[:, :3], abs=1e-14)
    assert probe.state.bodies["angular_momentum"][:2] == pytest.approx(expected[:, 3:], abs=1e-14)


def test_the_world_takes_no_impulse():
    """Joints to the world leave its row at rest, whatever impulse they carry."""
    probe = Probe(random_tree(np.random.default_rng(0), 6))
    probe.apply(np.where(probe.used, 1.0, 0.0))

    assert not probe.state.bodies["velocity"][-1].any()
    assert not probe.state.bodies["angular_momentum"][-1].any()


def test_opposed_axes_are_no_solution_of_a_hinge():
    """a1 × a2 also vanishes where the axes are opposed: the error there is huge, not zero."""
    probe = Probe(two_bodies("hinge"))
    across = np.cross(AXIS, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)

    probe.state.bodies["orientation"][1] = multiplied(
        np.array([0.0, *across]), probe.state.bodies["orientation"][1]
    )

    assert np.abs(probe.errors()[0, 3:]).max() > 1.0


def test_nan_is_the_worst_error():
    """A NaN position makes the largest error infinite and names the joint, so steps must fail."""
    probe = Probe(random_tree(np.random.default_rng(2), 4, types=("ball",)))
    probe.state.bodies["position"][2] = np.nan
    _, _, worst, joint = probe.look()

    assert not worst < 1e6
    assert 2 in (probe.model.joints["body1"][joint], probe.model.joints["body2"][joint])
