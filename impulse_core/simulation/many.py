"""``simulate_many``: runs side by side, on threads of this process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from impulse_core.compile import Scene
from impulse_core.compile.editing import set_parameters
from impulse_core.recording import Recording
from impulse_core.simulation.options import OptionError
from impulse_core.simulation.running import SimulationError
from impulse_core.simulation.simulate import simulate

__all__ = ["simulate_many"]


def simulate_many(
    scenes: Scene | Iterable[Scene],
    parameters: Iterable[Mapping[str, Any]] | None = None,
    *,
    workers: int | None = None,
    **options: Any,
) -> list[Recording]:
    """Simulate several scenes, or one with several values, side by side.

        runs = ic.simulate_many(scene, [{"materials[ice].static_friction": f} for f in (0.1, 0.2)])

    Each recording has the bits that ``simulate`` gives alone. What fails has a recording all the
    same: ``complete`` is False, and the last of its ``events`` says why. More runs than memory has
    room for, several computers, and going on after an interruption are what ``impulse sweep`` is
    for.

    Args:
        scenes: Scenes, or one.
        parameters: Values by path, as ``set_parameters`` takes them, for each run of the one scene.
        workers: How many run at the same time; default one for each processor.
        options: Those of ``simulate``.

    Returns:
        Recordings in the order of the scenes or parameters.

    Raises:
        ParameterError: A path or a value does not exist; before the first run.
        SceneError: A scene cannot be simulated.
        OptionError: An argument cannot be used.
    """
    if workers is not None and (isinstance(workers, bool) or workers < 1):
        raise OptionError(f"workers is {workers!r}; it must be a whole number from 1 on.")
    if isinstance(scenes, Scene):
        found = [scenes] if parameters is None else [set_parameters(scenes, p) for p in parameters]
    elif parameters is not None:
        raise OptionError("parameters are for one scene; give one, or let them out.")
    else:
        found = list(scenes)

    def run(scene: Scene) -> Recording:
        try:
            return simulate(scene, **options)
        except SimulationError as error:
            return error.recording

    if not found:
        return []
    first = run(found[0])  # alone, as it may compile kernels
    with ThreadPoolExecutor(workers or os.cpu_count() or 1, "impulse run") as pool:
        runs = [pool.submit(run, scene) for scene in found[1:]]
        try:
            return [first, *(each.result() for each in runs)]
        except BaseException:
            for each in runs:
                each.cancel()
            raise
