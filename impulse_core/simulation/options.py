"""How a scene is to be simulated: arguments over scene settings over defaults."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial

import numpy as np

from impulse_core.compile import (
    CompiledScene,
    Scene,
    SceneError,
    beyond,
    bounds_of,
)
from impulse_core.compile.problems import NOT_SIMULATED, ProblemList
from impulse_core.methods.comparison import COMPARISON_ORDERS, cannot_express, more_than_joints
from impulse_core.methods.imp import ORDERS as COMPOSITION_ORDERS
from impulse_core.methods.imp import default_tolerance
from impulse_core.methods.stiffness import too_stiff_axis
from impulse_core.model import FLOW_RK4
from impulse_core.model.options import Options
from impulse_core.simulation.frames import frame_bytes
from impulse_core.simulation.names import Names

ORDERS = COMPOSITION_ORDERS | COMPARISON_ORDERS
SOLVERS = ("direct", "sle", "iterative")

_MOST_STEPS = 1e9
_MOST_CORRECTIONS = 1_000_000_000
_MOST_MEMORY = 8e9  # B, for frames
_LEFT_BY_CONTACTS = 5e-7  # of the scene's size, where no tolerance is given

# A joint error is the difference of two sums of coordinates, each good to a few units in the last
# place; below this many a correction could stall on round-off.
_ROUND_OFFS = 8.0

__all__ = [
    "SOLVERS",
    "OptionError",
    "Options",
    "assembles",
    "choose_options",
    "choose_threads",
    "finest_tolerance",
]


class OptionError(ValueError):
    """An option of ``simulate`` that cannot be used; the message says what to write instead."""


def choose_options(
    compiled: CompiledScene,
    *,
    duration: float | None = None,
    step: float | None = None,
    fps: float | None = None,
    method: str | None = None,
    solver: str | None = None,
    tolerance: float | None = None,
    budget_ms: float | None = None,
    budget_corrections: int | None = None,
    time_of_impact: bool | None = None,
    contacts: bool | None = None,
    threads: int = 1,
) -> Options:
    """Merge arguments and settings, and refuse what cannot be run.

    Raises:
        OptionError: An argument that is not usable.
        SceneError: A setting of the scene that is not simulated yet.
    """
    settings = compiled.scene.settings
    chosen = Options(
        duration=_positive("duration", "s", duration, settings.duration),
        step=_positive("step", "s", step, settings.step),
        fps=_positive("fps", "1/s", fps, settings.fps),
        method=method or settings.method,
        solver=solver or settings.solver,
        tolerance=0.0,
        budget_ms=None if budget_ms is None else _positive("budget_ms", "ms", budget_ms, 0.0),
        budget_corrections=_whole("budget_corrections", budget_corrections),
        time_of_impact=settings.time_of_impact if time_of_impact is None else bool(time_of_impact),
        impact_law=settings.impact_law,
        sleeping=settings.sleeping,
        record_contacts=settings.record_contacts if contacts is None else bool(contacts),
        threads=threads,
    )
    refuse_method = partial(_refuse, compiled, "method", method is not None)
    refuse_solver = partial(_refuse, compiled, "solver", solver is not None)
    _check_method(compiled, chosen, refuse_method)
    _check_solver(compiled, chosen, refuse_solver)
    if compiled.solids is not None:
        _check_contact(chosen, refuse_method, refuse_solver)
    _check_budget(chosen)
    clearances = sum(body.record_clearance for body in compiled.scene.bodies)
    _check_size(chosen, frame_bytes(compiled.model, len(compiled.body_names), clearances))
    _check_order(compiled, chosen, method is not None)
    if chosen.step > chosen.duration:
        raise OptionError(
            f"the step ({chosen.step:g} s) is longer than the duration ({chosen.duration:g} s);"
            " make the step smaller."
        )
    wanted = tolerance if tolerance is not None else settings.tolerance
    return replace(
        chosen,
        tolerance=_tolerance(compiled, chosen, wanted),
        left_by_contacts=_LEFT_BY_CONTACTS * compiled.size if wanted is None else 0.0,
    )


def finest_tolerance(compiled: CompiledScene) -> float:
    """The smallest joint error that coordinates of the scene can tell from round-off [m]."""
    return max(_ROUND_OFFS * float(np.finfo(float).eps) * compiled.farthest, bounds_of("m").least)


def _tolerance(compiled: CompiledScene, options: Options, wanted: float | None) -> float:
    """The tolerance that is wanted, or that of the method, the step and the scene's size [m]."""
    finest = finest_tolerance(compiled)
    order = ORDERS[options.method]
    default = max(default_tolerance(order, options.step, compiled.size), finest)
    chosen = _positive("tolerance", "m", wanted, default)
    if chosen < finest:
        raise OptionError(
            f"the tolerance {chosen:.3g} m is finer than coordinates of"
            f" {compiled.farthest:.3g} m can hold; write {finest:.2g} or more."
        )
    if chosen > max(default, compiled.size) > 0.0:
        raise OptionError(
            f"the tolerance {chosen:.3g} m is larger than the machine ({compiled.size:.3g} m);"
            f" leave it out for {default:.2g} m, or write less."
        )
    return chosen


