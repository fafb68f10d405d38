"""Scenes of every kind that steps depend on, and what two runs of one scene must have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

import impulse_core as ic
from impulse_schema.models import (
    Body,
    CouplingTerm,
    Friction,
    Geometry,
    Joint,
    Keyframe,
    Limit,
    Motor,
    Scene,
    Spring,
)
from tests.contact.scenes import ball, cube, scene
from tests.core.machines import arm
from tests.core.scenes import chain, four_bar, push, random_tree, scene_of

_OF_ONE_RUN = (
    *("compile_seconds", "kernels_compiled"),
    *("wall_seconds_total", "start_seconds", "seconds_per_step"),
    "run_key",  # names what was asked for, frames per second too
)


def outcome(recording: ic.Recording) -> dict[str, Any]:
    """Report and events of a run, without the times that it took and its name."""
    report = {k: v for k, v in recording.diagnostics.items() if k not in _OF_ONE_RUN}
    return report | {"events": recording.events}


def servo(expression: str, proportional: float, derivative: float) -> Motor:
    """A servo that follows an expression."""
    gains = {"proportional": proportional, "derivative": derivative}
    return Motor(kind="servo", expression=expression, **gains)


def driven_tree(seed: int, count: int = 5, **settings: Any) -> Scene:
    """A random tree with a servo, a spring, friction or a limit on most free axes, and a load."""
    rng = np.random.default_rng(seed)
    made = random_tree(rng, count, types=("hinge", "slider", "ball"), **settings)
    for joint in made.joints:
        if joint.type == "ball":
            continue
        what = int(rng.integers(5))
        if what == 0:
            sine = f"{rng.uniform(0.2, 0.6)}*sin({rng.uniform(2, 9)}*t)"
            joint.motors = [servo(sine, 50.0, 2.0)]
        elif what == 1:
            joint.springs = [Spring(stiffness=40.0, damping=0.5)]
        elif what == 2:
            joint.frictions = [Friction(force=0.5)]
        elif what == 3:
            joint.limits = [Limit(lower=-0.05, upper=0.05, restitution=0.5)]
    made.loads = [push("b0", force=(3.0, 1.0, 0.0), from_=0.1)]
    return made


def geared_arm(**settings: Any) -> Scene:
    """An arm with a servo that integrates, a damped spring, a velocity motor, rotors and a gear."""
    bodies, joints = arm([1.0, 0.8, 0.5, 0.4], armature=0.1)
    joints[0].motors = [servo("0.4*sin(4*t)", 90.0, 8.0)]
    joints[0].motors[0].integral = 20.0
    joints[1].springs = [Spring(stiffness=30.0, damping=2.0)]
    joints[3].motors = [Motor(kind="velocity", expression="3*cos(5*t)")]
    terms = [CouplingTerm(joint="j1", coefficient=1.0), CouplingTerm(joint="j2", coefficient=1.5)]
    joints.append(Joint(name="gear", type="coupling", terms=terms))
    return scene_of(bodies, joints, **settings)


def tumbling_stack(seed: int, count: int = 4, **settings: Any) -> Scene:
    """Turned cubes that fall on each other."""
    rng = np.random.default_rng(seed)
    cubes = []
    for k in range(count):
        q = np.array([1.0, *rng.uniform(-0.3, 0.3, 3)])
        place = (*rng.uniform(-0.4, 0.4, 2), 1.0 + 1.8 * k)
        turn = tuple(q / np.linalg.norm(q))
        fall = (0.0, 0.0, -2.0 * k)
        cubes.append(cube(f"c{k}", position=place, orientation=turn, velocity=fall))
    return scene(*cubes, **settings)


def busy_ground(**settings: Any) -> Scene:
    """A driven machine that pushes, a load, a joint that breaks, a lift, and a stack that sleeps
    until a ball is thrown at it.
    """
    lift = Body(
        name="lift",
        motion="kinematic",
        position=(8.0, 0.0, 0.0),
        geometry=[Geometry(shape="box", size=(2.0, 2.0, 0.2))],
        keyframes=[
            Keyframe(time=0.0, position=(8.0, 0.0, 0.0)),
            Keyframe(time=0.3, position=(8.0, 0.0, 0.05)),
            Keyframe(time=1.5, position=(8.0, 0.0, 0.5)),
        ],
    )
    arm = Body(
        name="arm",
        position=(4.0, 0.0, 1.0),
        mass=2.0,
        geometry=[Geometry(shape="box", size=(1.0, 0.2, 0.2))],
    )
    hand = ball("hand", (5.0, 0.0, 1.0))
    made = scene(
        lift,
        *(cube(f"c{k}", 0.5 + k) for k in range(2)),
        ball("thrown", (-6.0, 0.0, 1.5), velocity=(6.0, 0.0, 3.0)),
        cube("lifted", position=(8.0, 0.0, 0.6)),
        arm,
        hand,
        **settings,
    )
    made.joints = [
        Joint(
            name="shoulder",
            type="hinge",
            body2="arm",
            anchor=(3.5, 0.0, 1.0),
            axis=(0, 1, 0),
            motors=[servo("0.5*sin(5*t)", 200.0, 10.0)],
        ),
        Joint(
            name="wrist",
            type="hinge",
            body1="arm",
            body2="hand",
            anchor=(4.5, 0.0, 1.0),
            axis=(0, 1, 0),
            springs=[Spring(stiffness=20.0, damping=0.2)],
            armature=0.05,
            break_force=60.0,
        ),
    ]
    made.loads = [push("lifted", force=(1.0, 0.0, 0.0), from_=0.4)]
    return made


def swinging_loop(**settings: Any) -> Scene:
    """A four-bar linkage, in which rows repeat others, beside a chain."""
    made = four_bar()
    made.bodies[0].angular_velocity = (0.0, 1.0, 0.0)
    beside = chain(2, ["hinge", "ball"])
    made.bodies += beside.bodies
    made.joints += [
        joint.model_copy(update={"name": f"beside-{joint.name}"}) for joint in beside.joints
    ]
    made.settings = made.settings.model_copy(update=settings)
    return made
