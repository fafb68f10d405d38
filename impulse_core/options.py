"""How a scene is to be simulated: arguments over scene settings over defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass

from impulse_core.compile import CompiledScene, SceneError
from impulse_core.compile.problems import NOT_SIMULATED, ProblemList
from impulse_core.integrators.imp import DEFAULT_TOLERANCE, ORDERS
from impulse_core.model import FLOW_RK4

__all__ = ["OptionError", "Options", "choose_options"]


class OptionError(ValueError):
    """An option of ``simulate`` that cannot be used; the message says what to write instead."""


@dataclass(frozen=True)
class Options:
    """What one run does.

    Attributes:
        duration: Simulated time [s].
        step: Length of a step [s].
        fps: Recorded frames per second [1/s].
        method: Integration method.
        solver: Solver of the joint system.
        tolerance: Largest joint error accepted [m].
    """

    duration: float
    step: float
    fps: float
    method: str
    solver: str
    tolerance: float


def choose_options(
    compiled: CompiledScene,
    *,
    duration: float | None = None,
    step: float | None = None,
    fps: float | None = None,
    method: str | None = None,
    solver: str | None = None,
    tolerance: float | None = None,
) -> Options:
    """Merge arguments and settings, and refuse what cannot be run.

    Raises:
        OptionError: An argument that is not usable.
        SceneError: A setting of the scene that is not simulated yet.
    """
    settings = compiled.scene.settings
    chosen = Options(
        duration=_positive("duration", duration, settings.duration),
        step=_positive("step", step, settings.step),
        fps=_positive("fps", fps, settings.fps),
        method=method or settings.method,
        solver=solver or settings.solver,
        tolerance=0.0,
    )
    if chosen.method not in ORDERS:
        _refuse(
            compiled,
            "method",
            method is not None,
            f"method {chosen.method} is not simulated yet",
            f"use one of {', '.join(ORDERS)}",
        )
    if chosen.solver != "direct":
        _refuse(
            compiled,
            "solver",
            solver is not None,
            f"solver {chosen.solver} is not built yet",
            "use direct",
        )
    order = ORDERS[chosen.method]
    if compiled.model.flow == FLOW_RK4 and order > 2:
        _refuse(
            compiled,
            "free_motion",
            method is not None,
            f"free_motion rk4 is not symmetric in time, so {chosen.method} would lose its order",
            "use free_motion exact, or method imp2",
        )
    if chosen.step > chosen.duration:
        raise OptionError(
            f"the step ({chosen.step:g} s) is longer than the duration ({chosen.duration:g} s);"
            " make the step smaller."
        )
    wanted = tolerance if tolerance is not None else settings.tolerance
    default = DEFAULT_TOLERANCE[order] * max(1.0, compiled.size)
    return Options(**{**vars(chosen), "tolerance": _positive("tolerance", wanted, default)})


def _positive(name: str, value: float | None, default: float) -> float:
    value = default if value is None else float(value)
    if not (0.0 < value < math.inf):
        raise OptionError(f"{name} is {value:g}; it must be a positive number.")
    return value


def _refuse(
    compiled: CompiledScene, setting: str, is_argument: bool, message: str, hint: str
) -> None:
    if is_argument:
        raise OptionError(f"{message}; {hint}.")
    problems = ProblemList(compiled.scene)
    problems.add(("settings", setting), NOT_SIMULATED, message, hint)
    raise SceneError(problems.problems)
