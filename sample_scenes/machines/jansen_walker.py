"""Theo Jansen's walker: twelve legs of ten bars on one crankshaft.

The proportions are the "thirteen holy numbers" that Theo Jansen found for his Strandbeesten and
published in The Great Pretender (010 Publishers, Rotterdam 2007). A leg is three closed loops in a
plane. Each is closed by a ball, as rod ends do it, and is still held in its plane once more than
need be. Two legs, one the mirror image of the other, hang on each of six throws of the crankshaft,
which are a third of a turn apart. It walks on level ground and on bumps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from impulse_core.types import Floats
from impulse_schema import Body, Geometry, Joint, Material, Motor, Scene, Settings

CENTIMETRE = 0.01  # m, for one unit of Jansen's numbers
A, L, M = (CENTIMETRE * number for number in (38.0, 7.8, 15.0))  # of the frame and the crank

THROWS = 6
LANE = 0.12  # m along y, from one throw to the next
TUBE = 0.012  # m, radius
PER_METRE = 0.3  # kg/m of a bar
FOOT = 0.03  # m, radius
HULL = (0.9, 0.05, 0.06)  # m, of each of the two beams of the frame
HULL_MASS, CRANK_MASS = 12.0, 3.0  # kg

TURN = 3.0  # rad/s of the crankshaft
RISE = 0.6  # s, in which it begins to turn
STRENGTH = 150.0  # N m

# The rough ground: even steps of height in squares, drawn by lot, level where the machine starts.
BUMP, CELL = 0.03, 0.2  # m: the highest, and the side of a square
FROM, TO, LEVEL_TO, ASIDE = -2.0, 9.0, 1.6, 1.6  # m: along x, and half its width
HEIGHTS, SEED = 11, 38
Y = (0.0, 1.0, 0.0)


class Bars(NamedTuple):
    """Lengths of the bars of a leg [m], named and numbered as Jansen does."""

    b: float = CENTIMETRE * 41.5
    c: float = CENTIMETRE * 39.3
    d: float = CENTIMETRE * 40.1
    e: float = CENTIMETRE * 55.8
    f: float = CENTIMETRE * 39.4
    g: float = CENTIMETRE * 36.7
    h: float = CENTIMETRE * 65.7
    i: float = CENTIMETRE * 49.0
    j: float = CENTIMETRE * 50.0
    k: float = CENTIMETRE * 61.9


class Leg(NamedTuple):
    """Points of a leg in the plane of x and z [m], the crank's axis at the origin."""

    pin: Floats  # of the crank
    pivot: Floats  # in the frame
    top: Floats
    hip: Floats
    knee: Floats
    ankle: Floats
    foot: Floats


def leg(angle: float, bars: Bars = Bars()) -> Leg:  # noqa: B008  # cannot be changed
    """The leg on the -x side, with the crank at an angle from x towards z [rad].

    Raises:
        ValueError: The bars do not meet there.
    """
    pin = M * np.array((math.cos(angle), math.sin(angle)))
    pivot = np.array((-A, -L))
    top = meeting(pin, bars.j, pivot, bars.b)
    hip = meeting(top, bars.e, pivot, bars.d)
    knee = meeting(pin, bars.k, pivot, bars.c, side=-1.0)
    ankle = meeting(hip, bars.f, knee, bars.g)
    foot = meeting(ankle, bars.h, knee, bars.i)
    return Leg(pin, pivot, top, hip, knee, ankle, foot)


def meeting(p: Floats, r: float, q: Floats, s: float, side: float = 1.0) -> Floats:
    """The point at the distance r from p and s from q, to the right of the way from p to q (side 1)
    or to the left of it.
    """
    way = q - p
    d = float(np.hypot(*way))
    along = (r * r - s * s + d * d) / (2.0 * d)
    across = math.sqrt(r * r - along * along)
    return p + (along * way + side * across * np.array((way[1], -way[0]))) / d


class Plane(NamedTuple):
    """Where the plane of a leg lies: mirrored to the +x side or not, along y, and how high [m]."""

    mirror: float
    y: float
    height: float

    def __call__(self, point: Floats, aside: float = 0.0) -> tuple[float, float, float]:
        return self.mirror * float(point[0]), self.y + aside, self.height + float(point[1])


def jansen_walker(bars: Bars = Bars()) -> Scene:  # noqa: B008  # cannot be changed
    """The machine on its lowest feet, at rest, on level ground."""
    text = "Theo Jansen's walker with his proportions: twelve legs on one crankshaft walk."
    return _scene("jansen-walker", text, Geometry(shape="plane", material="rock"), bars)


