"""What the models alone cannot see: how the parts of a scene fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from impulse_schema.checks.bodies import check_body
from impulse_schema.checks.bounds import check_bounds
from impulse_schema.checks.collision import check_collision_filter, check_material_pairs
from impulse_schema.checks.geometry import check_geometry
from impulse_schema.checks.joints import check_joint
from impulse_schema.checks.loads import check_load, check_spring
from impulse_schema.checks.materials import check_material
from impulse_schema.checks.meshes import check_mesh
from impulse_schema.checks.names import Names, check_unique_names
from impulse_schema.models import Scene
from impulse_schema.problems import Finding, Problem, first_problems


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
    findings = check_findings(scene, folder=folder)
    return first_problems(findings, scene._source, scene)


def check_findings(
    scene: Scene,
    *,
    folder: Path | None = None,
    broken_names: Mapping[str, AbstractSet[str]] | None = None,
) -> list[Finding]:
    """As :func:`check_scene`, without places.

    ``broken_names`` holds, for each list of the scene, names that exist although their elements
    had to be left out.
    """
    return list(_findings(scene, Names.of(scene, broken_names or {}), folder))


def _findings(scene: Scene, names: Names, folder: Path | None) -> Iterator[Finding]:
    yield from check_bounds(scene)
    yield from check_unique_names(scene)
    for i, material in enumerate(scene.materials):
        yield from check_material(material, ("materials", i))
    yield from check_material_pairs(scene.material_pairs, names)
    for i, mesh in enumerate(scene.meshes):
        yield from check_mesh(mesh, ("meshes", i), scene, folder)
    for i, body in enumerate(scene.bodies):
        yield from check_body(body, ("bodies", i), names)
        for j, solid in enumerate(body.geometry):
            yield from check_geometry(solid, ("bodies", i, "geometry", j), names)
    for i, load in enumerate(scene.loads):
        yield from check_load(load, ("loads", i), names)
    for i, joint in enumerate(scene.joints):
        yield from check_joint(joint, ("joints", i), names, scene)
    for i, spring in enumerate(scene.springs):
        yield from check_spring(spring, ("springs", i), names)
    if scene.collision_filter is not None:
        yield from check_collision_filter(scene.collision_filter, names)
