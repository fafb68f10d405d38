"""Vec3, Mat3 and Quat: the only place where 3-vector algebra is written.

All three are named tuples of floats with ordinary operators. Numba keeps their components in
registers, so ``v + cross(w, r)`` costs what the written-out scalars would (docs/design/algebra.md).
"""

from impulse_core.algebra.mat3 import (
    IDENTITY3,
    Mat3,
    cross_matrix,
    inverse,
    inverse_symmetric,
    mat3_at,
    put_mat3,
    similarity,
    times_transposed,
    transposed_times,
)
from impulse_core.algebra.quat import (
    Quat,
    conjugate,
    half_angle_functions,
    normalized,
    put_quat,
    quat_at,
    rotate,
    rotate_back,
    rotation_matrix,
    rotation_of,
    rotation_vector,
)
from impulse_core.algebra.vec3 import (
    ZERO3,
    Vec3,
    cross,
    dot,
    norm,
    put_vec3,
    unit,
    vec3_at,
)

__all__ = [
    "IDENTITY3",
    "ZERO3",
    "Mat3",
    "Quat",
    "Vec3",
    "conjugate",
    "cross",
    "cross_matrix",
    "dot",
    "half_angle_functions",
    "inverse",
    "inverse_symmetric",
    "mat3_at",
    "norm",
    "normalized",
    "put_mat3",
    "put_quat",
    "put_vec3",
    "quat_at",
    "rotate",
    "rotate_back",
    "rotation_matrix",
    "rotation_of",
    "rotation_vector",
    "similarity",
    "times_transposed",
    "transposed_times",
    "unit",
    "vec3_at",
]
