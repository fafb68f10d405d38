"""Collects frames during a run and turns them into a Recording with its report."""

from __future__ import annotations

import math
import time as clock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.analysis.numerical_damping import damping_warnings
from impulse_core.compile import CompiledScene
from impulse_core.compile.axes import explicit_servo_hint
from impulse_core.contact.account import MOST_CREATED
from impulse_core.geometry.rotations import conjugated, rotated
from impulse_core.jit.kernel_cache import kernels_compiled
from impulse_core.joints.table import COUPLING
from impulse_core.model.options import Options
from impulse_core.observables.invariants import observe
from impulse_core.recording import GrowingFile, Recording, state_hash, without_infinities
from impulse_core.recording.chunked_file import LARGEST_CHUNK
from impulse_core.recording.data import RecordingData
from impulse_core.simulation.clearance import Clearances
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.frames import GrowingRows, frame_bytes, frame_record
from impulse_core.simulation.joint_quantities import joint_quantities
from impulse_core.simulation.options import OptionError, finest_tolerance
from impulse_core.simulation.timeline import frame_times

__all__ = ["FrameError", "Recorder"]


_SECONDS_OF_A_CHUNK = 1.0  # of frames that a killed run may lose
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
    """Frames and events of a run, before which so many kernels had been compiled.

    Where there is a file that grows, frames go there once a second.
    """

    def __init__(
        self,
        compiled: CompiledScene,
        options: Options,
        engine: Engine,
        kernels_before: int,
        *,
        run_key: str = "",
        file: GrowingFile | None = None,
    ) -> None:
        self.compiled = compiled
        self.options = options
        self.engine = engine
        self.start_seconds = 0.0
        self._kernels_before = kernels_before
        self._run_key = run_key
        self._file = file
        self._kept_frames = 0  # that are in the file
        self._kept_events = 0
        self._kept_at = -math.inf  # when
        self.events: list[dict[str, Any]] = []
        self._count = 0
        self._clearances = Clearances(compiled)
        frames = len(frame_times(options.duration, options.fps, options.step))
        record, size = (
            frame_record(compiled.model, len(self._clearances.names)),
            frame_bytes(engine.model, len(compiled.body_names), len(self._clearances.names)),
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
        """Record the engine's present state."""
        s = self.engine
        kinetic, potential, linear, angular = observe(s.model, s.state, s.work)
        if not np.isfinite([kinetic, potential, *linear, *angular]).all():
            raise FrameError(time, explicit_servo_hint(self.compiled.scene))
        s.find_reactions()
        frame = self._frames[self._count]
        frame["time"] = time
        frame["position"] = s.state.bodies["position"]
        frame["orientation"] = s.state.bodies["orientation"]
        frame["term_position"] = s.state.terms["position"]
        frame["energy"], frame["momentum"] = (kinetic, potential), (linear, angular)
        frame["reaction"][:, 0] = s.work.reactions["force"]
        frame["reaction"][:, 1] = s.work.reactions["torque"]
        frame["axis_position"] = s.state.axes["position"]
        frame["axis_force"] = s.state.axes["force"]
        frame["clearance"] = self._clearances.at(s.state)
        frame["turned"] = s.state.turns["angle"]
        if self.options.record_contacts:
            self._add_contacts()
        self._count += 1
        self._keep(_SECONDS_OF_A_CHUNK)

    def _keep(self, seconds: float) -> None:
        """Write the frames that are not in the file yet, if the last were so long ago [s]."""
        if self._file is None or self._file.problem:
            return
        new = self._frames[self._kept_frames : self._count]
        if clock.monotonic() - self._kept_at < seconds and new.nbytes < LARGEST_CHUNK:
            return
        if len(new):
            events = self._events()
            diagnostics = {"run_key": self._run_key}
            parts = self._parts(self._kept_frames)
            new_events = events[self._kept_events :]
            self._file.add(RecordingData(**parts, events=new_events, diagnostics=diagnostics))
            self._kept_frames, self._kept_events = self._count, len(events)
        self._kept_at = clock.monotonic()

    def end_file(self, recording: Recording) -> None:
        """Write what is left to write of a run's recording to the file that grows."""
        if self._file is not None:
            self._keep(0.0)
            self._file.end(recording)

    def _add_contacts(self) -> None:
        points = self.engine.runner.contact_points(self.engine.state)
        if points is not None:
            number = np.full(len(points.body1), self._count)
            bodies = np.stack([number, points.body1, points.body2], axis=1)
            vectors = np.concatenate([points.point, points.normal, points.force], axis=1)
            self._contact_vectors.add(vectors)
            self._contact_bodies.add(bodies)

    def recording(self, *, complete: bool, interrupted: bool = False) -> Recording:
        """Everything so far."""
        self._reserve = None
        diagnostics = without_infinities(self._report())
        diagnostics["interrupted"] = interrupted
        return Recording(
            **self._parts(), complete=complete, events=self._events(), diagnostics=diagnostics
        )

    def _parts(self, first: int = 0) -> dict[str, Any]:
        """The frames from one on, and what they are of."""
        frames = self._frames[first : self._count]
        positions, orientations = self.compiled.user_poses(
            frames["position"], frames["orientation"]
        )
        energy, momentum = frames["energy"], frames["momentum"]
        return {
            "scene": self.compiled.name,
            "scene_sha256": self.compiled.sha256,
            "fps": self.options.fps,
            "step": self.options.step,
            "method": self.options.method,
            "solver": self.options.solver,
            "times": frames["time"],
            "body_names": tuple(self.compiled.body_names),
            "positions": positions,
            "orientations": orientations,
            "joints": joint_quantities(self.compiled, frames, self._frames[:1]),
            "bodies": {
                name: {"clearance": frames["clearance"][:, k]}
                for k, name in enumerate(self._clearances.names)
            },
            "contacts": self._contact_points(first),
            "energy": {
                "kinetic": energy[:, 0],
                "potential": energy[:, 1],
                "total": energy[:, 0] + energy[:, 1],
            },
            "momentum": {"linear": momentum[:, 0], "angular": momentum[:, 1]},
        }

    def _events(self) -> list[dict[str, Any]]:
        """What happened so far."""
        events: list[dict[str, Any]] = without_infinities([*self.engine.events, *self.events])
        return events

    def _contact_points(self, first: int) -> dict[str, Any]:
        """Recorded contact points of frames from one on, with the frame that each belongs to."""
        if not self.options.record_contacts or self.compiled.shapes is None:
            return {}
        bodies = self._contact_bodies.used()
        start, stop = np.searchsorted(bodies[:, 0], [first, self._count])  # of whole frames
        bodies, vectors = bodies[start:stop], self._contact_vectors.used()[start:stop]
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
        s, totals = self.engine, self.engine.tally.totals[0]
        steps = max(s.steps, 1)
        seconds = np.array([seconds for seconds, _ in s.call_seconds] or [0.0])
        counts = np.array([count for _, count in s.call_seconds] or [1])
        isolated = _is_isolated(self.compiled)
        of_loads, of_motors = float(totals["work"]), float(totals["motor_work"])
        of_kinematics, dissipated = float(totals["kinematic_work"]), float(totals["dissipated"])
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
                "mean": float(totals["corrections"]) / steps,
                "max": int(totals["most_corrections"]),
            },
            "velocity_corrections_per_step": {
                "mean": float(totals["velocity_corrections"]) / steps,
                "max": int(totals["most_velocity_corrections"]),
            },
            "impulses_per_step": self._impulses(steps),
            "budget": self._budget(steps),
            "max_joint_error_m": float(totals["translation_error"]),
            "max_joint_angle_error_rad": float(totals["rotation_error"]),
            "energy_j": {
                "initial": float(totals["start_energy"]),
                "final": float(totals["energy"]) + work,
                "work_of_loads": of_loads,
                "work_of_kinematic_bodies": of_kinematics,
                "work_of_motors": of_motors,
                "dissipated": dissipated,
                "created": float(totals["created"]),
                "max_abs_drift": float(totals["largest_drift"]),
                "mean_abs_drift": float(totals["drift_sum"]) / steps,
                "mean_abs_increment": float(totals["increment_sum"]) / steps,
            },
            "momentum_drift": {
                "linear": float(totals["momentum_drift"]) if isolated else None,
                "angular": float(totals["angular_momentum_drift"]) if isolated else None,
            },
            "contacts": s.runner.contact_figures(totals),
            "state_sha256": self._state_hash(),
            "halvings": int(totals["halvings"]),
            "tolerance_m": s.tolerance,
            "start": s.start,
            "run_key": self._run_key,
            "warnings": self._warnings(),
        }

    def _impulses(self, steps: int) -> dict[str, float]:
        """Impulses computed for single joints; solvers of the whole system compute them all."""
        totals = self.engine.tally.totals[0]
        if self.options.solver == "iterative":
            total, most = int(totals["impulses"]), int(totals["most_impulses"])
        else:
            joints = len(self.engine.model.joints)
            total = joints * int(totals["corrections"] + totals["velocity_corrections"])
            most = joints * int(totals["most_corrections"] + totals["most_velocity_corrections"])
        return {"mean": total / steps, "max": most}

    def _budget(self, steps: int) -> dict[str, Any] | None:
        """What a budget cost in accuracy; None if there was none."""
        options, totals = self.options, self.engine.tally.totals[0]
        if options.budget_ms is None and options.budget_corrections is None:
            return None
        return {
            "limit_ms": options.budget_ms,
            "limit_corrections": options.budget_corrections,
            "steps_cut": int(totals["cut_steps"]),
            "mean_joint_error_m": float(totals["step_error_sum"]) / steps,
            "max_joint_error_m": float(totals["largest_step_error"]),
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
            *self._file_warnings(),
        ]

    def _file_warnings(self) -> list[str]:
        """What became of the file that grows."""
        if self._file is None:
            return []
        return [*self._file.notes, *filter(None, [self._file.problem])]

    def _start_warnings(self) -> list[str]:
        """What the start state had to be changed by, where it was more than rounding."""
        start, tolerance = self.engine.start, self.engine.tolerance
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
        s = self.engine
        longest = self.options.step * float(np.abs(s.fractions).max())
        turn = float(s.tally.totals["fastest"][0]) * longest
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
        created = float(self.engine.tally.totals["created"][0])
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
        s, totals = self.engine, self.engine.tally.totals[0]
        most = float(totals["most_kinetic"])
        left = float(totals["left"])
        # corrections that follow may take it back: no jump is larger than what the energy shows
        kick = min(float(totals["kick"]), float(totals["largest_drift"]))
        warnings = []
        if left > _LARGEST_LEFT * most > 0.0:
            joint = s.joint_name(int(totals["left_joint"]))
            wanted = float(totals["left_error"]) * math.sqrt(_LARGEST_LEFT * most / left)
            warnings.append(
                f"a tolerance of {s.tolerance:.2g} m is coarse for steps of"
                f" {self.options.step:.3g} s: what it leaves of joint '{joint}' and others adds up"
                f" to {math.sqrt(left / most):.2g} of the largest velocities, and smaller steps"
                f" make it worse; use {self._finer(wanted)}"
            )
        if kick > _LARGEST_KICK * most > 0.0:
            joint = s.joint_name(int(totals["kick_joint"]))
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
        s, rows = self.engine, self.compiled.body_row
        w = rotated(
            s.state.bodies["orientation"],
            s.model.bodies["inverse_inertia"]
            * rotated(
                conjugated(s.state.bodies["orientation"]), s.state.bodies["angular_momentum"]
            ),
        )
        w[s.model.dynamic : -1] = s.state.kinematic["spin"]
        positions, orientations = self.compiled.user_poses(
            s.state.bodies["position"], s.state.bodies["orientation"]
        )
        velocities = np.concatenate([s.state.bodies["velocity"], w], axis=1)
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
