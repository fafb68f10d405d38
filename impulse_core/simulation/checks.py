"""What keeps a scene from being simulated, found without simulating it."""

from __future__ import annotations

from impulse_core.compile import Problem, Scene, SceneError, compile_scene
from impulse_core.compile.problems import NOT_SIMULATED, problem_at
from impulse_core.simulation.options import OptionError, choose_options

__all__ = ["check"]


def check(scene: Scene, *, start: bool = False) -> list[Problem]:
    """What keeps a scene from being simulated as its settings ask; the simulator's own checks if
    it passes those of the schema.

    Args:
        scene: From ``load_scene`` or built from the schema's models.
        start: Whether to prepare the first step as well, with the simulator's kernels. That finds
            bodies that overlap, and joints that cannot be closed.

    Returns:
        The problems; an empty list if the scene can be simulated.
    """
    try:
        compiled = compile_scene(scene)
        options = choose_options(compiled)
        if start:
            from impulse_core.simulation.engine import Engine  # loads kernels

            Engine(compiled, options)
    except SceneError as error:
        return error.problems
    except OptionError as error:
        return [problem_at(scene, ("settings",), NOT_SIMULATED, str(error))]
    return []
