"""The sample mechanisms move as their one degree of freedom says, to the accuracy of imp8."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import impulse_core
from impulse_core.geometry.rotations import conjugated, multiplied, rotated
from impulse_core.recording import Recording
from impulse_schema import load_scene
from tests.samples.one_freedom import OneFreedom, about_y

MECHANISMS = Path(__file__).resolve().parents[2] / "sample_scenes" / "mechanisms"
sys.path.insert(0, str(MECHANISMS))

from bricard import START_ANGLE, hinge_lines, tetrahedron  # noqa: E402
from scissor_lift import scissor_lift as lift  # noqa: E402
from scissor_lift import scissor_mast  # noqa: E402

G = 9.81


def simulate(name: str, **options) -> Recording:
    return impulse_core.simulate(load_scene(MECHANISMS / f"{name}.xml"), **options)


def bar(mass: float, length: float, thickness: float) -> tuple[float, np.ndarray]:
    """Mass and second moments of a square bar along its x axis."""
    return mass, mass / 12 * np.diag([length**2, thickness**2, thickness**2])


def upright(centers: list[tuple[float, float]], angles: list[float]):
    """Poses in the x-z plane as OneFreedom.pose returns them."""
    positions = np.array([(x, 0.0, z) for x, z in centers])
    return positions, np.array([about_y(angle) for angle in angles])


def largest_distance(recording: Recording, mechanism: OneFreedom, s: np.ndarray, names) -> float:
    """Largest distance of a centre of mass or of a point 1 m away from it on any frame [m]."""
    worst = 0.0
    columns = [recording.body_names.index(name) for name in names]
    start = mechanism.pose(s[0])[1]
    for frame, value in enumerate(s):
        positions, rotations = mechanism.pose(value)
        worst = max(worst, np.abs(recording.positions[frame, columns] - positions).max())
        for column, now, then in zip(columns, rotations, start, strict=True):
            turned = multiplied(
                recording.orientations[frame, column],
                conjugated(recording.orientations[0, column]),
            )
            wanted = now @ then.T
            found = np.array([rotated(turned, axis) for axis in np.eye(3)]).T
            worst = max(worst, np.abs(found - wanted).max())
    return worst


def four_bar() -> OneFreedom:
    """The redundant parallelogram by the angle of its crank."""
    bodies = [bar(6.0, 1.0, 0.1), bar(12.0, 2.0, 0.1), bar(6.0, 1.0, 0.1)]

    def pose(s):
        c, z = np.cos(s), np.sin(s)
        return upright([(c / 2, z / 2), (1 + c, z), (2 + c / 2, z / 2)], [s, 0.0, s])

    return OneFreedom(
        np.array([m for m, _ in bodies]),
        np.array([moments for _, moments in bodies]),
        pose,
        lambda s: 18.0 * G * np.sin(s),
        (0.0, 2 * np.pi),
        periodic=True,
        degree=40,
    )


def swinging_four_bar() -> OneFreedom:
    """Crank 1 m, coupler 1.8 m, rocker 1.3 m, base 2 m, open downwards, by the crank's angle."""
    lengths = (1.0, 1.8, 1.3)
    bodies = [bar(6.0 * length, length, 0.1) for length in lengths]

    def pose(s):
        A, C = np.array([np.cos(s), np.sin(s)]), np.array([2.0, 0.0])
        gap = np.linalg.norm(C - A)
        along = (gap**2 + 1.8**2 - 1.3**2) / (2 * gap)
        e = (C - A) / gap
        B = A + along * e + np.sqrt(1.8**2 - along**2) * np.array([e[1], -e[0]])
        angles = [s, np.arctan2(*(B - A)[::-1]), np.arctan2(*(B - C)[::-1])]
        return upright([tuple(A / 2), tuple((A + B) / 2), tuple((C + B) / 2)], angles)

    masses = np.array([m for m, _ in bodies])
    return OneFreedom(
        masses,
        np.array([moments for _, moments in bodies]),
        pose,
        lambda s: G * masses @ pose(s)[0][:, 2],
        (np.radians(-180.0), np.radians(-15.0)),
        degree=80,
    )


