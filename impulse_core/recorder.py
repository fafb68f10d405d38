"""Collects frames during a run and turns them into a Recording with its report."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.accuracy import KICK, LEFT, LEFT_ERROR
from impulse_core.clearance import Clearances
from impulse_core.compile import CompiledScene
from impulse_core.compile.axes import FREE_AXES, explicit_servo_hint
from impulse_core.frames import GrowingRows, frame_bytes, frame_record
from impulse_core.invariants import observe
from impulse_core.joints.table import AXIS_ROWS, COUPLING, ROTATION_AXIS
from impulse_core.kernel_cache import kernels_compiled
from impulse_core.numerical_damping import damping_warnings
from impulse_core.options import OptionError, Options, finest_tolerance
from impulse_core.passivity import MOST_CREATED
from impulse_core.recording import Recording, state_hash, without_infinities
from impulse_core.rotations import conjugated, multiplied, rotated
from impulse_core.stepper import Stepper
from impulse_core.timeline import frame_times
from impulse_core.types import Floats

__all__ = ["FrameError", "Recorder"]


_AXIS_NAMES = {
    "rotation": ("angle", "drive_torque"),
    "translation": ("displacement", "drive_force"),
}
"""Recorded quantities of a free axis: its coordinate, and what acts along it."""

_LARGEST_TURN = 0.7  # rad per stage; there imp2 was seen to be wrong by 14 % in energy


_LARGEST_LEFT = 1e-4  # of the largest kinetic energy: 1 % of the velocities
_LARGEST_KICK = 1e-4  # the same, of one correction along rows that nearly repeat others


class FrameError(ArithmeticError):
    """A frame whose numbers have grown beyond what can be represented."""

    def __init__(self, time: float, hint: str = "") -> None:
        self.time = time
        super().__init__(
            f"at t = {time:.6g} s the energy is no longer a finite number; masses, velocities or"
            f" loads are too large{hint}"
        )


class Recorder:
    """Frames and events of a run, before which so many kernels had been compiled."""

    def __init__(
        self, compiled: CompiledScene, options: Options, stepper: Stepper, kernels_before: int
    ) -> None:
        self.compiled = compiled
        self.options = options
        self.stepper = stepper
        self.start_seconds = 0.0
        self._kernels_before = kernels_before
        self.events: list[dict[str, Any]] = []
        self._count = 0
        self._clearances = Clearances(compiled)
        frames = len(frame_times(options.duration, options.fps, options.step))
        record, size = (
            frame_record(compiled.model, len(self._clearances.names)),
            frame_bytes(stepper.model, len(compiled.body_names), len(self._clearances.names)),
        )
        try:
            self._frames = np.empty(frames, dtype=record)
            # held back for ``recording``, so that there is memory for it; costs none until used
            self._reserve: NDArray[np.uint8] | None = np.empty(
                frames * (size - record.itemsize), dtype=np.uint8
            )
        except MemoryError:
            raise OptionError(
                f"{frames} frames of this scene take {1e-9 * frames * size:.2g} GB, which this"
                " machine does not give; record fewer frames per second or simulate a shorter time."
            ) from None
        self._contact_bodies = GrowingRows(3, np.int64)
        self._contact_vectors = GrowingRows(9, float)

    def add_frame(self, time: float) -> None:
        """Record the stepper's present state."""
        s = self.stepper
        kinetic, potential, linear, angular = observe(s.model, s.state, s.work)
        if not np.isfinite([kinetic, potential, *linear, *angular]).all():
            raise FrameError(time, explicit_servo_hint(self.compiled.scene))
        s.find_reactions()
        frame = self._frames[self._count]
        frame["time"] = time
        frame["position"], frame["orientation"] = s.state.position, s.state.orientation
        frame["term_position"] = s.state.term_position
        frame["energy"], frame["momentum"] = (kinetic, potential), (linear, angular)
        frame["reaction"][:, 0] = s.work.reactions["force"]
        frame["reaction"][:, 1] = s.work.reactions["torque"]
        frame["axis_position"], frame["axis_force"] = s.state.axis_position, s.work.axes["force"]
        frame["clearance"] = self._clearances.at(s.state)
        frame["turned"] = s.tally.turned[:, 0]
        if self.options.record_contacts:
            self._add_contacts()
        self._count += 1

    def _add_contacts(self) -> None:
        points = self.stepper.runner.contact_points(self.stepper.state)
        if points is not None:
            number = np.full(len(points.body1), self._count)
            bodies = np.stack([number, points.body1, points.body2], axis=1)
            vectors = np.concatenate([points.point, points.normal, points.force], axis=1)
            self._contact_vectors.add(vectors)
            self._contact_bodies.add(bodies)

    def recording(self, *, complete: bool, interrupted: bool = False) -> Recording:
        """Everything so far."""
        self._reserve = None
        frames = self._frames[: self._count]
        positions, orientations = self.compiled.user_poses(
            frames["position"], frames["orientation"]
        )
        energy, momentum = frames["energy"], frames["momentum"]
        diagnostics = without_infinities(self._report())
        diagnostics["interrupted"] = interrupted
        return Recording(
            scene=self.compiled.name,
            scene_sha256=self.compiled.sha256,
            fps=self.options.fps,
            step=self.options.step,
            method=self.options.method,
            solver=self.options.solver,
            complete=complete,
            times=frames["time"],
            body_names=tuple(self.compiled.body_names),
            positions=positions,
            orientations=orientations,
            joints=self._joint_quantities(frames),
            bodies={
                name: {"clearance": frames["clearance"][:, k]}
                for k, name in enumerate(self._clearances.names)
            },
            contacts=self._contact_points(),
            energy={
                "kinetic": energy[:, 0],
                "potential": energy[:, 1],
                "total": energy[:, 0] + energy[:, 1],
            },
            momentum={"linear": momentum[:, 0], "angular": momentum[:, 1]},
            events=without_infinities([*self.stepper.events, *self.events]),
            diagnostics=diagnostics,
        )

    def _joint_quantities(self, frames: NDArray[np.void]) -> dict[str, dict[str, Floats]]:
        """Coordinates of free axes, what acts along them, and reactions, by joint.

        Angles go on over full turns, which the simulation counted.
        """
        compiled, model = self.compiled, self.compiled.model
        reaction = frames["reaction"]
        quantities: dict[str, dict[str, Floats]] = {}
        for j, (joint, name) in enumerate(
            zip(compiled.scene.joints, compiled.joint_names, strict=True)
        ):
            if joint.type == "coupling":
                continue
            found: dict[str, Floats] = {}
            for freedom in FREE_AXES.get(joint.type, ()):
                coordinate, drive = _AXIS_NAMES[freedom]
                acting = (model.axes["joint"] == j) & (model.axes["row"] == AXIS_ROWS[freedom])
                if acting.any():
                    k = int(np.flatnonzero(acting)[0])
                    found[coordinate] = frames["axis_position"][:, k]
                    found[drive] = frames["axis_force"][:, k]
                elif freedom == "rotation":
                    found[coordinate] = self._angle(j, frames)
                else:
                    found[coordinate] = self._displacement(j, frames)
            found["force"], found["torque"] = reaction[:, j, 0], reaction[:, j, 1]
            quantities[name] = found
        terms = frames["term_position"]
        for k in np.flatnonzero(model.couplings.terms["row"] == ROTATION_AXIS):
            name = compiled.joint_names[model.couplings.terms["joint"][k]]
            quantities[name]["angle"] = terms[:, k] - terms[:1, k]
        return quantities

    def _angle(self, j: int, frames: NDArray[np.void]) -> Floats:
        """Angle of a joint about its axis [rad], zero at the start, by the turns counted."""
        model, orientation = self.compiled.model, frames["orientation"]
        q1, q2 = orientation[:, model.joints["body1"][j]], orientation[:, model.joints["body2"][j]]
        turned = multiplied(
            multiplied(conjugated(q1), q2), conjugated(model.joints["relative_orientation"][j])
        )
        angle = 2.0 * np.arctan2(turned[:, 1:] @ model.joints["axis1"][j], turned[:, 0])
        near = frames["turned"][:, np.searchsorted(model.counted_joint, j)]
        angle += 2.0 * np.pi * np.round((near - angle) / (2.0 * np.pi))
        moved: Floats = angle - angle[:1]
        return moved

    def _displacement(self, j: int, frames: NDArray[np.void]) -> Floats:
        """Displacement of a joint along its axis [m], zero at the start."""
        model, position, orientation = (
            self.compiled.model,
            frames["position"],
            frames["orientation"],
        )
        i1, i2 = model.joints["body1"][j], model.joints["body2"][j]
        A = position[:, i1] + rotated(orientation[:, i1], model.joints["anchor1"][j])
        B = position[:, i2] + rotated(orientation[:, i2], model.joints["anchor2"][j])
        along = np.sum(rotated(orientation[:, i1], model.joints["axis1"][j]) * (B - A), axis=1)
        moved: Floats = along - along[:1]
        return moved

    def _contact_points(self) -> dict[str, Any]:
        """All recorded contact points, with the frame that each belongs to."""
        if not self.options.record_contacts or self.compiled.shapes is None:
            return {}
        bodies = self._contact_bodies.used()
        bodies = bodies[: np.searchsorted(bodies[:, 0], self._count)]  # of whole frames
        vectors = self._contact_vectors.used()[: len(bodies)]
        return {
            "frame": bodies[:, 0],
            "body1": bodies[:, 1],
            "body2": bodies[:, 2],
            "point": vectors[:, :3],
            "normal": vectors[:, 3:6],
            "force": vectors[:, 6:],
        }

    def _report(self) -> dict[str, Any]:
        """The keys of ``impulse run --report`` (docs/files.md)."""
        s, tally = self.stepper, self.stepper.tally
        steps = max(s.steps, 1)
        seconds = np.array([seconds for seconds, _ in s.call_seconds] or [0.0])
        counts = np.array([count for _, count in s.call_seconds] or [1])
        isolated = _is_isolated(self.compiled)
        of_loads, of_motors = float(tally.work[0]), float(tally.motor_work[0])
        of_kinematics, dissipated = float(tally.kinematic_work[0]), float(tally.dissipated[0])
        work = of_loads + of_kinematics + of_motors - dissipated
        return {
            "compile_seconds": s.compile_seconds,
            "kernels_compiled": kernels_compiled() - self._kernels_before,
            "wall_seconds_total": float(seconds @ counts),
            "start_seconds": self.start_seconds,
            "step_count": s.steps,
            "seconds_per_step": {
                "mean": float(seconds @ counts / counts.sum()),
                "median": float(np.median(np.repeat(seconds, counts))),
                "max": float(seconds.max()),
            },
            "corrections_per_step": {
                "mean": float(tally.corrections[0]) / steps,
                "max": int(tally.most_corrections[0]),
            },
            "velocity_corrections_per_step": {
                "mean": float(tally.velocity_corrections[0]) / steps,
                "max": int(tally.most_velocity_corrections[0]),
            },
            "impulses_per_step": self._impulses(steps),
            "budget": self._budget(steps),
            "max_joint_error_m": float(tally.translation_error[0]),
            "max_joint_angle_error_rad": float(tally.rotation_error[0]),
            "energy_j": {
                "initial": float(tally.start_energy[0]),
                "final": float(tally.energy[0]) + work,
                "work_of_loads": of_loads,
                "work_of_kinematic_bodies": of_kinematics,
                "work_of_motors": of_motors,
                "dissipated": dissipated,
                "created": float(tally.created[0]),
                "max_abs_drift": float(tally.largest_drift[0]),
                "mean_abs_drift": float(tally.drift_sum[0]) / steps,
                "mean_abs_increment": float(tally.increment_sum[0]) / steps,
            },
            "momentum_drift": {
                "linear": float(tally.momentum_drift[0]) if isolated else None,
                "angular": float(tally.momentum_drift[1]) if isolated else None,
            },
            "contacts": s.runner.contact_figures(steps),
            "state_sha256": self._state_hash(),
            "halvings": int(tally.halvings[0]),
            "tolerance_m": s.tolerance,
            "start": s.start,
            "warnings": self._warnings(),
        }

    def _impulses(self, steps: int) -> dict[str, float]:
        """Impulses computed for single joints; solvers of the whole system compute them all."""
        tally = self.stepper.tally
        if self.options.solver == "iterative":
            total, most = int(tally.impulses[0]), int(tally.most_impulses[0])
        else:
            joints = len(self.stepper.model.joints)
            total = joints * int(tally.corrections[0] + tally.velocity_corrections[0])
            most = joints * int(tally.most_corrections[0] + tally.most_velocity_corrections[0])
        return {"mean": total / steps, "max": most}

    def _budget(self, steps: int) -> dict[str, Any] | None:
        """What a budget cost in accuracy; None if there was none."""
        options, tally = self.options, self.stepper.tally
        if options.budget_ms is None and options.budget_corrections is None:
            return None
        return {
            "limit_ms": options.budget_ms,
            "limit_corrections": options.budget_corrections,
            "steps_cut": int(tally.cut_steps[0]),
            "mean_joint_error_m": float(tally.step_error_sum[0]) / steps,
            "max_joint_error_m": float(tally.largest_step_error[0]),
        }

    def _warnings(self) -> list[str]:
        """What the user should know beside the numbers."""
        return [
            *self.compiled.warnings,
            *(
                f"body '{name}' has nothing that it may touch, so its clearance is not recorded"
                for name in self._clearances.alone
            ),
            *self._start_warnings(),
            *self._turn_warnings(),
            *self._tolerance_warnings(),
            *self._energy_warnings(),
            *damping_warnings(self.compiled, self.options.step),
        ]

    def _start_warnings(self) -> list[str]:
        """What the start state had to be changed by, where it was more than rounding."""
        start, tolerance = self.stepper.start, self.stepper.tolerance
        warnings = []
        if start["joint_error_before_m"] > tolerance:
            warnings.append(
                f"joints started up to {start['joint_error_before_m']:.3g} m apart and were pulled"
                f" together; bodies moved by up to {start['max_shift_m']:.3g} m and"
                f" {start['max_turn_rad']:.3g} rad"
            )
        if start["max_velocity_change_m_s"] > 1e-6 * max(1.0, self.compiled.size):
            warnings.append(
                "start velocities did not fit the joints and were changed by up to"
                f" {start['max_velocity_change_m_s']:.3g} m/s"
            )
        return warnings

    def _turn_warnings(self) -> list[str]:
        """Joined bodies that turn so far in a stage that the joints may close on a wrong motion."""
        s = self.stepper
        longest = self.options.step * float(np.abs(s.fractions).max())
        turn = float(s.tally.fastest[0]) * longest
        if len(s.model.joints) == 0 or not (turn > _LARGEST_TURN):
            return []
        enough = self.options.step * _LARGEST_TURN / turn
        warning = (
            f"bodies turn by up to {turn:.3g} rad within a stage of {longest:.3g} s, so the motion"
            f" may be wrong although the joints hold; a step of {enough:.2g} s or less is safe"
        )
        return [warning]

    def _energy_warnings(self) -> list[str]:
        """Energy that impacts by Newton's law gave, which can be more than they took."""
        created = float(self.stepper.tally.created[0])
        moving = float(self._frames["energy"][: self._count, 0].max(initial=0.0))
        if self.options.impact_law != "newton" or not (created > MOST_CREATED * moving):
            return []
        warning = (
            f"impacts by impact_law newton created {created:.3g} J, which that law can where bodies"
            " touch at several points or rub; impact_law poisson does not"
        )
        return [warning]

    def _tolerance_warnings(self) -> list[str]:
        """Joints of which the tolerance leaves, or then corrects, more than the motion bears."""
        s, tally = self.stepper, self.stepper.tally
        most = float(tally.most_kinetic[0])
        left = float(tally.unresolved[LEFT])
        # corrections that follow may take it back: no jump is larger than what the energy shows
        kick = min(float(tally.unresolved[KICK]), float(tally.largest_drift[0]))
        warnings = []
        if left > _LARGEST_LEFT * most > 0.0:
            joint = s.joint_name(int(tally.unresolved_joint[0]))
            wanted = float(tally.unresolved[LEFT_ERROR]) * math.sqrt(_LARGEST_LEFT * most / left)
            warnings.append(
                f"a tolerance of {s.tolerance:.2g} m is coarse for steps of"
                f" {self.options.step:.3g} s: what it leaves of joint '{joint}' and others adds up"
                f" to {math.sqrt(left / most):.2g} of the largest velocities, and smaller steps"
                f" make it worse; use {self._finer(wanted)}"
            )
        if kick > _LARGEST_KICK * most > 0.0:
            joint = s.joint_name(int(tally.unresolved_joint[1]))
            wanted = s.tolerance * math.sqrt(_LARGEST_KICK * most / kick)
            warnings.append(
                f"joint '{joint}' nearly repeats what others in its loop hold: closing a gap moved"
                f" bodies hundreds of times as far, with {kick:.2g} J, and the energy may have"
                f" jumped by as much; use {self._finer(wanted)},"
                " or a joint that leaves free what the others hold already"
            )
        return warnings

    def _finer(self, tolerance: float) -> str:
        """The option that asks for the next power of ten below a tolerance [m]."""
        wanted = 10.0 ** math.floor(math.log10(tolerance))
        possible = 10.0 ** math.ceil(math.log10(finest_tolerance(self.compiled)))
        if wanted >= possible:
            return f"--tolerance {wanted:.0e}"
        return f"--tolerance {possible:.0e}, the finest for this scene, and larger steps"

    def _state_hash(self) -> str:
        """Of all bodies in the order of the scene; static ones rest at their pose."""
        s, rows = self.stepper, self.compiled.body_row
        w = rotated(
            s.state.orientation,
            s.model.bodies["inverse_inertia"]
            * rotated(conjugated(s.state.orientation), s.state.angular_momentum),
        )
        w[s.model.dynamic : -1] = s.state.spin
        positions, orientations = self.compiled.user_poses(s.state.position, s.state.orientation)
        velocities = np.concatenate([s.state.velocity, w], axis=1)
        return state_hash(positions, orientations, velocities[rows])


def _is_isolated(compiled: CompiledScene) -> bool:
    """No gravity, no load, no joint to a body that is not dynamic, and no such body to touch: total
    momentum is conserved.
    """
    model, shapes = compiled.model, compiled.shapes
    if shapes is not None and np.any(shapes.body >= model.dynamic):
        return False
    joins = model.joints["translation_part"] != COUPLING
    return not (
        np.any(model.gravity)
        or len(model.loads)
        or np.any(model.joints["body1"][joins] >= model.dynamic)
        or np.any(model.joints["body2"][joins] >= model.dynamic)
    )
