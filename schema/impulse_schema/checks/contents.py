"""Bodies and joints, and what acts on them, of a scene or of a part."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_schema.checks.bodies import check_body
from impulse_schema.checks.collision import check_collision_filter
from impulse_schema.checks.geometry import check_geometry
from impulse_schema.checks.joints import check_joint
from impulse_schema.checks.loads import check_load, check_spring
from impulse_schema.checks.names import Names
from impulse_schema.models import Scene
from impulse_schema.problems import Finding


def check_contents(scene: Scene, names: Names) -> Iterator[Finding]:
    """Findings on what a scene holds besides settings, materials and meshes."""
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
