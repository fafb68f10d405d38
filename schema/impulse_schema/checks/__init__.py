"""What the models alone cannot see: how the parts of a scene fit together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from impulse_schema.checks.bounds import check_bounds
from impulse_schema.checks.collision import check_material_pairs
from impulse_schema.checks.constants import check_constants
from impulse_schema.checks.contents import check_contents
from impulse_schema.checks.materials import check_material
from impulse_schema.checks.meshes import check_mesh
from impulse_schema.checks.names import NOTHING_BROKEN, Broken, Names, check_unique_names
from impulse_schema.checks.parts import check_parts, written
from impulse_schema.models import Scene
from impulse_schema.problems import Finding, Problem, SceneError, first_problems


def check_scene(scene: Scene, *, folder: Path | None = None) -> list[Problem]:
    """Everything that is wrong with ``scene`` as far as the scene itself shows it.

    Args:
        scene: A scene, loaded from a file or built in Python.
        folder: Where its mesh files lie; default the folder it was loaded from. For a scene built
            in Python without a folder, mesh files are not looked for.

    Returns:
        The problems in the order of the file; an empty list for a sound scene. Of more than
        MAX_PROBLEMS the first are listed, and a last one says how many more there are. What needs
        the simulator to see (a mesh that is not closed, joints that start apart) is not among them.
    """
    findings, _ = examine(scene, folder=folder)
    return first_problems(findings, scene._source, scene)


def expand_parts(scene: Scene) -> Scene:
    """The scene with a copy of its part in place of every use, and without parts.

    Copies follow the scene's own bodies, joints, loads and springs in the order of the uses. What
    no use made is the same object in both scenes. A scene without parts is returned as it is.

    Raises:
        SceneError: If anything is wrong with ``scene``; it holds all problems.
    """
    if not scene.parts and not scene.uses:
        return scene
    findings, expanded = examine(scene)
    if findings:
        raise SceneError(first_problems(findings, scene._source, scene))
    return expanded


def examine(
    scene: Scene, *, folder: Path | None = None, broken: Broken = NOTHING_BROKEN
) -> tuple[list[Finding], Scene]:
    """As :func:`check_scene`, without places; and the scene with its parts expanded.

    Paths are those of ``scene``. Uses that cannot be expanded are left out.
    """
    if not scene.parts and not scene.uses:
        return list(_findings(scene, Names.of(scene, broken.names), folder)), scene
    parts = check_parts(scene, broken)
    expanded = parts.expansion.scene
    names = Names.of(expanded, broken.names, parts.open_uses)
    more = (written(f, parts.expansion) for f in _findings(expanded, names, folder))
    return [*parts.findings, *more], expanded


def _findings(scene: Scene, names: Names, folder: Path | None) -> Iterator[Finding]:
    """Findings on a scene without parts."""
    yield from check_bounds(scene)
    yield from check_unique_names(scene)
    yield from check_constants(scene)
    for i, material in enumerate(scene.materials):
        yield from check_material(material, ("materials", i))
    yield from check_material_pairs(scene.material_pairs, names)
    for i, mesh in enumerate(scene.meshes):
        yield from check_mesh(mesh, ("meshes", i), scene, folder)
    yield from check_contents(scene, names)
