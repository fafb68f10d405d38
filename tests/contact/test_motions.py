"""Machines that touch at many points: Newton steps over the motions that they have there."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.algebra import Mat3, Vec3
from impulse_core.contact.law import LEAST_PROXIMAL
from impulse_core.contact.motions import LEAST_GIVING, find_motions, motions_push, motions_step
from impulse_core.contact.newton import SOLVED
from impulse_core.contact.newton_rows import gather_rows, list_rows
from impulse_core.jit import kernel
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Material, Motor
from tests.contact.scenes import scene
from tests.contact.test_islands import (
    after_steps,
    find_blocks,
    find_operator,
    improve,
    piece,
    turning,
)

THICKNESS = 0.1  # of a link, over the radius of a wheel


def track(
    links: int,
    radius: float = 0.15,
    between: float = 0.6,
    *,
    torque: float = 8.0,
    density: float = 2000.0,
    friction: float = 0.8,
    balls: bool = False,
    **resistance: float,
) -> Scene:
    """A vehicle on one track: a hull with two wheels, the first of which is driven, so far between
    each other [m], and so many links around them, a closed loop of hinges or of balls.
    """
    plates = THICKNESS * radius
    middle = radius + plates  # of the pins, around the axles
    for _ in range(20):  # so that plates, which are chords, lie around the wheels
        half = (between + math.pi * middle) / links
        middle = math.hypot(radius + 0.55 * plates, half)
    low = middle + 0.6 * plates
    pins = [_around(k / links, middle, between, low) for k in range(links)]
    hull = Body(
        name="hull",
        position=(0.0, 0.0, low),
        density=800.0,
        geometry=[Geometry(shape="box", size=(0.6 * between, 0.2, radius))],
    )
    wheels = [
        Body(
            name=f"wheel{k}",
            density=1000.0,
            position=(x, 0.0, low),
            orientation=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0),
            geometry=[Geometry(shape="cylinder", radius=radius, height=0.2)],
        )
        for k, x in enumerate((-between / 2, between / 2))
    ]
    axles = [
        Joint(
            name=f"axle{k}",
            type="hinge",
            body1="hull",
            body2=wheel.name,
            anchor=wheel.position,
            axis=(0.0, 1.0, 0.0),
            motors=[] if k else [Motor(kind="force", target=torque)],
        )
        for k, wheel in enumerate(wheels)
    ]
    made = scene(
        hull,
        *wheels,
        *(_link(k, pins, plates, density) for k in range(links)),
        materials=(Material(name="steel", static_friction=friction, **resistance),),
        assemble="all",
    )
    for body in made.bodies:
        for part in body.geometry:
            part.material = "steel"
    made.joints = axles + [_pin(k, pins, balls) for k in range(links)]
    made.collision_filter = {
        "pairs": [{"body1": "hull", "body2": f"link{k}", "collide": False} for k in range(links)]
    }
    return made


def _around(share: float, radius: float, between: float, z: float) -> tuple[float, float, float]:
    """The point at a share of the way around two wheels."""
    arc = math.pi * radius
    way = share * 2.0 * (between + arc)
    side, way = divmod(way, between + arc)
    angle = max(way - between, 0.0) / radius
    x = min(way, between) - between / 2 + radius * math.sin(angle)
    sign = 1.0 if side == 0 else -1.0
    return sign * x, 0.0, z + sign * radius * math.cos(angle)


def _link(k: int, pins: list[tuple[float, float, float]], plates: float, density: float) -> Body:
    (x0, _, z0), (x1, _, z1) = pins[k], pins[(k + 1) % len(pins)]
    half = -math.atan2(z1 - z0, x1 - x0) / 2
    return Body(
        name=f"link{k}",
        position=((x0 + x1) / 2, 0.0, (z0 + z1) / 2),
        orientation=(math.cos(half), 0.0, math.sin(half), 0.0),
        density=density,
        geometry=[Geometry(shape="box", size=(0.85 * math.hypot(x1 - x0, z1 - z0), 0.2, plates))],
    )


def _pin(k: int, pins: list[tuple[float, float, float]], ball: bool) -> Joint:
    following = (k + 1) % len(pins)
    return Joint(
        name=f"pin{k}",
        type="ball" if ball else "hinge",
        body1=f"link{k}",
        body2=f"link{following}",
        anchor=pins[following],
        **({} if ball else {"axis": (0.0, 1.0, 0.0)}),
    )


@kernel
def find(contacts, solver_bodies, delassus, work, i):
    """Motions at the contacts of island i; how many contacts, rows and motions there are."""
    n = solver_bodies.mark["number"][i]
    items = list_rows(contacts, work, solver_bodies.mark["head"][i], n, len(work.mark))
    gather_rows(contacts, solver_bodies, delassus, work, n, items)
    return n, items, find_motions(contacts, solver_bodies, delassus, work, n, items, 0)


@kernel
def push(work, items, motions):
    """The push of the change that the rows have."""
    motions_push(work, items, motions)


@kernel
def take_step(work, n, items, motions, proximal):
    """The Newton step of an island."""
    return motions_step(work, n, items, motions, proximal)


class Island:
    """The largest island of a scene after some steps."""

    def __init__(self, machine: Scene, steps: int, h: float):
        setup = after_steps(machine, steps, h)
        self.contacts, self.bodies, self.delassus = (
            setup.contacts,
            setup.solver_bodies,
            setup.delassus,
        )
        self.work = setup.own.newton
        number = self.bodies.mark["number"] * (self.bodies.mark["head"] >= 0)
        self.place = int(np.argmax(number))
        find_blocks(self.contacts, self.bodies, self.delassus, self.place)
        self.n, self.items, self.motions = find(
            self.contacts, self.bodies, self.delassus, self.work, self.place
        )
        self.W = np.zeros((3 * self.items, 3 * self.items))
        find_operator(
            self.contacts, self.bodies, self.delassus, self.work, self.n, self.items, self.W
        )

    @property
    def gives(self) -> np.ndarray:
        """What each contact gives way, shape (3 items,)."""
        return np.repeat(self.work.row["gives"][: self.items], 3)

    def pushes(self, change: np.ndarray) -> np.ndarray:
        """What impulses (3 items,) do, by motions."""
        self.work.row["change"][: self.items] = change.reshape(-1, 3)
        push(self.work, self.items, self.motions)
        return self.work.row["push"][: self.items].ravel().copy()


@pytest.mark.parametrize(("links", "balls"), [(22, False), (31, False), (24, True)])
@pytest.mark.parametrize("torsion", [0.0, 0.01])
def test_motions_do_what_the_operator_does(links, balls, torsion):
    """Y has a row for each way in which the machine moves at its contacts, and no more: those of a
    loop of n hinges in a plane are n - 3 and 6, with a hull and two wheels n + 11.
    """
    island = Island(track(links, balls=balls, torsional_friction=torsion), 60, 0.002)

    assert island.n > 16
    assert island.items == (2 if torsion else 1) * island.n
    assert island.motions > 0
    if not balls and not torsion:
        assert island.motions <= links + 11
    random = np.random.default_rng(links)
    inverse_masses = np.sqrt(np.diag(island.W))
    for _ in range(5):
        p = random.normal(size=3 * island.items) / inverse_masses
        wrong = island.pushes(p) - island.W @ p
        slack = 1e-2 * island.gives @ abs(p) + 1e-9 * abs(island.W) @ abs(p)
        assert (abs(wrong) <= slack).all()


@pytest.mark.parametrize(("rolling", "torsion"), [(0.0, 0.0), (0.01, 0.0), (0.01, 0.02)])
@pytest.mark.parametrize("proximal", [1e-9, 1e-4, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_a_step_over_motions_is_that_of_the_system_over_contacts(seed, proximal, rolling, torsion):
    """(54) and (86): Δp by (1 + Y K Yᵀ) s = Y g is that of (D W + C) Δp = f on any pieces of the
    laws, with the κ of each contact.
    """
    random = np.random.default_rng(seed)
    machine = track(15, balls=seed == 2, rolling_friction=rolling, torsional_friction=torsion)
    island = Island(machine, 60, 0.002)
    contacts, work, n, items = island.contacts, island.work, island.n, island.items
    rows, row = work.mark["contact"][:n], work.row
    normal = contacts.row["normal"][rows]
    row["trial"][:n] = normal * random.random((n, 1)) + random.normal(scale=0.3, size=(n, 3))
    row["trial"][n:items] = random.normal(scale=0.003, size=(items - n, 3))
    row["rate"][:items] = random.normal(scale=0.3, size=(items, 3))

    D, C, f = np.zeros((3 * items,) * 2), np.zeros((3 * items,) * 2), np.zeros(3 * items)
    for k in range(items):
        place = work.mark["place"][k]
        at, by = slice(3 * k, 3 * k + 3), slice(3 * place, 3 * place + 3)
        c, given = rows[place], [Vec3(*row[k][name]) for name in ("trial", "rate")]
        least = LEAST_GIVING if row["gives"][k] > 0.0 else LEAST_PROXIMAL
        loose = max(proximal, least)
        if k < n:
            D[at, at], C[at, at], f[at] = _numbers(
                piece(contacts.row, c, Vec3(*normal[k]), *given, loose, False)
            )
            continue
        p_n = max(float(normal[place] @ row[place]["trial"]), 0.0)
        w = float(row["inverse"][k])
        D[at, at], C[at, at], C[at, by], f[at] = _numbers(
            turning(contacts.row, c, Vec3(*normal[place]), *given, w, p_n, loose)
        )

    assert take_step(work, n, items, island.motions, proximal)
    change = row["change"][:items].ravel().copy()
    pushed = island.pushes(change)
    wrong = D @ pushed + C @ change - f
    terms = np.abs(D) @ np.abs(pushed) + np.abs(C) @ np.abs(change) + np.abs(f)
    assert np.abs(wrong).max() <= 1e-9 * terms.max()  # κ leaves ten digits of the largest


def _numbers(parts):
    """Matrices and a vector of kernels as arrays."""
    *matrices, vector = parts
    return [np.array(Mat3(*matrix)).reshape(3, 3) for matrix in matrices] + [np.array(vector)]


def drawn_track(seed: int) -> tuple[Scene, int, float]:
    """A track of any size, mass, friction and torque, which touches at some dozens of points after
    so many steps of that length.
    """
    random = np.random.default_rng(seed)
    links, radius = int(random.integers(20, 33)), random.uniform(0.05, 0.4)
    density = random.uniform(300.0, 6000.0)
    weight = links * density * 9.81 * 0.2 * 0.1 * radius**2
    machine = track(
        links,
        radius,
        random.uniform(3.0, 5.0) * radius,
        torque=random.uniform(0.0, 0.4) * weight * radius,
        density=density,
        friction=random.uniform(0.2, 1.0),
    )
    return machine, int(random.integers(60, 140)), random.uniform(0.05, 0.1) * radius**0.5 / 10.0


@pytest.mark.parametrize("family", range(4))
def test_most_tracks_are_solved_at_once(family):
    """From the impulses of the half before, to the accuracy, however many contacts there are.

    Steps over contacts that are halved until they help, 48 contacts at most, solve a fifth of them.
    """
    solved = []
    for seed in range(6 * family, 6 * family + 6):
        island = Island(*drawn_track(seed))
        assert island.n > 16
        result, _ = improve(
            island.contacts, island.bodies, island.delassus, island.work, island.place, True
        )
        solved.append(result == SOLVED)
    assert sum(solved) >= 4


@pytest.mark.parametrize("links", [20, 24, 30])
def test_a_track_drives(links):
    """Steps of its first half second need not be divided, and nothing is warned of."""
    machine = track(links)
    recording = ic.simulate(machine, duration=0.5, step=0.002)

    assert recording.diagnostics["halvings"] == 0
    assert recording.diagnostics["warnings"] == []