def rough_walk() -> Scene:
    """The machine at rest before ground of bumps."""
    text = f"Theo Jansen's walker on ground with bumps of up to {100 * BUMP:g} cm."
    return _scene("jansen-walker-rough", text, _bumps(), Bars())


def _scene(name: str, description: str, ground: Geometry, bars: Bars) -> Scene:
    throws = [(lane, 2.0 * math.pi / 3.0 * lane) for lane in range(THROWS)]
    # The crank of a leg and that of its mirror image add up to half a turn.
    legs = {
        f"{side}-{lane + 1}": (leg(angle if mirror > 0 else math.pi - angle, bars), mirror, lane)
        for lane, angle in throws
        for side, mirror in (("rear", 1.0), ("front", -1.0))
    }
    height = FOOT - min(float(points.foot[1]) for points, _, _ in legs.values())
    bodies = [_ground(ground), _frame(height), _crank([angle for _, angle in throws], height)]
    joints = [_hinge("crankshaft", "frame", "crank", (0.0, 0.0, height))]
    joints[0].motors = [
        Motor(
            kind="velocity",
            expression=f"{TURN:g}*(1 - exp(-(t/{RISE:g})**2))",
            max_force=STRENGTH,
        )
    ]
    for side, (points, mirror, lane) in legs.items():
        # The two legs of a throw stand side by side.
        y = _lane(lane) + 1.2 * TUBE * mirror
        leg_bodies, leg_joints = _leg(side, points, Plane(mirror, y, height))
        bodies += leg_bodies
        joints += leg_joints
    return Scene(
        version=1,
        name=name,
        description=description,
        settings=Settings(step=0.005, duration=10.0, tolerance=1e-9),
        materials=[
            Material(name="rubber", static_friction=0.8),
            Material(name="rock", static_friction=0.8),
        ],
        bodies=bodies,
        joints=joints,
    )


def _lane(lane: int) -> float:
    return LANE * (lane - (THROWS - 1) / 2)


def _leg(name: str, at: Leg, place: Plane) -> tuple[list[Body], list[Joint]]:
    """Six bodies of ten bars, and the nine joints that hold them, the crank and the frame."""
    bars = {
        "tie": [(at.pin, at.top)],
        "thigh": [(at.pivot, at.top), (at.top, at.hip), (at.hip, at.pivot)],
        "guide": [(at.pin, at.knee)],
        "rocker": [(at.pivot, at.knee)],
        "calf": [(at.hip, at.ankle)],
        "shank": [(at.ankle, at.knee), (at.knee, at.foot), (at.foot, at.ankle)],
    }
    bodies = [_bars(f"{name}.{part}", found, place) for part, found in bars.items()]
    shank = bodies[-1]
    shank.geometry.append(
        Geometry(
            name="foot",
            shape="sphere",
            position=_difference(place(at.foot), shank.position),
            radius=FOOT,
            material="rubber",
        )
    )
    pairs = [
        (_hinge, "crank", "tie", at.pin),
        (_hinge, "crank", "guide", at.pin),
        (_hinge, "frame", "thigh", at.pivot),
        (_hinge, "frame", "rocker", at.pivot),
        (_hinge, "thigh", "calf", at.hip),
        (_hinge, "rocker", "shank", at.knee),
        (_ball, "tie", "thigh", at.top),
        (_ball, "guide", "rocker", at.knee),
        (_ball, "calf", "shank", at.ankle),
    ]

    def body(part: str) -> str:
        return part if part in ("crank", "frame") else f"{name}.{part}"

    return bodies, [
        make(f"{name}.{one}-{two}", body(one), body(two), place(point))
        for make, one, two, point in pairs
    ]


def _hinge(name: str, body1: str, body2: str, anchor: tuple[float, float, float]) -> Joint:
    return Joint(name=name, type="hinge", body1=body1, body2=body2, anchor=anchor, axis=Y)


def _ball(name: str, body1: str, body2: str, anchor: tuple[float, float, float]) -> Joint:
    return Joint(name=name, type="ball", body1=body1, body2=body2, anchor=anchor)


