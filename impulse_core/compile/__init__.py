"""Scene → Model and State; the only part of the core that imports impulse_schema.

``compile_scene`` either returns arrays the solver can step, or raises ``SceneError`` with every
problem that only the simulator can see: meshes that enclose no volume, masses that cannot be
computed, joints that start far apart, and what contradicts itself.
"""

from impulse_core.compile.scene import CompiledScene, compile_scene
from impulse_schema import Problem, Scene, SceneError, load_scene
from impulse_schema.bounds import beyond, bounds_of
from impulse_schema.suggest import did_you_mean

__all__ = [
    "CompiledScene",
    "Problem",
    "Scene",
    "SceneError",
    "beyond",
    "bounds_of",
    "compile_scene",
    "did_you_mean",
    "load_scene",
]
