"""Materials."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_schema.models import Material, MaterialPair
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath


def check_material(material: Material | MaterialPair, path: ScenePath) -> Iterator[Finding]:
    """A contact that slides is not held back more than one that sticks."""
    static, kinetic = material.static_friction, material.kinetic_friction
    if static is not None and kinetic is not None and kinetic > static:
        message = f"kinetic_friction {kinetic:g} is greater than static_friction {static:g}"
        hint = "Give static_friction as well; it is at least the kinetic one"
        yield Finding((*path, "kinetic_friction"), "E807", message, hint)
