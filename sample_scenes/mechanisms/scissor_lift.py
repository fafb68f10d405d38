"""A scissor lift of any height: many closed loops of hinges that leave one degree of freedom."""

from __future__ import annotations

import math

from bars import Point, hinge, upright_bar

from impulse_schema import Body, Geometry, Joint, Load, Scene, Settings

LENGTH = 1.0  # m, of a bar between its end hinges
BAR_MASS = 2.0  # kg
PLATFORM_MASS = 20.0  # kg
START_ANGLE = math.radians(30.0)  # of the bars to the ground
GRAVITY = 9.81  # m/s²
SPACE_PULL = 20.0  # N
X = (1.0, 0.0, 0.0)


def scissor_lift(stages: int = 8) -> Scene:
    """A lift of crossed bars with a platform on top, that counterweights make swing up and down.

    One foot is hinged to the ground, the other runs along it, as do the ends under the platform.
    Two constant loads stand for counterweights on ropes. The upward one on the platform does twice
    the work that gravity takes; the other pulls the running foot outwards, so that the potential
    energy -F (sin θ + cos θ)·1 m is least with the bars at θ = 45 degrees. The forces in the lowest
    stage grow with the square of the number of stages; for many of them take ``scissor_mast``.
    """
    bodies, joints = _linkage(stages)
    balance = (BAR_MASS * stages**2 + PLATFORM_MASS * stages) * GRAVITY
    return _scene(
        "scissor-lift",
        f"Scissor lift of {stages} stages with a platform: {len(joints)} joints, {stages + 1}"
        " closed loops, one degree of freedom. Counterweights let it swing up and down.",
        Settings(step=0.01, duration=10.0, gravity=(0.0, 0.0, -GRAVITY)),
        (bodies, joints),
        [
            Load(name="lifting rope", body="platform", force=(0.0, 0.0, 2 * balance / stages)),
            _outward_pull("down-0", balance),
        ],
    )


def scissor_mast(stages: int) -> Scene:
    """The same linkage of 3·stages + 2 joints as a mast in space, for any number of stages.

    The platform and every stage are pulled with the same constant force, the platform along the
    mast and the stages across, so that it too swings about 45 degrees, and no bar is loaded more
    than a few times that force however many there are.
    """
    bodies, joints = _linkage(stages)
    return _scene(
        f"scissor-mast-{stages}",
        f"Scissor linkage of {stages} stages in space, pulled along and across.",
        Settings(step=0.01, duration=10.0, gravity=(0.0, 0.0, 0.0)),
        (bodies, joints),
        [
            Load(body="platform", force=(0.0, 0.0, SPACE_PULL)),
            *(_outward_pull(f"down-{i}", SPACE_PULL) for i in range(stages)),
        ],
    )


def _scene(
    name: str,
    description: str,
    settings: Settings,
    linkage: tuple[list[Body], list[Joint]],
    loads: list[Load],
) -> Scene:
    bodies, joints = linkage
    return Scene(
        version=1,
        name=name,
        description=description,
        settings=settings,
        bodies=bodies,
        joints=joints,
        loads=loads,
    )


def _linkage(stages: int) -> tuple[list[Body], list[Joint]]:
    """Bars, platform and joints; stages + 1 loops and one degree of freedom."""
    if stages < 1:
        raise ValueError(f"a lift has at least one stage, not {stages}")
    width, rise = LENGTH * math.cos(START_ANGLE), LENGTH * math.sin(START_ANGLE)
    bodies, joints = [], []
    for i in range(stages):
        low, high = i * rise, (i + 1) * rise
        left, right = (0.0, 0.0, low), (width, 0.0, low)
        bodies.append(_bar(f"up-{i}", left, (width, 0.0, high)))
        bodies.append(_bar(f"down-{i}", right, (0.0, 0.0, high)))
        joints.append(hinge(f"cross-{i}", f"up-{i}", f"down-{i}", (width / 2, 0.0, low + rise / 2)))
        if i == 0:
            joints.append(hinge("foot", "world", "up-0", left))
            joints.append(_runner("running-foot", "world", "down-0", right))
        else:
            joints.append(hinge(f"left-{i}", f"down-{i - 1}", f"up-{i}", left))
            joints.append(hinge(f"right-{i}", f"up-{i - 1}", f"down-{i}", right))
    top, last = stages * rise, stages - 1
    bodies.append(_platform((LENGTH / 2, 0.0, top)))
    joints.append(hinge("platform-left", f"down-{last}", "platform", (0.0, 0.0, top)))
    joints.append(_runner("platform-right", "platform", f"up-{last}", (width, 0.0, top)))
    return bodies, joints


def _outward_pull(body: str, force: float) -> Load:
    """A force along x on the lower end of a falling bar."""
    return Load(
        name=f"pull on {body}", body=body, force=(force, 0.0, 0.0), point=(-LENGTH / 2, 0.0, 0.0)
    )


def _bar(name: str, start: Point, end: Point) -> Body:
    return upright_bar(name, start, end, mass=BAR_MASS, thickness=0.06)


def _platform(center: Point) -> Body:
    return Body(
        name="platform",
        position=center,
        mass=PLATFORM_MASS,
        geometry=[Geometry(role="visual", shape="box", size=(LENGTH, 0.6, 0.05))],
    )


def _runner(name: str, body1: str, body2: str, at: Point) -> Joint:
    return Joint(name=name, type="point-on-line", body1=body1, body2=body2, anchor=at, axis=X)
