"""GC4: minimal coordinates and the classical Runge-Kutta method, for planar chains.

One angle θ_i per link, R_i its rotation, n_i the vector from joint to joint, s_i the first moment
of the link and all below it. With M_ij = R_i n_i · R_j s_j for i < j,

    Σ_j M_ij θ̈_j = Σ_j N_ij θ̇_j² + Γ_i                                       (docs/algorithm.md, 30)

where N_ij = (z × R_i n_i) · R_j s_j for i < j and (z × R_i s_i) · R_j n_j for i > j, z the normal.
The joints hold by construction. Source: SB05, section 3 (GC4).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    cross,
    dot,
    quat_at,
    quat_of,
    rotate,
    rotate_back,
    rotation_of,
    set_quat,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.forces.loads import kick, load_power
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import angular_velocities, joint_errors
from impulse_core.methods.chains import Chain
from impulse_core.model import State, copy_state
from impulse_core.model.copies import copy_poses
from impulse_core.observables.invariants import completes
from impulse_core.types import Floats, by_address

__all__ = ["ChainScratch", "new_chain_scratch", "run_chain_steps"]


@by_address
class ChainScratch(NamedTuple):
    """Scratch of a step; rows of two are (angles, their rates)."""

    coordinates: Floats
    """Angles [rad] and their rates [rad/s] at the start of the step, shape (2, L)."""
    present: Floats
    """The same at the present stage, shape (2, L)."""
    sum: Floats
    """Σ b k of the stages so far, shape (2, L)."""
    acceleration: Floats
    """Angular accelerations [rad/s²], shape (L,)."""
    matrix: Floats
    """Mass matrix and its Cholesky factor [kg m²], shape (L, L)."""
    next_arm: Floats
    """R n [m], shape (L, 2)."""
    moment_arm: Floats
    """R s [kg m], shape (L, 2)."""
    stage: State
    """The bodies at the present stage."""
    rate: State
    """The poses of ``stage`` with accelerations and torques in place of velocities and momenta."""


def new_chain_scratch(chain: Chain, state: State) -> ChainScratch:
    """Scratch for a chain."""
    links = len(chain.body)
    stage = copy_state(state)._replace(loads=state.loads)
    return ChainScratch(
        coordinates=np.zeros((2, links)),
        present=np.zeros((2, links)),
        sum=np.zeros((2, links)),
        acceleration=np.zeros(links),
        matrix=np.zeros((links, links)),
        next_arm=np.zeros((links, 2)),
        moment_arm=np.zeros((links, 2)),
        stage=stage,
        rate=stage._replace(bodies=stage.bodies.copy()),
    )


@inner_kernel
def _read(chain, state, work, coordinates):
    """Angles and rates of the links; needs work.angular_velocity."""
    x, y, z = vec3_at(chain.plane, 0), vec3_at(chain.plane, 1), vec3_at(chain.plane, 2)
    above = Vec3(chain.fixed[0], chain.fixed[1], chain.fixed[2])
    speed = ZERO3
    for k in range(len(chain.body)):
        i = chain.body[k]
        if chain.hinged:
            q = quat_of(state.bodies[i].orientation)
            start = quat_at(chain.orientation, k)
            # vector part and w of q ∘ start⁻¹: sine and cosine of half the angle
            u = Vec3(q.x, q.y, q.z) * start.w - Vec3(start.x, start.y, start.z) * q.w
            u = u - cross(Vec3(q.x, q.y, q.z), Vec3(start.x, start.y, start.z))
            w = q.w * start.w + q.x * start.x + q.y * start.y + q.z * start.z
            coordinates[0, k] = 2.0 * math.atan2(dot(u, z), w)
            coordinates[1, k] = dot(vec3_at(work.angular_velocity, i), z)
        else:
            rod = vec3_of(state.bodies[i].position) - above
            u = vec3_of(state.bodies[i].velocity) - speed
            coordinates[0, k] = math.atan2(dot(rod, y), dot(rod, x))
            coordinates[1, k] = dot(cross(z, rod), u) / dot(rod, rod)
            above = above + rod
            speed = speed + u


@inner_kernel
def _place(model, chain, coordinates, scratch, state):
    """Put the bodies where the angles say, with their velocities; also the turned arms."""
    x, y, z = vec3_at(chain.plane, 0), vec3_at(chain.plane, 1), vec3_at(chain.plane, 2)
    joint = Vec3(chain.fixed[0], chain.fixed[1], chain.fixed[2])
    speed = ZERO3
    for k in range(len(chain.body)):
        i = chain.body[k]
        angle, rate = coordinates[0, k], coordinates[1, k]
        c, s = math.cos(angle), math.sin(angle)
        along, across = c * x + s * y, c * y - s * x
        mass = chain.to_mass[k, 0] * along + chain.to_mass[k, 1] * across
        step = chain.to_next[k, 0] * along + chain.to_next[k, 1] * across
        moment = chain.static_moment[k, 0] * along + chain.static_moment[k, 1] * across
        scratch.next_arm[k, 0], scratch.next_arm[k, 1] = dot(step, x), dot(step, y)
        scratch.moment_arm[k, 0], scratch.moment_arm[k, 1] = dot(moment, x), dot(moment, y)
        set_vec3(state.bodies[i].position, joint + mass + chain.offset[k] * z)
        set_vec3(state.bodies[i].velocity, speed + rate * cross(z, mass))
        if chain.hinged:
            q = rotation_of(angle * z) * quat_at(chain.orientation, k)
            set_quat(state.bodies[i].orientation, q)
            w = rotate_back(q, rate * z)
            J = vec3_of(model.bodies[i].inertia)
            set_vec3(
                state.bodies[i].angular_momentum, rotate(q, Vec3(J.x * w.x, J.y * w.y, J.z * w.z))
            )
        joint = joint + step
        speed = speed + rate * cross(z, step)


@inner_kernel
def _forces(model, chain, scratch, work):
    """Generalised forces Γ of gravity and loads, into scratch.acceleration."""
    rate = scratch.rate
    x, y, z = vec3_at(chain.plane, 0), vec3_at(chain.plane, 1), vec3_at(chain.plane, 2)
    g = Vec3(model.gravity[0], model.gravity[1], model.gravity[2])
    copy_poses(scratch.stage.bodies, rate.bodies)
    for i in range(model.dynamic):
        set_vec3(rate.bodies[i].velocity, ZERO3)
        set_vec3(rate.bodies[i].angular_momentum, ZERO3)
    kick(model, rate, 1.0, work)
    below_x, below_y = 0.0, 0.0  # force of the loads on all links below
    for k in range(len(chain.body) - 1, -1, -1):
        i = chain.body[k]
        F = vec3_of(rate.bodies[i].velocity) * model.bodies[i].mass
        Fx, Fy = dot(F, x), dot(F, y)
        nx, ny = scratch.next_arm[k, 0], scratch.next_arm[k, 1]
        sx, sy = scratch.moment_arm[k, 0], scratch.moment_arm[k, 1]
        force = sx * dot(g, y) - sy * dot(g, x) + nx * below_y - ny * below_x
        mass_x = (sx - chain.below[k] * nx) / chain.mass[k]
        mass_y = (sy - chain.below[k] * ny) / chain.mass[k]
        force += mass_x * Fy - mass_y * Fx + dot(vec3_of(rate.bodies[i].angular_momentum), z)
        scratch.acceleration[k] = force
        below_x += Fx
        below_y += Fy


@inner_kernel
def _accelerate(model, chain, scratch, work):
    """Angular accelerations at the present stage, by Cholesky; returns the power of loads [W]."""
    links = len(chain.body)
    angles = scratch.present
    _place(model, chain, angles, scratch, scratch.stage)
    power = 0.0
    if len(model.loads):
        angular_velocities(model, scratch.stage, work)
        power = load_power(model, scratch.stage, work)
    _forces(model, chain, scratch, work)
    M, f = scratch.matrix, scratch.acceleration
    arm, moment = scratch.next_arm, scratch.moment_arm
    for i in range(links):
        M[i, i] = chain.moment[i]
        for j in range(i):
            product = arm[j, 0] * moment[i, 0] + arm[j, 1] * moment[i, 1]
            turned = arm[j, 0] * moment[i, 1] - arm[j, 1] * moment[i, 0]
            M[i, j] = product
            f[j] += turned * angles[1, i] ** 2
            f[i] -= turned * angles[1, j] ** 2
    for i in range(links):
        for j in range(i + 1):
            value = M[i, j]
            for k in range(j):
                value -= M[i, k] * M[j, k]
            M[i, j] = value / M[j, j] if j < i else math.sqrt(value)
    for i in range(links):
        for k in range(i):
            f[i] -= M[i, k] * f[k]
        f[i] /= M[i, i]
    for i in range(links - 1, -1, -1):
        for k in range(i + 1, links):
            f[i] -= M[k, i] * f[k]
        f[i] /= M[i, i]
    return power


@inlined_kernel
def _chain_step(model, chain, state, h, scratch, work, tally):
    """One classical Runge-Kutta step of the angles; False if they are no longer numbers."""
    links = len(chain.body)
    start, present, total = scratch.coordinates, scratch.present, scratch.sum
    _read(chain, state, work, start)
    for k in range(links):
        for row in range(2):
            present[row, k] = start[row, k]
            total[row, k] = start[row, k]
    work_done = 0.0
    for s in range(4):
        power = _accelerate(model, chain, scratch, work)
        weight = h / 6.0 if s in (0, 3) else h / 3.0
        elapsed = h if s == 2 else 0.5 * h
        work_done += weight * power
        for k in range(links):
            speed = present[1, k]
            total[0, k] += weight * speed
            total[1, k] += weight * scratch.acceleration[k]
            present[0, k] = start[0, k] + elapsed * speed
            present[1, k] = start[1, k] + elapsed * scratch.acceleration[k]
    _place(model, chain, total, scratch, scratch.stage)
    shift, turn, error, joint = joint_errors(model, scratch.stage.bodies, work.error)
    tally.failure[0].joint = joint
    tally.failure[0].error = error
    if not (error < 1.0):
        tally.failure[0].begin = h
        return False
    tally.totals[0].translation_error = max(tally.totals[0].translation_error, shift)
    tally.totals[0].rotation_error = max(tally.totals[0].rotation_error, turn)
    tally.totals[0].work += work_done
    _place(model, chain, total, scratch, state)
    state.clock[0].time += h
    angular_velocities(model, state, work)
    return True


@kernel
def run_chain_steps(model, chain, state, h, count, scratch, work, tally):
    """Take count steps of length h; returns how many were completed."""
    angular_velocities(model, state, work)
    for done in range(count):
        if work.stop[0] or not _chain_step(model, chain, state, h, scratch, work, tally):
            return done
        if not completes(model, state, h, work, tally):
            return done
    return count
