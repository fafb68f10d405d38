"""Copies of states within kernels."""

from __future__ import annotations

from impulse_core.algebra import ZERO3, quat_of, set_quat, set_vec3, vec3_of
from impulse_core.jit import inner_kernel

__all__ = ["copy_into", "copy_poses", "halt"]


@inner_kernel
def copy_into(source, target):  # type: ignore[no-untyped-def]
    """Copy every array of a State but what a step does not change (row by row: slices compile far
    longer).
    """
    for i in range(len(source.bodies)):
        target.bodies[i] = source.bodies[i]
    for j in range(len(source.joints)):
        target.joints[j] = source.joints[j]
    for k in range(len(source.axes)):
        target.axes[k] = source.axes[k]
    for k in range(len(source.terms)):
        target.terms[k] = source.terms[k]
    for k in range(len(source.kinematic)):
        target.kinematic[k] = source.kinematic[k]
    target.clock[0] = source.clock[0]


@inner_kernel
def copy_poses(source, target):  # type: ignore[no-untyped-def]
    """Copy the poses of all bodies (BodyState)."""
    for i in range(len(source)):
        set_vec3(target[i].position, vec3_of(source[i].position))
        set_quat(target[i].orientation, quat_of(source[i].orientation))


@inner_kernel
def halt(bodies):  # type: ignore[no-untyped-def]
    """Take all velocity and angular momentum from bodies (BodyState)."""
    for i in range(len(bodies)):
        set_vec3(bodies[i].velocity, ZERO3)
        set_vec3(bodies[i].angular_momentum, ZERO3)