def slider_crank() -> OneFreedom:
    """Crank 0.5 m, rod 1.5 m and block, by the angle of the crank."""
    bodies = [bar(3.0, 0.5, 0.1), bar(6.0, 1.5, 0.08), (8.0, 8.0 / 12 * 0.3**2 * np.eye(3))]

    def pose(s):
        x, z = 0.5 * np.cos(s), 0.5 * np.sin(s)
        reach = np.sqrt(1.5**2 - z**2)
        centers = [(x / 2, z / 2), (x + reach / 2, z / 2), (x + reach, 0.0)]
        return upright(centers, [s, -np.arcsin(z / 1.5), 0.0])

    return OneFreedom(
        np.array([m for m, _ in bodies]),
        np.array([moments for _, moments in bodies]),
        pose,
        lambda s: 9.0 * G * 0.25 * np.sin(s),
        (0.0, 2 * np.pi),
        periodic=True,
        degree=80,
    )


def scissor_lift(stages: int = 8) -> OneFreedom:
    """The lift by the angle of its bars; two constant loads have potentials of their own."""
    bodies = [bar(2.0, 1.0, 0.06)] * (2 * stages) + [(20.0, np.diag([20 / 12, 0.6, 0.05 / 12]))]
    share = (2.0 * stages**2 + 20.0 * stages) * G  # d(potential)/d(rise of one stage)

    def pose(s):
        width, rise = np.cos(s), np.sin(s)
        centers = [(width / 2, (i + 0.5) * rise) for i in range(stages) for _ in range(2)]
        return upright([*centers, (0.5, stages * rise)], [s, -s] * stages + [0.0])

    return OneFreedom(
        np.array([m for m, _ in bodies]),
        np.array([moments for _, moments in bodies]),
        pose,
        lambda s: -share * np.sin(s) - share * np.cos(s),
        (np.radians(20.0), np.radians(70.0)),
        degree=60,
    )


def universal_shaft() -> OneFreedom:
    """Three shafts by the angle of the first; tan(middle) = cos(bend) tan(input)."""
    bend = np.radians(30.0)
    volumes = np.pi * 0.05**2 * np.array([1.0, 1.2, 1.0])
    spinning = 7800.0 * volumes * 0.05**2 / 4  # Σ across the axis
    headings = (0.0, bend, 0.0)

    def pose(s):
        middle = np.arctan2(np.cos(bend) * np.sin(s), np.cos(s))
        rotations = []
        for heading, angle in zip(headings, (s, middle, s), strict=True):
            c, d, e, f = np.cos(heading), np.sin(heading), np.cos(angle), np.sin(angle)
            turn = np.array([[c, -d, 0.0], [d, c, 0.0], [0.0, 0.0, 1.0]])
            rotations.append(turn @ np.array([[1.0, 0.0, 0.0], [0.0, e, -f], [0.0, f, e]]))
        x, y = 1.2 * np.cos(bend), 1.2 * np.sin(bend)
        return np.array([(-0.5, 0, 0), (x / 2, y / 2, 0), (x + 0.5, y, 0)]), np.array(rotations)

    return OneFreedom(
        7800.0 * volumes,
        np.array([np.diag([0.0, across, across]) for across in spinning]),
        pose,
        lambda _: 0.0,
        (0.0, 2 * np.pi),
        periodic=True,
        degree=90,
    )


def bricard() -> OneFreedom:
    """The ring seen from its first link, by the angle of the even axes in the symmetric pose."""
    points, directions = hinge_lines(START_ANGLE)
    corners = np.array([tetrahedron(points, directions, k) for k in range(1, 6)])
    centers = corners.mean(axis=1)
    about_center = corners - centers[:, None]
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
    masses = 600.0 * volumes
    moments = masses[:, None, None] / 20 * np.einsum("kvi,kvj->kij", about_center, about_center)

    def frames(points, directions):
        along = np.roll(points, -1, axis=0) - points
        return np.stack([directions, along, np.roll(directions, -1, axis=0)], axis=2)

    first = frames(points, directions)

    def pose(s):
        moved_points, moved_directions = hinge_lines(s)
        moved = frames(moved_points, moved_directions)
        back = first[0] @ moved[0].T
        turns = np.array([back @ moved[k] @ first[k].T for k in range(1, 6)])
        shifted = np.array([points[0] + back @ (p - moved_points[0]) for p in moved_points[1:]])
        arms = centers - points[1:]
        return shifted + np.einsum("kij,kj->ki", turns, arms), turns

    return OneFreedom(
        masses,
        moments,
        pose,
        lambda s: G * masses @ pose(s)[0][:, 2],
        (0.0, 2 * np.pi),
        periodic=True,
        degree=120,
    )


