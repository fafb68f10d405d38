# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators that simulate and take in the motion, and clear what is kept of finished runs."""

from functools import partial

import bpy
from bpy.props import StringProperty

from ..checks import watching
from ..checks.listing import show_issues
from ..issues import ExportError, from_simulator
from ..running import simulation
from ..running.pieces import SceneGoneError
from ..simulator import places, runner
from .child import ChildOperator


class IMPULSE_OT_run_simulation(ChildOperator, bpy.types.Operator):
    """Simulate the tagged objects; the motion becomes keyframes while it is computed"""

    bl_idname = "impulse.run_simulation"
    bl_label = "Simulate"

    directory: StringProperty(
        name="Folder",
        description="Folder for scene and animation; empty: they are not kept",
        subtype="DIR_PATH",
    )

    def begin(self, context, *, is_live):
        """Export and start."""
        work = partial(simulation.starting, context, self.directory, is_live=is_live)
        return self.read(context, work, is_live=is_live)

    def was_read(self, context, result):
        """Begin to wait for the simulation, or say why there is none."""
        try:
            self._simulation = result()
        except (ExportError, runner.RunError, SceneGoneError) as error:
            return self.fail(context, error)
        except OSError as error:
            return self.fail(context, f"{error.filename} cannot be written: {error.strerror}.")
        show_issues(context.scene, self._simulation.issues)
        return self._simulation.run

    def ended(self, context, child):
        if isinstance(child, runner.StartCheck):
            return self._refused(context, child)
        found, run = self._simulation, self._simulation.run
        if run.scene is None:
            return self._end({"CANCELLED"})
        try:
            report = found.conclude()
        except OSError as error:
            return self._end(self.fail(context, f"{error.filename}: {error.strerror}."))
        failure = failure_of(run)
        if report is None and run.is_stopped:
            self.report({"WARNING"}, "Stopped before there was a frame.")
            return self._end({"CANCELLED"})
        if report is None:
            self._said = failure or "The simulator left no frames."
            if run.child is not None and run.child.refused:  # which objects, and where?
                return runner.StartCheck(found.command, found.path)
            return self._end(self.fail(context, self._said))
        if failure is not None and not run.is_stopped:
            self.report({"ERROR"}, f"{failure}\nThe motion so far is kept: {report}")
        else:
            text = simulation.end_text(report, run.scene, found)
            self.report({"WARNING" if report.missing else "INFO"}, text)
        watching.Watch.settle(context)
        return self._end({"FINISHED"})

    def _refused(self, context, check):
        """List what the simulator refuses, with the objects it is about."""
        try:
            problems = [] if check.is_stopped else check.result()
        except runner.RunError:
            problems = []
        issues = from_simulator(problems, self._simulation.scene)
        return self._end(self.fail(context, ExportError(issues) if issues else self._said))

    def _end(self, result):
        self._simulation.discard()
        return result


def failure_of(run):
    """What went wrong in a run that is over, None where nothing did."""
    if run.error is not None or run.child is None:
        return run.error
    try:
        run.child.result()
    except runner.RunError as error:
        return error
    return None


class IMPULSE_OT_clear_cache(bpy.types.Operator):
    """Remove the recordings of finished runs; the same scene is then simulated anew"""

    bl_idname = "impulse.clear_cache"
    bl_label = "Clear Cache"

    def execute(self, _context):
        number, size = places.store().clear()
        self.report({"INFO"}, f"{number} finished runs removed, {size / 1e6:.1f} MB")
        return {"FINISHED"}


CLASSES = (IMPULSE_OT_run_simulation, IMPULSE_OT_clear_cache)
