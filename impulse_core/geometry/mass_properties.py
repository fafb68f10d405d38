"""``MassProperties``: mass, volume, centre of mass and inertia, and how they compose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impulse_core.geometry.principal_axes import principal_axes
from impulse_core.geometry.products import dot, product, total
from impulse_core.geometry.rotations import crossed

__all__ = ["MassProperties", "MassPropertiesError", "combine"]

Floats = NDArray[np.float64]

# Moments of inertia of a real body satisfy J1 + J2 >= J3, with equality for a flat one. Relative
# to the largest moment; larger than the round-off of numbers typed with ten digits.
_TRIANGLE_TOLERANCE = 1e-9


class MassPropertiesError(ValueError):
    """Numbers that no real body can have; the message says which and why."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, volume, centre of mass and inertia of a body.

    Attributes:
        mass: [kg], positive.
        volume: [m^3], not negative; zero where only mass and inertia are known.
        center_of_mass: [m], shape (3,), in the frame of the geometry.
        inertia: [kg m^2], shape (3, 3), about the centre of mass, axes of the geometry's frame;
            tensor elements, so ``inertia[0, 1]`` is minus the integral of x y dm.

    The constructor raises ``MassPropertiesError`` for what no body can have: a mass that is not
    positive, NaN, an inertia that is not symmetric, has a negative principal moment, or one
    larger than the sum of the other two.
    """

    mass: float
    volume: float
    center_of_mass: Floats
    inertia: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "volume", float(self.volume))
        object.__setattr__(self, "center_of_mass", _constant(self.center_of_mass, (3,)))
        object.__setattr__(self, "inertia", _constant(self.inertia, (3, 3)))
        _check_physical(self)

    def principal(self) -> tuple[Floats, Floats]:
        """Principal moments [kg m^2], shape (3,), and the rotation whose columns are their axes.

        ``inertia = rotation @ diag(moments) @ rotation.T``. The rotation is proper, and of all
        orders and signs of the axes the one nearest to the identity is taken: a diagonal inertia
        keeps its axes as they are. See ``principal_axes``.
        """
        return principal_axes(self.inertia)

    def transformed(
        self, rotation: ArrayLike | None = None, translation: ArrayLike = (0.0, 0.0, 0.0)
    ) -> MassProperties:
        """The body rotated about the origin and then moved: points x become R x + t.

        ``rotation`` is a proper rotation matrix, shape (3, 3) (``ValueError`` otherwise);
        ``translation`` in metres, shape (3,).
        """
        rotation = np.eye(3) if rotation is None else np.asarray(rotation, dtype=np.float64)
        orthonormal = np.abs(product(rotation, rotation.T) - np.eye(3)) <= 1e-9
        a, b, c = rotation.tolist()
        volume = sum(x * y for x, y in zip(crossed(a, b), c, strict=True))
        if not orthonormal.all() or volume < 0.0:
            raise ValueError("rotation must be a proper rotation matrix (orthonormal, det +1).")
        return MassProperties(
            self.mass,
            self.volume,
            product(rotation, self.center_of_mass) + np.asarray(translation, dtype=np.float64),
            _symmetric(product(rotation, self.inertia, rotation.T)),
        )

    def scaled_to_mass(self, mass: float) -> MassProperties:
        """The same shape with another density, such that it weighs ``mass`` [kg]."""
        factor = mass / self.mass
        return MassProperties(mass, self.volume, self.center_of_mass, self.inertia * factor)

    def inertia_about(self, point: ArrayLike) -> Floats:
        """Inertia about another point [m] of the same frame, by the parallel-axis theorem."""
        offset = np.asarray(point, dtype=np.float64) - self.center_of_mass
        return self.inertia + _point_mass_inertia(self.mass, offset)


def combine(parts: Sequence[MassProperties]) -> MassProperties:
    """Mass properties of several rigidly connected solids, given in one common frame.

    Parallel-axis theorem: I = sum of I_k + m_k (|d_k|^2 E - d_k d_k^T), d_k = C_k - C. Where
    solids overlap, the overlap counts for each of them. Raises ``MassPropertiesError`` if there
    is no part.
    """
    if not parts:
        raise MassPropertiesError("There is no solid to take the mass from.")
    if len(parts) == 1:
        return parts[0]
    mass = total(part.mass for part in parts)
    # From the first centre of mass, so that bodies far from the origin lose no digits.
    origin = parts[0].center_of_mass
    offset = sum((part.mass * (part.center_of_mass - origin) for part in parts), np.zeros(3)) / mass
    center = origin + offset
    inertia = sum((part.inertia_about(center) for part in parts), np.zeros((3, 3)))
    return MassProperties(mass, total(part.volume for part in parts), center, inertia)


def _point_mass_inertia(mass: float, offset: Floats) -> Floats:
    """m (|d|^2 E - d d^T)"""
    inertia: Floats = mass * (dot(offset, offset) * np.eye(3) - np.outer(offset, offset))
    return inertia


def _symmetric(matrix: Floats) -> Floats:
    return 0.5 * (matrix + matrix.T)


def _constant(values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.array(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"expected an array of shape {shape}, not {array.shape}.")
    array.flags.writeable = False
    return array


def _check_physical(body: MassProperties) -> None:
    if not (0.0 < body.mass < np.inf):
        raise MassPropertiesError(f"The mass is {body.mass:g} kg; it must be positive.")
    if not (0.0 <= body.volume < np.inf):
        raise MassPropertiesError(f"The volume is {body.volume:g} m^3; it must not be negative.")
    numbers = body.inertia.reshape(-1).tolist()
    if not all(math.isfinite(number) for number in (*body.center_of_mass.tolist(), *numbers)):
        raise MassPropertiesError("The centre of mass or the inertia is not a finite number.")
    xx, xy, xz, yx, yy, yz, zx, zy, zz = numbers
    largest = max(abs(number) for number in numbers)
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > _TRIANGLE_TOLERANCE * largest:
        raise MassPropertiesError("The inertia is not symmetric.")
    if _is_of_a_solid(xx, yy, zz, xy, xz, yz):
        return
    low, middle, high = np.linalg.eigvalsh(body.inertia).tolist()
    moments = f"{low:.6g}, {middle:.6g}, {high:.6g} kg m^2"
    if low < -_TRIANGLE_TOLERANCE * largest:
        raise MassPropertiesError(
            f"The inertia has a negative principal moment (the three are {moments})."
        )
    if high - (low + middle) > _TRIANGLE_TOLERANCE * largest:
        raise MassPropertiesError(
            "No body has this inertia: its largest principal moment exceeds the sum of the other"
            f" two (the three are {moments})."
        )


def _is_of_a_solid(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> bool:
    """Whether some solid has this inertia, neither flat nor nearly so: its second moments about the
    centre, tr(I)/2 E - I, are positive definite by far more than round-off. Then no moment is
    negative or exceeds the sum of the others; eigenvalues take twenty times as long.
    """
    half = 0.5 * (xx + yy + zz)
    if not half > 0.0:
        return False
    a, b, c = 1.0 - xx / half, 1.0 - yy / half, 1.0 - zz / half
    d, e, f = xy / half, xz / half, yz / half
    minor = a * b - d * d
    determinant = minor * c - a * f * f - b * e * e - 2.0 * d * e * f
    return min(a, minor, determinant) > _TRIANGLE_TOLERANCE