def _check_method(compiled: CompiledScene, options: Options, refuse: Callable[..., None]) -> None:
    """Refuse a method that is none, or that cannot express the scene."""
    method = options.method
    if method not in ORDERS:
        raise OptionError(f"there is no method {method}; use one of {', '.join(ORDERS)}.")
    if method in COMPARISON_ORDERS and (problem := cannot_express(compiled, method)):
        refuse(f"{method} cannot simulate this scene: {problem}", "use imp2")


def _check_solver(compiled: CompiledScene, options: Options, refuse: Callable[..., None]) -> None:
    """Refuse a solver that is none, that the method has not, or that cannot solve the scene."""
    method, solver = options.method, options.solver
    if solver not in SOLVERS:
        refuse(f"there is no solver {solver}", f"use one of {', '.join(SOLVERS)}")
    if solver == "direct":
        return
    if method in COMPARISON_ORDERS:
        refuse(
            f"method {method} has no solver {solver}",
            "use solver direct, or one of imp2 to imp10",
        )
    if problem := more_than_joints(compiled):
        refuse(f"solver {solver} cannot simulate this scene: {problem}", "use solver direct")


def _check_order(compiled: CompiledScene, options: Options, method_given: bool) -> None:
    """Refuse what would cost a method of a higher order that order."""
    method = options.method
    if ORDERS[method] <= 2:
        return
    if compiled.model.flow == FLOW_RK4:
        _refuse(
            compiled,
            "free_motion",
            method_given,
            f"free_motion rk4 is not symmetric in time, so {method} would lose its order"
            if method in COMPOSITION_ORDERS
            else f"{method} integrates rotations itself, so free_motion rk4 has no meaning",
            "use free_motion exact, or method imp2",
        )
    if method in COMPOSITION_ORDERS and compiled.dissipation:
        _refuse(
            compiled,
            "method",
            method_given,
            f"method {method} takes stages backwards in time, which {compiled.dissipation}"
            " cannot follow",
            "use imp2",
        )
    _check_stiffness(compiled, options, method_given)


def _check_stiffness(compiled: CompiledScene, options: Options, method_given: bool) -> None:
    """Refuse what is too stiff along an axis for such steps of a method that has a limit."""
    method = options.method
    found = too_stiff_axis(compiled, method, options.step)
    if found is None:
        return
    axis, longest = found
    joint = Names(compiled).described(int(compiled.model.axes["joint"][axis]))
    because = (
        f"method {method} takes stages backwards in time, for which a damper or servo of {joint}"
        if method in COMPOSITION_ORDERS
        else f"method {method} takes explicit steps, for which a spring, damper or servo of {joint}"
    )
    _refuse(
        compiled,
        "method",
        method_given,
        f"{because} is too stiff in steps of {options.step:g} s",
        f"use imp2, or steps of {_rounded_down(longest):g} s or less",
    )


