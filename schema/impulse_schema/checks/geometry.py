"""Solids: every shape has what it needs and nothing that it does not use."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_schema.checks.names import Names
from impulse_schema.checks.vectors import check_unit_quaternion
from impulse_schema.models import Geometry, Shape
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath
from impulse_schema.suggest import listed

NEEDED: dict[Shape, tuple[str, ...]] = {
    "box": ("size",),
    "sphere": ("radius",),
    "ellipsoid": ("size",),
    "cylinder": ("radius", "height"),
    "capsule": ("radius", "height"),
    "cone": ("radius", "height"),
    "torus": ("major_radius", "minor_radius"),
    "mesh": ("mesh",),
    "convex_hull": ("mesh",),
    "plane": (),
    "height_field": ("size", "heights"),
}
_MEASURES = ("size", "radius", "height", "major_radius", "minor_radius", "mesh", "heights")


def check_geometry(solid: Geometry, path: ScenePath, names: Names) -> Iterator[Finding]:
    """Findings on one solid of a body."""
    needed = NEEDED[solid.shape]
    for key in needed:
        if getattr(solid, key) is None:
            hint = f"{_article(solid.shape).capitalize()} has {listed(needed)}"
            yield Finding(path, "E501", f"the {solid.shape} has no {key}", hint)
    for key in _MEASURES:
        if getattr(solid, key) is not None and key not in needed:
            a_solid = _article(solid.shape)
            hint = f"{a_solid.capitalize()} has {listed(needed)}" if needed else "Leave it out"
            yield Finding((*path, key), "E502", f"{a_solid} does not use {key}", hint)
    if solid.decompose and solid.shape != "mesh":
        message = f"{_article(solid.shape)} is not split into convex parts"
        yield Finding((*path, "decompose"), "E502", message, "Leave decompose out")
    if solid.diagonal != "rising" and solid.shape != "height_field":
        message = f"{_article(solid.shape)} does not use diagonal"
        yield Finding((*path, "diagonal"), "E502", message, "Leave it out")
    yield from check_unit_quaternion(solid.orientation, (*path, "orientation"))
    if solid.mesh is not None and "mesh" in needed:
        yield from names.check_mesh(solid.mesh, (*path, "mesh"))
    if solid.material is not None:
        yield from names.check_material(solid.material, (*path, "material"))
    if solid.shape == "torus":
        yield from _check_hole(solid, path)
    if solid.heights is not None:
        yield from _check_heights(solid.heights, (*path, "heights"))


def _article(shape: Shape) -> str:
    return f"{'an' if shape == 'ellipsoid' else 'a'} {shape}"


def _check_hole(torus: Geometry, path: ScenePath) -> Iterator[Finding]:
    major, minor = torus.major_radius, torus.minor_radius
    if major is not None and minor is not None and minor >= major:
        message = f"the torus has no hole: minor_radius {minor:g}, major_radius {major:g}"
        hint = (
            "minor_radius, of the tube, is smaller than major_radius, of the circle it goes round"
        )
        yield Finding((*path, "minor_radius"), "E509", message, hint)


def _check_heights(heights: list[list[float]], path: ScenePath) -> Iterator[Finding]:
    if len(heights) < 2:
        yield Finding(path, "E503", "a height field has at least two rows")
        return
    for i, row in enumerate(heights):
        if len(row) != len(heights[0]):
            message = f"row {i + 1} of heights has {len(row)} numbers, the first {len(heights[0])}"
            yield Finding(path, "E503", message, "All rows are equally long")
            return
