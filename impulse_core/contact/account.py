"""Whether the impulses that can only resist create energy: contacts, friction, limits.

Their laws say of each that its impulse p in a half step does no positive work on the motion U that
the law is about: in the first half the way over the step, in the second the velocity after it,

    p·U ≤ 0,    U = (x(t+h) - x(t))/h    or    U = u⁺                  (docs/algorithm.md, 61)

What an impact gives back does positive work, which is allowed as far as it was taken out before:
with Δv what all impulses of a half change, they do the work

    Σ p·½(u⁻+u⁺) = Σ p·u⁺ - ½ ΔvᵀM Δv

so what was taken is ½ ΔvᵀM Δv of both halves, and the work on the way until the gap was closed. The
swing p·(u⁺ - U) of a first half is the method's, comes and goes, and is not judged where it is that
of what rests, m (g h)², or of what turns by less than half a radian within the step: the work of
both halves may be a tenth of the energy they meet.

Sums are over bodies that exchange impulses, and measured by the kinetic energy that those meet.
"""

from __future__ import annotations

from impulse_core.algebra import Vec3, dot, norm, set_vec3, vec3_at, vec3_of
from impulse_core.jit import inner_kernel

__all__ = [
    "MOST_CREATED",
    "add_exchange",
    "begin_groups",
    "energy_between",
    "excess_of_groups",
    "group_of",
    "join_bodies",
    "note_velocities",
]

_MOST_SWING = 0.1  # of the same: (1 - cos φ) of a body that turns by φ = 0.45 rad in the step
MOST_CREATED = 1e-6  # of the kinetic energy that the impulses of a group of bodies meet


@inner_kernel
def note_velocities(model, state, work):
    """Keep the velocities before the impulses of a half; needs the angular velocities."""
    for i in range(model.dynamic):
        account, body = work.account[i], state.bodies[i]
        set_vec3(account.velocity, vec3_of(body.velocity))
        set_vec3(account.angular_momentum, vec3_of(body.angular_momentum))
        set_vec3(account.angular_velocity, vec3_at(work.angular_velocity, i))


@inner_kernel
def add_exchange(model, state, first, work):
    """Add what the impulses of a half changed; needs the angular velocities after them, and the
    impulses of the rotors.
    """
    for i in range(model.dynamic):
        account = work.account[i]
        if first:
            account.taken, account.met = 0.0, 0.0
            account.outside, account.between = 0.0, 0.0
        m = 0.5 * model.bodies[i].mass
        v, L = vec3_of(state.bodies[i].velocity), vec3_of(state.bodies[i].angular_momentum)
        w = vec3_at(work.angular_velocity, i)
        before, w_before = vec3_of(account.velocity), vec3_of(account.angular_velocity)
        momentum = vec3_of(account.angular_momentum)
        taken = m * dot(v - before, v - before) + 0.5 * dot(L - momentum, w - w_before)
        came = m * dot(before, before) + 0.5 * dot(momentum, w_before)
        went = m * dot(v, v) + 0.5 * dot(L, w)
        account.taken += taken
        account.met += came + went
        account.outside += came if first else went
        account.between += went if first else came
    _add_rotors(model, work)


@inner_kernel
def energy_between(model, totals, work):
    """Kinetic energy of all bodies between the halves of a part of a step [J], the usual one [J],
    and the body with most. Usual is what they had before and after it, what was done in the step,
    and what bodies at rest swing by.
    """
    between, usual, most, body = 0.0, totals.noise, -1.0, 0
    for i in range(model.dynamic):
        account = work.account[i]
        between += 0.5 * account.between
        usual += account.outside
        if account.between > most:
            most, body = account.between, i
    before = work.totals[0]
    usual += abs(totals.work - before.work) + abs(totals.motor_work - before.motor_work)
    usual += abs(totals.kinematic_work - before.kinematic_work)
    return between, usual, body


@inner_kernel
def _add_rotors(model, work):
    """What rotors took and met, with a dynamic body of their joint."""
    for k in range(len(model.axes)):
        a, stage = model.axes[k].armature, work.axes[k]
        joint = model.joints[model.axes[k].joint]
        i = min(joint.body1, joint.body2)
        if a > 0.0 and i < model.dynamic:
            after = stage.rotor_momentum
            before = after + stage.rotor_impulse
            work.account[i].taken += 0.5 * stage.rotor_impulse * stage.rotor_impulse / a
            work.account[i].met += 0.5 * (before * before + after * after) / a


@inner_kernel
def begin_groups(model, h, work):
    """Make groups of the bodies that joints connect, for a part of length h."""
    g = norm(Vec3(model.gravity[0], model.gravity[1], model.gravity[2]))
    for i in range(model.dynamic):
        account = work.account[i]
        account.group = i
        account.created, account.returned, account.worked = 0.0, 0.0, 0.0
        account.swing = model.bodies[i].mass * (g * h) * (g * h)
    for j in range(len(model.joints)):
        join_bodies(model, model.joints[j].body1, model.joints[j].body2, work)


@inner_kernel
def join_bodies(model, i1, i2, work):
    """Put two bodies into one group, if both are dynamic."""
    if i1 < model.dynamic and i2 < model.dynamic:
        a, b = group_of(work, i1), group_of(work, i2)
        work.account[max(a, b)].group = min(a, b)


@inner_kernel
def group_of(work, i):
    """The dynamic body that stands for the group of body i."""
    account = work.account
    while account[i].group != i:
        account[i].group = account[account[i].group].group
        i = account[i].group
    return i


@inner_kernel
def excess_of_groups(model, most, work):
    """Energy that groups created beyond what they took, from the sums of their bodies and impulses.

    Whether more was returned than taken is told by both balances, without the swing and with it:
    what is thrown upwards adds to the one, what rests below an impact to the other. Work beyond any
    swing was created, whether or not anything was returned.

    Returns the sum over groups [J], and the group of the largest excess over ``most`` of the energy
    that its impulses met; -1 if there is none.
    """
    account = work.account
    for i in range(model.dynamic):
        root = group_of(work, i)
        if root != i:
            account[root].taken += account[i].taken
            account[root].met += account[i].met
            account[root].swing += account[i].swing
    created, largest, worst = 0.0, 0.0, -1
    for i in range(model.dynamic):
        if group_of(work, i) != i:
            continue
        excess = account[i].created
        if account[i].returned > 0.0:
            balance = excess + account[i].returned - account[i].taken
            excess = max(excess, min(balance, account[i].worked))
        if account[i].worked > _MOST_SWING * account[i].met + account[i].swing:
            excess = max(excess, account[i].worked)
        if excess > 0.0:
            created += excess
        beyond = excess - most * account[i].met
        if beyond > largest:
            largest, worst = beyond, i
    return created, worst
