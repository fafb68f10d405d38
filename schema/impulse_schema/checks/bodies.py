"""Bodies: where their mass comes from, and how they may move."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_schema.checks.names import Names
from impulse_schema.checks.vectors import check_unit_quaternion, is_positive_definite, not_after
from impulse_schema.models import Body, Geometry
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath

# Rounding that an inertia of a flat body, where Ixx + Iyy = Izz, may show in a file.
INERTIA_TOLERANCE = 1e-6

_WITHOUT_VOLUME = ("plane", "height_field")


def check_body(body: Body, path: ScenePath, names: Names) -> Iterator[Finding]:
    """Findings on ``body`` apart from its solids."""
    yield from check_unit_quaternion(body.orientation, (*path, "orientation"))
    yield from _check_mass(body, path, names)
    if body.inertia is not None:
        yield from _check_inertia(body.inertia, (*path, "inertia"))
    yield from _check_motion(body, path)


def mass_solids(body: Body) -> list[tuple[int, Geometry]]:
    """The solids that make up the mass, with their numbers: the visual ones if no other exist."""
    solids = list(enumerate(body.geometry))
    return [(i, s) for i, s in solids if s.role != "visual"] or solids


def _check_mass(body: Body, path: ScenePath, names: Names) -> Iterator[Finding]:
    if body.mass is not None and body.density is not None:
        yield Finding(
            (*path, "density"), "E402", "mass and density are both given", "Keep one of them"
        )
        return
    if body.inertia is not None and body.mass is None:
        yield Finding((*path, "inertia"), "E404", "inertia is given without mass", "Give both")
        return
    if body.center_of_mass is not None and body.inertia is None:
        yield Finding(
            (*path, "center_of_mass"),
            "E405",
            "center_of_mass is given without inertia",
            "Give mass, center_of_mass and inertia, or leave all of it to the geometry",
        )
    if body.motion != "dynamic" or body.inertia is not None:
        return
    if not body.geometry:
        if body.mass is None:
            message = f"the body '{body.name}' has neither geometry nor mass"
            hint = 'Give it a geometry and a density, or mass and inertia, or motion="static"'
            yield Finding(path, "E401", message, hint)
        else:
            message = f"the body '{body.name}' has mass but neither geometry nor inertia"
            yield Finding(path, "E401", message, "Give its inertia about the centre of mass")
        return
    yield from _check_densities(body, path, names)


def _check_densities(body: Body, path: ScenePath, names: Names) -> Iterator[Finding]:
    """Every solid that makes up the mass has a volume and a density (unless there is a mass)."""
    for i, solid in mass_solids(body):
        solid_path = (*path, "geometry", i)
        if solid.shape in _WITHOUT_VOLUME:
            message = f"a {solid.shape} has no volume, so it gives a dynamic body no mass"
            yield Finding(solid_path, "E406", message, "Give the body mass and inertia")
        elif body.mass is None and not _has_density(body, solid, names):
            message = f"no density for this solid of the dynamic body '{body.name}'"
            hint = "Give the body a mass or a density, or the solid a material with a density"
            yield Finding(solid_path, "E403", message, hint)


def _has_density(body: Body, solid: Geometry, names: Names) -> bool:
    if solid.density is not None or body.density is not None:
        return True
    if solid.material is None:
        return False
    material = names.materials.get(solid.material)
    return material is None or material.density is not None  # an unknown one is reported itself


def _check_inertia(inertia: tuple[float, ...], path: ScenePath) -> Iterator[Finding]:
    """An inertia tensor belongs to some distribution of mass.

    That is so if it and its second moments of mass, tr(I)/2 E - I, are positive definite (the
    latter may vanish in one direction); for principal moments this is the triangle inequality.
    """
    tensor = [*inertia, 0.0, 0.0, 0.0] if len(inertia) == 3 else list(inertia)
    scale = max(abs(value) for value in tensor)
    if scale == 0:
        yield Finding(path, "E407", "the inertia is zero", "Moments of inertia are positive")
        return
    tensor = [value / scale for value in tensor]
    if not is_positive_definite(tensor):
        yield Finding(
            path, "E407", "the inertia is not positive definite", "Moments of inertia are positive"
        )
        return
    half_trace = sum(tensor[:3]) / 2 + INERTIA_TOLERANCE
    if not is_positive_definite([half_trace - t for t in tensor[:3]] + [-t for t in tensor[3:]]):
        yield Finding(
            path,
            "E407",
            "no body has this inertia: one principal moment is greater than the other two together",
            "Order: Ixx Iyy Izz Ixy Ixz Iyz",
        )


def _check_motion(body: Body, path: ScenePath) -> Iterator[Finding]:
    if body.motion != "dynamic":
        for key in ("velocity", "angular_velocity"):
            if any(getattr(body, key)):
                message = f"a {body.motion} body has no {key}"
                hint = "Move it by keyframes" if body.motion == "kinematic" else "Leave it out"
                yield Finding((*path, key), "E408", message, hint)
    if body.motion != "kinematic" and body.keyframes:
        message = f"keyframes move kinematic bodies only, and '{body.name}' is {body.motion}"
        hint = 'Write motion="kinematic" or remove them'
        yield Finding((*path, "keyframes", 0), "E408", message, hint)
    for i, keyframe in enumerate(body.keyframes):
        place = (*path, "keyframes", i)
        yield from check_unit_quaternion(keyframe.orientation, (*place, "orientation"))
        if i > 0 and (message := not_after(keyframe.time, body.keyframes[i - 1].time)):
            yield Finding((*place, "time"), "E409", message, "Order keyframes by time")
