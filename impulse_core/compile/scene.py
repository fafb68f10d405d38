"""``compile_scene``: the arrays of a scene, or everything that keeps it from being simulated."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from impulse_core import model as kinds
from impulse_core.collision.shapes import Shapes
from impulse_core.compile.axes import axis_fields, check_limits, dissipation
from impulse_core.compile.axis_mass import BodyRows
from impulse_core.compile.bodies import MassSource, body_mass_properties
from impulse_core.compile.contradictions import check_rigid_motors
from impulse_core.compile.couplings import check_constants, compile_couplings
from impulse_core.compile.expansion import row_owners
from impulse_core.compile.joints import check_start, compile_joints
from impulse_core.compile.kinematic import (
    Kinematics,
    check_keyframes,
    compile_kinematics,
    keyframe_times,
)
from impulse_core.compile.placing import (
    PlacedBodies,
    body_records,
    check_masses,
    place_bodies,
    unit_rows,
)
from impulse_core.compile.problems import ProblemList
from impulse_core.compile.rotors import turning_bodies
from impulse_core.compile.shapes import Solids, compile_shapes
from impulse_core.compile.signals import SignalList, changes, check_signals, signal_switches
from impulse_core.geometry import MassProperties
from impulse_core.geometry.products import length
from impulse_core.geometry.rotations import conjugated, multiplied, rotated
from impulse_core.model import FLOW_EXACT, FLOW_RK4, FREE_COMPLIANCE, Model, State, new_state
from impulse_core.types import Floats, Ints, Records, new_records
from impulse_schema import (
    Scene,
    SceneError,
    check_scene,
    expand_parts,
    joint_names,
    numbers_for,
    source_path,
)
from impulse_schema.models import Body

__all__ = ["CompiledScene", "compile_scene"]


@dataclass
class CompiledScene:
    """A scene as arrays, and how to get back from them to the user's bodies.

    Attributes:
        scene: What was compiled, its parts expanded.
        name: Its name, or that of its file.
        sha256: SHA-256 of its file, "" if it was built in Python.
        model: Constant arrays.
        state: Start state.
        body_names: All bodies in the order of the scene.
        body_row: Row of each body in the model; that of the world for static ones, shape (N,).
        origin: The user's object origin seen from the body frame [m], shape (N, 3); zero for
            kinematic bodies, and for static ones seen from the world.
        axes: The user's object axes seen from the body frame, quaternions, shape (N, 4).
        mass_properties: Of each dynamic body, in the order of its row, user's frame.
        joint_names: All joints in the order of the scene.
        row_owner: For each joint of the model the row that the user knows it by: its own, or, of
            what a joint of the scene brings with it, that joint's; shape (m,).
        load_windows: Start and end of each load [s], end inf if it never ends, shape (l, 2).
        size: Size of the scene [m]: extent of bodies and joints.
        farthest: Largest distance of any of them from the world's origin [m].
        solids: Collision geometry, None if no two bodies can ever touch.
        dissipation: What in the scene is not reversible in time, "" if nothing is.
        warnings: Sentences for the report.
    """

    scene: Scene
    name: str
    sha256: str
    model: Model
    state: State
    body_names: list[str]
    body_row: Ints
    origin: Floats
    axes: Floats
    mass_properties: list[MassProperties]
    joint_names: list[str]
    row_owner: Ints
    load_windows: Floats
    size: float
    farthest: float
    solids: Solids | None
    dissipation: str
    warnings: list[str]

    @property
    def shapes(self) -> Shapes | None:
        """The collision geometry as arrays, made when first asked for."""
        return None if self.solids is None else self.solids.shapes

    def switches(self, duration: float) -> Floats:
        """Times within the run at which a motion or a target breaks [s], where steps end."""
        return np.concatenate(
            [signal_switches(self.scene, duration), keyframe_times(self.scene, duration)]
        )

    def user_poses(self, position: Floats, orientation: Floats) -> tuple[Floats, Floats]:
        """Poses of the users' object origins from body rows, shapes (…, b, 3 and 4)."""
        q = orientation[..., self.body_row, :]
        return (
            position[..., self.body_row, :] + rotated(q, self.origin),
            multiplied(q, self.axes),
        )


