"""Force laws along free axes, met for certain: Newton's method with an exact line search.

While contacts and directions stay as they are, the laws p ∈ P(x) along all axes are the condition
of the least of a convex function of the velocities that joints allow. Softened about an impulse
p_a (forces/axes.py) it is smooth and consists of quadratic pieces; a Newton step, shortened to
where the function is least along it, brings it down, and ends on the right pieces after finitely
many. Then p_a becomes the impulse that was found, until the exact laws hold: the proximal point
method. Why that ends stands in docs/design/free-axes.md.
"""

from __future__ import annotations

from impulse_core.forces.axes import (
    GIVE,
    OTHER_MATRIX,
    add_axis_impulses,
    largest_residual,
    softened_impulse,
    softened_pieces,
)
from impulse_core.forces.force_law import active_piece
from impulse_core.jit import deferred_kernel, inner_kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    relative_velocities,
)
from impulse_core.solver.direct import factorise, solve
from impulse_core.step.corrections import add_multipliers

__all__ = ["PLAIN_ITERATIONS", "descend"]

PLAIN_ITERATIONS = 8
"""Looks at the laws after which whole Newton steps are no longer trusted: from a start that is
near they need one to three, and where they run in a circle they do so for ever."""

_MOST_STEPS = 250  # of one descent, with a factor each; what is left then is looked at outside
_MOST_TRIALS = 60  # of a line search: each halves the interval at least every other time
_SLOW = 0.1  # of a residual: what a softened solution should at least leave of the last one's
_LEAST_GIVE = 1e-9  # of laws that are softened less and less: machines whose masses differ much
_ROUND_OFF = 1e-14  # relative, of what a derivative is a sum of
_LEAST = 1e-6  # part of the slope at the start of a line that counts as none at its end


@deferred_kernel("int64")
def descend(model, structure, state, h, enough, anew, multipliers, work):
    """Change the impulses of joints and axes until the laws hold to ``enough`` [m] at
    x = work.axes.at, which changes by h for each unit of velocity along an axis.

    In work.error are the errors of the joints for the first step, which is taken whole; the others
    keep the joints as they are. ``anew`` says that impulses along axes first go back to what they
    began with: whole steps that run in a circle may have raised those of axes that hold each other
    beyond all measure. ``multipliers`` says that impulses of joints are added up. Needs the angular
    velocities, and leaves those after. Returns the number of steps.
    """
    if anew:
        _begin_anew(model, state, h, multipliers, work)
    steps, give, last = 0, GIVE, 1e300
    _anchor(model, work)
    while steps < _MOST_STEPS and not work.stop[0]:
        change = softened_pieces(model, state, h, give, work, work.error)
        if steps == 0 or change == OTHER_MATRIX:
            factorise(model, structure, state, work)
        relative_velocities(model, state, work, work.impulse)
        _set_ways(model, h, work.impulse, work)
        solve(structure, work.error, -1.0 / h, work)
        _act(model, state, multipliers, work)
        relative_velocities(model, state, work, work.error)
        _end_ways(model, h, work.error, work)
        share, solved = _least_share(model, h, give, work)
        if share < 1.0 and steps > 0:
            _scale_impulses(model, share - 1.0, work)
            _act(model, state, multipliers, work)
        else:
            share = 1.0
        for k in range(len(model.axes)):
            work.axes[k].at += share * work.axes[k].way
        steps += 1
        residual = largest_residual(model, h, work)
        if residual <= enough:
            break
        if solved:
            if residual > _SLOW * last and give > _LEAST_GIVE:
                give *= _SLOW
            last = residual
            _anchor(model, work)
        for j in range(len(model.joints)):
            for row in range(6):
                work.error[j, row] = 0.0
    return steps


@inner_kernel
def _begin_anew(model, state, h, multipliers, work):
    """Take back what was done to the impulses along axes; work.error and work.axes.at follow."""
    _add_rates(model, state, -h, work)
    for k in range(len(model.axes)):
        change = work.axes[k].begun - work.axes[k].impulse
        work.impulse[model.axes[k].joint, model.axes[k].row] = change
    _act(model, state, multipliers, work)
    _add_rates(model, state, h, work)


