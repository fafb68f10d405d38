"""Room for groups of bodies that go through a step by themselves (contact/apart.py)."""

from __future__ import annotations

import numpy as np

from impulse_core.collision.contacts import new_contacts, new_found, new_staged
from impulse_core.collision.memory import new_memory
from impulse_core.collision.shapes import GROUND
from impulse_core.collision.sweep import new_sweep
from impulse_core.contact.apart import MOST_APART, Apart
from impulse_core.contact.batches import new_batches
from impulse_core.contact.sleep import new_sleep
from impulse_core.contact.solver_bodies import new_solver_bodies
from impulse_core.contact.system import ContactSetup, new_delassus, new_island_work
from impulse_core.jit.team import new_team
from impulse_core.model import Model, State, Structure, Workspace
from impulse_core.model.model import Body
from impulse_core.model.state import BodyState
from impulse_core.model.tally import Totals
from impulse_core.model.workspace import new_workspace
from impulse_core.solver.layout import plan_structure
from impulse_core.types import Ints, Records, new_records

__all__ = ["new_apart"]

_PAIRS = 32 * MOST_APART  # of shapes, triangles of a ground among them
_SHAPES = 2 * _PAIRS
_ROWS = 16 * MOST_APART  # contacts
_POOL = 4  # contacts of the whole scene, to one that there is room for of groups that are taken


def new_apart(model: Model, state: State, work: Workspace, setup: ContactSetup) -> Apart:
    """Room for the groups of a scene; what the state is does not matter."""
    few = _small_model(model)
    few_state = state._replace(
        bodies=_few(state.bodies, model.dynamic),
        joints=state.joints[:0].copy(),
        axes=state.axes[:0].copy(),
        terms=state.terms[:0].copy(),
        kinematic=state.kinematic.copy(),
        loads=state.loads[:0].copy(),
        turns=state.turns[:0].copy(),
        clock=state.clock.copy(),
    )
    structure = plan_structure(few)
    few_work = new_workspace(few, structure, few_state)._replace(stop=work.stop)
    n, rows, pairs = model.dynamic, len(setup.contacts.row), len(setup.sweep.pair_first)
    pool = rows // _POOL + _ROWS
    first_shape, shape = _shapes_of_bodies(setup, n)
    nobody = new_records(Body, 1)
    nobody["inertia"], nobody["inverse_inertia"], nobody["inverse_mass"] = 1.0, 1.0, 1.0
    return Apart(
        model=few,
        structure=structure,
        state=few_state,
        contact=_small_setup(few, structure, few_state, few_work, setup, n),
        work=few_work,
        nobody=nobody,
        open=np.zeros(1, dtype=np.int64),
        taken=np.zeros(1, dtype=np.int64),
        group=np.zeros(n, dtype=np.int64),
        number=np.zeros(n, dtype=np.int64),
        bars=np.zeros(n, dtype=np.int64),
        meets=np.zeros(n, dtype=np.int64),
        moment=np.zeros(n),
        moments=np.zeros(n),
        body=np.zeros((2, n), dtype=np.int64),
        pair=np.zeros(n, dtype=np.int64),
        next_pair=np.zeros(pairs, dtype=np.int64),
        point=np.zeros(n, dtype=np.int64),
        next_point=np.zeros(rows, dtype=np.int64),
        slot=np.zeros(n, dtype=np.int64),
        grounds=np.flatnonzero(setup.shapes.kind[: setup.shapes.sought] == GROUND),
        around=np.zeros((setup.shapes.boxed, 6)),
        first_shape=first_shape,
        shape=shape,
        end=new_records(BodyState, n),
        contacts=new_contacts(pool),
        memory=new_memory(pool, 0),
        order=np.zeros(pool, dtype=np.int64),
        totals=new_records(Totals, 1),
    )


def _shapes_of_bodies(setup: ContactSetup, dynamic: int) -> tuple[Ints, Ints]:
    """Where the shapes of each dynamic body begin among all of these, shape (n+1,), and these."""
    body = setup.shapes.body[: setup.shapes.boxed]
    order = np.argsort(body, kind="stable")
    first = np.searchsorted(body[order], np.arange(dynamic + 1))
    return first.astype(np.int64), order[: first[-1]].astype(np.int64)


def _few(rows: Records, dynamic: int) -> Records:
    """Rows of MOST_APART bodies, of kinematic ones and of the world."""
    few: Records = np.concatenate([np.repeat(rows[-1:], MOST_APART), rows[dynamic:]])
    return few.view(type(rows))


def _small_model(model: Model) -> Model:
    """The model of MOST_APART bodies without joints and loads, on which the same kernels work."""
    couplings = model.couplings
    return model._replace(
        dynamic=MOST_APART,
        bodies=_few(model.bodies, model.dynamic),
        joints=model.joints[:0].copy(),
        axes=model.axes[:0].copy(),
        counted=model.counted[:0].copy(),
        couplings=couplings._replace(
            joint=couplings.joint[:0].copy(),
            constant=couplings.constant[:0].copy(),
            weight=couplings.weight[:0].copy(),
            first_term=couplings.first_term[:1].copy(),
            terms=couplings.terms[:0].copy(),
        ),
        loads=model.loads[:0].copy(),
    )


def _small_setup(
    few: Model,
    structure: Structure,
    state: State,
    work: Workspace,
    setup: ContactSetup,
    dynamic: int,
) -> ContactSetup:
    """What a step with contacts needs, for the small scene: bodies have the shapes that they have
    in the whole one.
    """
    body: Ints = np.where(setup.shapes.body < dynamic, 0, setup.shapes.body - dynamic + MOST_APART)
    shapes = setup.shapes._replace(body=body)
    sweep = new_sweep(shapes, state, _PAIRS)._replace(
        given=np.array([1, 0]),
        order=np.zeros(_SHAPES, dtype=np.int64),
        box=np.zeros((shapes.boxed, 6)),
    )
    sleep = new_sleep(few, shapes, 0)
    sleep.still[-1] = 1
    return setup._replace(
        shapes=shapes,
        sweep=sweep,
        found=new_found(),
        staged=new_staged(_ROWS, _PAIRS, 1),
        contacts=new_contacts(_ROWS),
        memory=new_memory(_ROWS, 0),
        earlier=new_memory(_ROWS, 0),
        solver_bodies=new_solver_bodies(few),
        sleep=sleep,
        delassus=new_delassus(structure, state, work, 0),
        own=new_island_work(_ROWS, len(few.bodies)),
        batches=new_batches(_ROWS, len(few.bodies), 1),
        team=new_team(1),
        needed=np.zeros(3, dtype=np.int64),
        closed=np.zeros(1, dtype=np.int64),
        again=np.zeros(1, dtype=np.int64),
        hit=np.zeros(1, dtype=np.int64),
        suspect=np.zeros(1, dtype=np.int64),
        divided=np.zeros(2, dtype=np.int64),
    )