def compile_scene(scene: Scene, *, assemble: bool | None = None) -> CompiledScene:
    """Turn a scene into arrays.

    Args:
        scene: What to simulate.
        assemble: Whether joints may start any distance apart, to be pulled together, and beyond
            their limits; None: as the scene's settings say.

    Raises:
        SceneError: With every problem found: unsound scenes (those built in Python were never
            checked), meshes, masses, joints that start far apart, features that are not
            simulated yet.
    """
    if unsound := check_scene(scene):
        raise SceneError(unsound)
    scene = expand_parts(scene)
    problems = ProblemList(scene)
    check_signals(scene, problems)
    check_keyframes(scene, problems)
    check_rigid_motors(scene, problems)
    source = MassSource(scene, problems)
    properties = _mass_properties(scene, source, problems)
    rows, kinematics = _rows(scene)
    bodies = place_bodies(_of_motion(scene, "dynamic"), properties, kinematics)
    check_masses(scene, bodies, problems)
    _refuse(problems)
    size, farthest = _extent(scene, bodies, kinematics)
    model = _model(scene, rows, bodies, kinematics, size, problems)
    if assemble is None:
        assemble = scene.settings.assemble != "nothing"
    if not assemble:
        check_start(scene, size, problems)
        check_limits(scene, problems)
        check_constants(scene, model.couplings, size, problems)
    body_row = np.array([rows[body.name] for body in scene.bodies], dtype=np.int64)
    origin, user_axes = _outputs(scene, body_row, bodies)
    solids = compile_shapes(scene, source, body_row, origin, user_axes)
    _refuse(problems)
    name, sha256 = _identity(scene)
    return CompiledScene(
        scene=scene,
        name=name,
        sha256=sha256,
        model=model,
        state=_start_state(model, bodies, kinematics.start_interval),
        body_names=[body.name for body in scene.bodies],
        body_row=body_row,
        origin=origin,
        axes=user_axes,
        mass_properties=properties,
        joint_names=joint_names(scene),
        row_owner=row_owners(scene),
        load_windows=_load_windows(scene),
        size=size,
        farthest=farthest,
        solids=solids,
        dissipation=dissipation(scene),
        warnings=source.warnings,
    )


def _refuse(problems: ProblemList) -> None:
    """Raise the problems found so far, if there are any."""
    if problems.problems:
        raise SceneError(problems.problems)


def _mass_properties(
    scene: Scene, source: MassSource, problems: ProblemList
) -> list[MassProperties]:
    """Those of the dynamic bodies; all that keeps any of them from having some is raised."""
    found = [
        body_mass_properties(source, i)
        for i, body in enumerate(scene.bodies)
        if body.motion == "dynamic"
    ]
    _refuse(problems)
    return [mass for mass in found if mass is not None]


def _of_motion(scene: Scene, motion: str) -> list[Body]:
    return [body for body in scene.bodies if body.motion == motion]


def _rows(scene: Scene) -> tuple[dict[str, int], Kinematics]:
    """The row of each body by its name, dynamic before kinematic ones, the world's for static ones;
    and how the kinematic ones move.
    """
    moved = _of_motion(scene, "kinematic")
    moving = [*_of_motion(scene, "dynamic"), *moved]
    rows = {body.name: len(moving) for body in scene.bodies} | {"world": len(moving)}
    rows |= {body.name: row for row, body in enumerate(moving)}
    return rows, compile_kinematics(moved)


def _model(
    scene: Scene,
    rows: dict[str, int],
    bodies: PlacedBodies,
    kinematics: Kinematics,
    size: float,
    problems: ProblemList,
) -> Model:
    """The constant arrays."""
    joints = compile_joints(scene, rows, bodies.position, bodies.orientation, bodies.gyration)
    records = body_records(bodies)
    records["moves_joints"] = turning_bodies(records, joints.records, bodies.gyration)
    rows_at_start = BodyRows(
        bodies.position, bodies.orientation, records["inverse_mass"], records["inverse_inertia"]
    )
    signals = SignalList()
    axes = axis_fields(scene, joints, rows_at_start, problems, signals)
    loads = _loads(scene, rows, bodies, signals)
    couplings = compile_couplings(scene, joints, bodies.position, bodies.orientation)
    coupled = len(couplings.joint) > 0
    breaks = any(joint.break_force or joint.break_torque for joint in scene.joints)
    timed = coupled or breaks or len(axes["axes"]) > 0 or any(map(changes, scene.loads))
    return Model(
        dynamic=len(_of_motion(scene, "dynamic")),
        bodies=records,
        gravity=np.array(scene.settings.gravity, dtype=float),
        size=size,
        flow=FLOW_RK4 if scene.settings.free_motion == "rk4" else FLOW_EXACT,
        joints=joints.records,
        **axes,
        signals=signals.arrays(),
        couplings=couplings,
        coupled=1 if coupled else None,
        loads=loads,
        timed=1 if timed else None,
        paths=kinematics.paths,
    )