LIFT = [*(f"{way}-{i}" for i in range(8) for way in ("up", "down")), "platform"]
CASES = {  # mechanism, coordinate and its rate at the start, bodies, options, largest distance [m]
    "four-bar": (
        four_bar(), np.radians(60.0), -2.0, ("crank", "coupler", "rocker"), {}, 3e-9
    ),
    "four-bar-clear": (
        swinging_four_bar(), np.radians(-20.0), 0.0, ("crank", "coupler", "rocker"), {}, 1e-9
    ),
    "slider-crank": (
        slider_crank(), np.radians(45.0), 6.0, ("crank", "rod", "block"), {"step": 0.005}, 5e-8
    ),
    "universal-shaft": (
        universal_shaft(), 0.0, 10.0, ("input", "middle", "output"), {}, 1e-8
    ),
    "scissor-lift": (scissor_lift(), np.radians(30.0), 0.0, LIFT, {}, 1e-9),
    "bricard": (
        bricard(), START_ANGLE, 0.0, [f"link-{k}" for k in range(1, 6)], {"method": "imp4"}, 2e-6
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_mechanism_moves_as_its_one_freedom_says(name):
    """Every body of every frame is where Lagrange's equation of one coordinate puts it."""
    mechanism, start, speed, bodies, options, within = CASES[name]

    recording = simulate(name, **{"method": "imp8", "step": 0.01} | options)

    coordinate = mechanism.motion(start, speed, recording.times)
    assert np.ptp(coordinate) > 0.5
    assert largest_distance(recording, mechanism, coordinate, bodies) <= within


def test_two_universal_joints_undo_each_other():
    """tan(middle) = cos(bend) tan(input) at one joint, output = input after the second."""
    recording = simulate("universal-shaft", method="imp6")

    angle = recording.joints["input-bearing"]["angle"]
    middle, output = (shaft_angle(recording, name) for name in ("middle", "output"))
    bend = np.radians(30.0)
    law = np.arctan2(np.cos(bend) * np.sin(angle), np.cos(angle))
    assert np.ptp(angle) > 40.0
    assert np.abs(np.sin(middle - law)).max() <= 1e-11
    assert np.abs(np.sin(output - angle)).max() <= 1e-11


def shaft_angle(recording: Recording, name: str) -> np.ndarray:
    """Turns of a body about its own z axis since the start [rad], shape (F,)."""
    orientation = recording.orientations[:, recording.body_names.index(name)]
    turned = multiplied(conjugated(orientation[0]), orientation)
    return 2.0 * np.arctan2(turned[:, 3], turned[:, 0])


@pytest.mark.parametrize("name", ["four-bar", "four-bar-clear", "scissor-lift", "bricard"])
def test_joint_error_is_as_small_as_asked_for(name):
    """A tolerance of 1e-12 m is kept on closed loops with redundant joints."""
    report = simulate(name, tolerance=1e-12).diagnostics

    assert 0.0 < report["max_joint_error_m"] <= 1e-12


@pytest.mark.parametrize("linkage", [lift, scissor_mast])
def test_mobility_of_a_lift_of_any_height(linkage):
    """3 n + 2 joints close n + 1 loops, repeat 3 n - 1 rows, and leave one freedom."""
    for stages in (1, 2, 12, 400):
        facts = impulse_core.describe(linkage(stages))

        assert len(facts["joints"]) == 3 * stages + 2
        assert facts["loops"] == stages + 1
        assert facts["degrees_of_freedom"] == 1
        assert facts["constraint_rows"] - facts["rank"] == 3 * stages - 1


def test_mast_of_many_loops_keeps_its_energy():
    """34 loops in a row: 1e-9 of the energy that comes and goes, with 98 redundant rows."""
    recording = impulse_core.simulate(scissor_mast(33), duration=20.0, method="imp4")

    report, swinging = recording.diagnostics, recording.energy["kinetic"].max()
    assert swinging > 10.0
    assert report["energy_j"]["max_abs_drift"] <= 1e-9 * swinging
    assert report["max_joint_error_m"] <= report["tolerance_m"]


def test_start_of_a_mast_of_1001_loops():
    """A row that is nearly redundant is not taken for one, and 2999 redundant ones cost no energy.

    The smallest eigenvalue of the joint matrix falls like the number of stages to the power -3.5.
    """
    recording = impulse_core.simulate(scissor_mast(1000), duration=0.1, method="imp4")

    report, gained = recording.diagnostics, recording.energy["kinetic"].max()
    assert gained > 1e-4
    assert report["energy_j"]["max_abs_drift"] <= 1e-6 * gained
    assert report["max_joint_error_m"] <= report["tolerance_m"]