def _bars(name: str, bars: list[tuple[Floats, Floats]], place: Plane) -> Body:
    """A body of round bars, with its origin at the first end of the first."""
    origin = place(bars[0][0])
    ends = [
        (np.array(_difference(place(p), origin)), np.array(_difference(place(q), origin)))
        for p, q in bars
    ]
    masses = np.array([PER_METRE * float(np.linalg.norm(q - p)) for p, q in ends])
    center = sum(m * (p + q) / 2 for m, (p, q) in zip(masses, ends, strict=True)) / masses.sum()
    inertia = np.zeros((3, 3))
    for mass, (p, q) in zip(masses, ends, strict=True):
        inertia += _rod_inertia(float(mass), p - center, q - center)
    xx, yy, zz = np.diagonal(inertia).tolist()
    return Body(
        name=name,
        position=origin,
        mass=float(masses.sum()),
        center_of_mass=_triple(center),
        inertia=(xx, yy, zz, 0.0, float(inertia[0, 2]), 0.0),
        geometry=[_tube(p, q, TUBE) for p, q in ends],
    )


def _rod_inertia(mass: float, p: Floats, q: Floats) -> Floats:
    """Of a round bar about the origin, shape (3, 3)."""
    way, middle = q - p, (p + q) / 2
    length = float(np.linalg.norm(way))
    along = np.outer(way, way) / length**2
    across = np.eye(3) - along
    own = mass * (TUBE**2 / 2 * along + (length**2 / 12 + TUBE**2 / 4) * across)
    moved: Floats = mass * (float(middle @ middle) * np.eye(3) - np.outer(middle, middle))
    return own + moved


def _tube(p: Floats, q: Floats, radius: float) -> Geometry:
    """A bar that is drawn only, between two points of a plane x-z, or along y."""
    way = q - p
    length = float(np.linalg.norm(way))
    half = math.atan2(way[0], way[2]) / 2
    orientation = (math.cos(half), 0.0, math.sin(half), 0.0)
    if way[1]:
        orientation = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    return Geometry(
        role="visual",
        shape="capsule",
        position=_triple((p + q) / 2),
        orientation=orientation,
        radius=radius,
        height=length,
    )


def _crank(angles: list[float], height: float) -> Body:
    """A shaft with a pin for each throw, as heavy as a disc of its radius."""
    bars = []
    for lane, angle in enumerate(angles):
        pin = M * np.array((math.cos(angle), 0.0, math.sin(angle)))
        for side in (-1.0, 1.0):
            web = np.array((0.0, _lane(lane) + side * LANE / 3, 0.0))
            bars.append(_tube(web, web + pin, 1.5 * TUBE))
        low, high = (np.array((0.0, _lane(lane) + s * LANE / 3, 0.0)) for s in (-1.0, 1.0))
        bars.append(_tube(low + pin, high + pin, TUBE))
    half = np.array((0.0, THROWS * LANE / 2, 0.0))
    length = 2.0 * float(half[1])
    across = CRANK_MASS * (M**2 / 4 + length**2 / 12)
    return Body(
        name="crank",
        position=(0.0, 0.0, height),
        mass=CRANK_MASS,
        inertia=(across, CRANK_MASS * M**2 / 2, across),
        geometry=[_tube(-half, half, TUBE), *bars],
    )


def _frame(height: float) -> Body:
    """Two beams beside the legs, with the axles of the pivots between them."""
    aside = THROWS * LANE / 2
    axle = np.array((0.0, aside, 0.0))
    pivots = [np.array((x, 0.0, -L)) for x in (-A, A)]
    return Body(
        name="frame",
        position=(0.0, 0.0, height),
        mass=HULL_MASS,
        geometry=[
            *(
                Geometry(shape="box", position=(0.0, side * aside, 0.0), size=HULL, material="rock")
                for side in (-1.0, 1.0)
            ),
            *(_tube(pivot - axle, pivot + axle, TUBE) for pivot in pivots),
        ],
    )


def _ground(shape: Geometry) -> Body:
    return Body(name="ground", motion="static", geometry=[shape])


def _bumps() -> Geometry:
    """A height field of corners that are as high as the lot says."""
    columns, rows = (round(span / CELL) + 1 for span in (TO - FROM, 2 * ASIDE))
    lots = np.random.default_rng(SEED).integers(0, HEIGHTS, (rows, columns))
    heights = lots * BUMP / (HEIGHTS - 1)
    heights[:, FROM + CELL * np.arange(columns) < LEVEL_TO] = 0.0
    return Geometry(
        shape="height_field",
        position=((FROM + TO) / 2, 0.0, 0.0),
        size=(TO - FROM, 2 * ASIDE, BUMP),
        heights=np.round(heights, 4).tolist(),
        material="rock",
    )


def _difference(p: tuple[float, ...], q: tuple[float, ...]) -> tuple[float, float, float]:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _triple(vector: Floats) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return x, y, z