@inner_kernel
def _add_rates(model, state, h, work):
    """Add h times the rates of joint rows to their errors, and to x; leave work.impulse zero."""
    _scale_impulses(model, 0.0, work)
    relative_velocities(model, state, work, work.impulse)
    for j in range(len(model.joints)):
        for row in range(6):
            work.error[j, row] += h * work.impulse[j, row]
    for k in range(len(model.axes)):
        work.axes[k].at += h * work.impulse[model.axes[k].joint, model.axes[k].row]
    _scale_impulses(model, 0.0, work)


@inner_kernel
def _anchor(model, work):
    """Soften the laws about the present impulses."""
    for k in range(len(model.axes)):
        work.axes[k].anchor = work.axes[k].impulse


@inner_kernel
def _set_ways(model, h, rate, work):
    """Begin to note how a step changes x, from the rates of joint rows (m, 6) before it."""
    for k in range(len(model.axes)):
        work.axes[k].way = -h * rate[model.axes[k].joint, model.axes[k].row]


@inner_kernel
def _end_ways(model, h, rate, work):
    """The same after it."""
    for k in range(len(model.axes)):
        work.axes[k].way += h * rate[model.axes[k].joint, model.axes[k].row]


@inner_kernel
def _act(model, state, multipliers, work):
    """Apply work.impulse."""
    apply_impulses(model, work.impulse, state, work)
    add_axis_impulses(model, work)
    if multipliers:
        add_multipliers(model, state, work)
    angular_velocities(model, state, work)


@inner_kernel
def _scale_impulses(model, scale, work):
    """Make work.impulse a multiple of itself."""
    for j in range(len(model.joints)):
        for row in range(6):
            work.impulse[j, row] *= scale


@inner_kernel
def _least_share(model, h, give, work):
    """The share of a step that was taken whole at which the function is least, at most 1, and
    whether its least value of all is there.

    Its derivative along the step is piecewise linear and increases: secants find its root, and
    middles where they do not halve the interval. Steps that end on the pieces they began with, or
    bring nothing but round-off, end where the function is least.
    """
    if _ends_on_same_pieces(model, h, give, work):
        return 1.0, True
    low, high = 0.0, 1.0
    (at_low, noise), (at_high, _) = (
        _derivative(model, 0.0, h, give, work),
        _derivative(model, 1.0, h, give, work),
    )
    if -at_low <= noise:
        return 1.0, True
    least = max(-_LEAST * at_low, noise)
    if at_high <= least:
        return 1.0, False
    share = 1.0
    for trial in range(_MOST_TRIALS):
        share = 0.5 * (low + high)
        if trial % 2 == 0:
            share = low - at_low * (high - low) / (at_high - at_low)
        derivative, _ = _derivative(model, share, h, give, work)
        if abs(derivative) <= least:
            break
        if derivative < 0.0:
            low, at_low = share, derivative
        else:
            high, at_high = share, derivative
    return share, False


@inner_kernel
def _ends_on_same_pieces(model, h, give, work):
    """Whether the laws are on the same pieces before and after a whole step."""
    for k in range(len(model.axes)):
        stage, soft = work.axes[k], h * give * model.axes[k].inverse_mass_behind
        z = stage.at + stage.way - soft * stage.anchor
        vertical, value, slope = active_piece(work.laws[k], z, soft)
        if vertical != stage.vertical or value != stage.piece[0] or slope != stage.piece[1]:
            return False
    return True


@inner_kernel
def _derivative(model, share, h, give, work):
    """h times the derivative of the function by the share, Σ way (p - p_E(x)), and its round-off.
    What joints do has no part in it as long as the step keeps them as they are.
    """
    total, noise = 0.0, 0.0
    for k in range(len(model.axes)):
        stage, soft = work.axes[k], h * give * model.axes[k].inverse_mass_behind
        change = work.impulse[model.axes[k].joint, model.axes[k].row]
        p = stage.impulse - (1.0 - share) * change
        x = stage.at + share * stage.way
        met = softened_impulse(work.laws[k], x, stage.anchor, soft)
        total += stage.way * (p - met)
        noise += abs(stage.way) * (abs(p) + abs(met) + (abs(stage.at) + abs(stage.way)) / soft)
    return total, _ROUND_OFF * noise