def _load_windows(scene: Scene) -> Floats:
    """Start and end of each load [s], end inf if it never ends, shape (l, 2)."""
    windows = [(load.from_, np.inf if load.until is None else load.until) for load in scene.loads]
    return np.array(windows).reshape(-1, 2)


def _start_state(model: Model, bodies: PlacedBodies, interval: Ints) -> State:
    """The state with which the bodies begin, before joints are closed."""
    state = new_state(
        bodies=len(model.bodies),
        joints=len(model.joints),
        axes=len(model.axes),
        terms=len(model.couplings.terms),
        kinematic=len(interval),
        loads=len(model.loads),
        turns=len(model.counted),
    )
    for field in ("position", "orientation", "velocity", "angular_momentum"):
        state.bodies[field] = getattr(bodies, field)
    state.axes["compliance"] = FREE_COMPLIANCE * model.axes["inverse_mass"]
    state.kinematic["interval"] = interval
    return state


def _identity(scene: Scene) -> tuple[str, str]:
    """Name of the scene and SHA-256 of its file, "" if it was built in Python."""
    path = source_path(scene)
    if path is None or not path.exists():
        return scene.name or "scene", ""
    return scene.name or path.stem, hashlib.sha256(path.read_bytes()).hexdigest()


def _extent(scene: Scene, bodies: PlacedBodies, kinematics: Kinematics) -> tuple[float, float]:
    """Diagonal of the box around bodies and anchors at the start [m], and the largest coordinate
    that they or a keyframe have [m].
    """
    position, radius = bodies.position[:-1], bodies.gyration[:-1, None]
    points = [position - radius, position + radius]
    anchors = [a for joint in scene.joints for a in (joint.anchor, joint.anchor2) if a is not None]
    if anchors:
        points.append(np.array(anchors, dtype=float))
    cloud = np.concatenate(points)
    if len(cloud) == 0:
        return 1.0, 1.0
    farthest = max(float(np.abs(cloud).max()), kinematics.farthest)
    return length(np.ptp(cloud, axis=0)), farthest


def _outputs(scene: Scene, body_row: Ints, bodies: PlacedBodies) -> tuple[Floats, Floats]:
    """Object origins and axes of all bodies seen from the rows they follow."""
    origin = np.zeros((len(scene.bodies), 3))
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (len(scene.bodies), 1))
    for i, body in enumerate(scene.bodies):
        if body.motion == "dynamic":
            back = conjugated(bodies.axes[body_row[i]])
            origin[i] = rotated(back, -bodies.center[body_row[i]])
            turned[i] = back
        elif body.motion == "static":
            origin[i] = body.position
            turned[i] = unit_rows([body.orientation])[0]
    return origin, turned


def _loads(
    scene: Scene, rows: dict[str, int], bodies: PlacedBodies, signals: SignalList
) -> Records:
    """The loads of Model; their factors are added to ``signals``."""
    loads, records = scene.loads, new_records(kinds.Load, len(scene.loads))
    on = np.array([rows[load.body] for load in loads], dtype=np.int64)
    back = conjugated(bodies.axes[on]).reshape(-1, 4)
    points = np.array(
        [
            bodies.center[row] if load.point is None else load.point
            for load, row in zip(loads, on, strict=True)
        ],
        dtype=float,
    ).reshape(-1, 3)
    records["body"], records["axes"] = on, back
    records["point"] = rotated(back, points - bodies.center[on].reshape(-1, 3))
    for record, load in zip(records, loads, strict=True):
        record["reaction"] = rows[load.reaction_body]
        record["force"], record["torque"] = load.force, load.torque
        record["in_body_axes"] = load.axes == "body"
        numbers = numbers_for(scene, load)
        record["signal"] = signals.add(load, numbers) if changes(load) else -1
    return records
