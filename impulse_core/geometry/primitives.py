"""Closed-form mass properties of the primitives.

All stand with their middle at the origin; cylinder, capsule, cone and torus have the z axis as axis
of symmetry. Lengths in metres, density in kg/m^3. Every function raises ``MassPropertiesError`` for
a length or density that is not a positive number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from impulse_core.geometry.mass_properties import MassProperties, MassPropertiesError

__all__ = [
    "box_mass_properties",
    "capsule_mass_properties",
    "cone_mass_properties",
    "cylinder_mass_properties",
    "ellipsoid_mass_properties",
    "sphere_mass_properties",
    "torus_mass_properties",
]


def box_mass_properties(size: Sequence[float], density: float = 1.0) -> MassProperties:
    """Box with the full edge lengths ``size`` = (x, y, z): Ixx = m (y^2 + z^2) / 12."""
    x, y, z = (float(length) for length in size)
    _require_positive(size_x=x, size_y=y, size_z=z, density=density)
    volume = x * y * z
    twelfth = density * volume / 12.0
    moments = (
        twelfth * (y * y + z * z),
        twelfth * (x * x + z * z),
        twelfth * (x * x + y * y),
    )
    return _symmetric_about_axes(density, volume, moments)


def sphere_mass_properties(radius: float, density: float = 1.0) -> MassProperties:
    """Solid sphere: V = 4/3 pi r^3, I = 2/5 m r^2."""
    _require_positive(radius=radius, density=density)
    volume = 4.0 / 3.0 * math.pi * radius**3
    moment = 0.4 * density * volume * radius**2
    return _symmetric_about_axes(density, volume, (moment, moment, moment))


def ellipsoid_mass_properties(size: Sequence[float], density: float = 1.0) -> MassProperties:
    """Ellipsoid with the full axes ``size`` = (x, y, z): V = pi/6 xyz, Ixx = m (y^2 + z^2) / 20."""
    x, y, z = (float(length) for length in size)
    _require_positive(size_x=x, size_y=y, size_z=z, density=density)
    volume = math.pi / 6.0 * x * y * z
    twentieth = density * volume / 20.0
    moments = (
        twentieth * (y * y + z * z),
        twentieth * (x * x + z * z),
        twentieth * (x * x + y * y),
    )
    return _symmetric_about_axes(density, volume, moments)


def cylinder_mass_properties(radius: float, height: float, density: float = 1.0) -> MassProperties:
    """Cylinder along z from -h/2 to h/2: Ixx = m (3 r^2 + h^2) / 12, Izz = m r^2 / 2."""
    _require_positive(radius=radius, height=height, density=density)
    volume = math.pi * radius**2 * height
    mass = density * volume
    across = mass * (3.0 * radius**2 + height**2) / 12.0
    return _symmetric_about_axes(density, volume, (across, across, mass * radius**2 / 2.0))


def capsule_mass_properties(radius: float, height: float, density: float = 1.0) -> MassProperties:
    """Cylinder along z from -h/2 to h/2 with a half sphere on either end.

    A half sphere has its centre of mass 3/8 r from the flat side and 2/5 m r^2 about the middle of
    the flat side, so about the capsule's centre Ixx gains m (2/5 r^2 + h^2/4 + 3/8 h r).
    """
    _require_positive(radius=radius, height=height, density=density)
    tube = math.pi * radius**2 * height
    caps = 4.0 / 3.0 * math.pi * radius**3
    across = density * (
        tube * (3.0 * radius**2 + height**2) / 12.0
        + caps * (0.4 * radius**2 + height**2 / 4.0 + 0.375 * height * radius)
    )
    along = density * radius**2 * (tube / 2.0 + 0.4 * caps)
    return _symmetric_about_axes(density, tube + caps, (across, across, along))


def cone_mass_properties(radius: float, height: float, density: float = 1.0) -> MassProperties:
    """Cone along z, base at -h/2 and apex at +h/2, so its centre of mass lies at z = -h/4.

    Ixx = m (3/20 r^2 + 3/80 h^2) and Izz = 3/10 m r^2, about the centre of mass.
    """
    _require_positive(radius=radius, height=height, density=density)
    volume = math.pi * radius**2 * height / 3.0
    mass = density * volume
    across = mass * (0.15 * radius**2 + 0.0375 * height**2)
    return _symmetric_about_axes(
        density, volume, (across, across, 0.3 * mass * radius**2), (0.0, 0.0, -height / 4.0)
    )


def torus_mass_properties(
    major_radius: float, minor_radius: float, density: float = 1.0
) -> MassProperties:
    """Ring about z: a disc of radius r whose middle goes round a circle of radius R > r.

    V = 2 pi^2 R r^2, Izz = m (R^2 + 3/4 r^2), Ixx = m (R^2 / 2 + 5/8 r^2).

    Raises:
        MassPropertiesError: as of the others, and where r is not smaller than R.
    """
    _require_positive(major_radius=major_radius, minor_radius=minor_radius, density=density)
    if minor_radius >= major_radius:
        raise MassPropertiesError(
            f"minor_radius is {minor_radius:g}; it must be smaller than major_radius"
            f" ({major_radius:g}), or the torus has no hole."
        )
    volume = 2.0 * math.pi**2 * major_radius * minor_radius**2
    mass = density * volume
    across = mass * (0.5 * major_radius**2 + 0.625 * minor_radius**2)
    along = mass * (major_radius**2 + 0.75 * minor_radius**2)
    return _symmetric_about_axes(density, volume, (across, across, along))


def _symmetric_about_axes(
    density: float,
    volume: float,
    moments: tuple[float, float, float],
    center: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> MassProperties:
    return MassProperties(density * volume, volume, np.array(center), np.diag(moments))


def _require_positive(**lengths: float) -> None:
    for name, value in lengths.items():
        if not (0.0 < value < math.inf):
            raise MassPropertiesError(f"{name} is {value:g}; it must be a positive number.")