def _rounded_down(x: float) -> float:
    unit = 10.0 ** (math.floor(math.log10(x)) - 1)
    return math.floor(x / unit) * unit


def _check_contact(
    options: Options, refuse_method: Callable[..., None], refuse_solver: Callable[..., None]
) -> None:
    """Refuse what simulates no contact where bodies can touch."""
    because = "has no contact, and bodies of this scene can touch"
    otherwise = 'or let nothing touch: collision_filter default="false"'
    if options.method != "imp2":
        refuse_method(f"method {options.method} {because}", f"use imp2, {otherwise}")
    if options.solver != "direct":
        refuse_solver(f"solver {options.solver} {because}", f"use direct, {otherwise}")


def _check_budget(options: Options) -> None:
    """Refuse a budget that the solver could not keep, or two of them."""
    given = [
        name.replace("_", " ")
        for name in ("budget_ms", "budget_corrections")
        if getattr(options, name) is not None
    ]
    if given and options.solver != "iterative":
        raise OptionError(
            f"a {given[0]} needs a solver that may stop anywhere, and {options.solver} may not;"
            " use solver iterative."
        )
    if len(given) > 1:
        raise OptionError("budget_ms and budget_corrections exclude each other; leave one out.")


def _check_size(options: Options, size: int) -> None:
    """Refuse what could neither be waited for nor be stored in frames of a size [B]."""
    steps = options.duration / options.step
    if steps > _MOST_STEPS:
        raise OptionError(
            f"{options.duration:g} s in steps of {options.step:g} s are {steps:.2g} steps, the"
            f" limit is {_MOST_STEPS:.0e}; make the step larger or the duration shorter."
        )
    frames = options.duration * options.fps
    if frames * size > _MOST_MEMORY:
        raise OptionError(
            f"{frames:.2g} frames of {size / 1000:.2g} kB do not fit into memory, the limit is"
            f" {1e-9 * _MOST_MEMORY:g} GB; record fewer frames per second or simulate a shorter"
            " time."
        )


def _positive(name: str, unit: str, value: float | None, default: float) -> float:
    value = default if value is None else float(value)
    if not (0.0 < value < math.inf):
        raise OptionError(f"{name} is {value:g}; it must be a positive number.")
    if message := beyond(value, unit, "positive"):
        raise OptionError(f"{name} is {value:g} {unit}; it {message}.")
    return value


def _whole(name: str, value: int | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not (1 <= value <= _MOST_CORRECTIONS and value == int(value)):
        raise OptionError(
            f"{name} is {value}; it must be a whole number from 1 to {_MOST_CORRECTIONS}."
        )
    return int(value)


def _refuse(
    compiled: CompiledScene, setting: str, is_argument: bool, message: str, hint: str
) -> None:
    if is_argument:
        raise OptionError(f"{message}; {hint}.")
    problems = ProblemList(compiled.scene)
    problems.add(("settings", setting), NOT_SIMULATED, message, hint)
    raise SceneError(problems.problems)


def assembles(scene: Scene, assemble: bool | None) -> bool:
    """Whether bodies are moved until all fits: as asked for, else as the scene says."""
    return scene.settings.assemble == "all" if assemble is None else assemble


def choose_threads(threads: int) -> int:
    """How many threads a run uses: as many as it may, and no more than there are processors for.

    Raises:
        OptionError: for a number of threads that cannot be.
    """
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise OptionError(f"threads is {threads!r}; it must be a whole number, at least 1.")
    return min(threads, _processors())


def _processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def digest_of_step(options: Options) -> str:
    """SHA-256 of the options on which a step depends: not how long a run is, how often it is
    recorded, or how many threads share it.
    """
    values = asdict(options)
    for name in ("duration", "fps", "record_contacts", "threads"):
        del values[name]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
