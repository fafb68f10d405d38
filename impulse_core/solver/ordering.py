"""Elimination order of bodies and joints in the joint matrix [M Gᵀ; G -E], found once:

1. *Peel.* As long as a body has a single joint left, eliminate it and then that joint. This is
   "a body, then the joint to its parent, leaves first" (Baraff 1996): a tree has no fill at all.
   Its root is its middle.
2. *The rest* (bodies on closed loops, between such, or under a coupling) in one of two ways:
   minimum degree, where every joint waits for all its bodies; or block by block, the last of which
   holds the world or the middle. A *block* is what is on loops together, or a bridge between such
   (``blocks.py``), and hangs on what comes later by one vertex, its top. A joint waits there until
   what it is joined to by all that comes before hangs on one thing at most: a later body, or the
   world. Its pivot is that of a machine whose one later body is held, which takes nothing but
   motions of the whole from it. So the pivots of redundant rows, and only theirs, are of the size
   of round-off: a row is dropped for what the rows before it hold, not for an order that is bad.
   Legs on a trunk stay apart (docs/design/direct-solver.md).

A coupling is a joint of all the bodies of its terms, and waits for all of them.

Plain Python over sets: it runs once per scene, linear for trees.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from itertools import pairwise

import numpy as np

from impulse_core.joints.table import NO_PART, SWING
from impulse_core.model import Model
from impulse_core.solver.blocks import BRIDGE, WORLD, Vertex, blocks_of

__all__ = ["elimination_order", "slices_of_terms"]


def _joint_neighbours(model: Model) -> tuple[list[set[int]], list[list[int]]]:
    """Joints of each dynamic body, dynamic bodies of each joint."""
    bodies = model.dynamic
    joints_of: list[set[int]] = [set() for _ in range(bodies)]
    bodies_of = [
        [body for body in pair if body < bodies]
        for pair in zip(model.joints["body1"].tolist(), model.joints["body2"].tolist(), strict=True)
    ]
    for coupling, terms in zip(model.couplings.joint, slices_of_terms(model), strict=True):
        joints = model.couplings.terms["joint"][terms].tolist()
        bodies_of[coupling] = sorted({body for joint in joints for body in bodies_of[joint]})
    parts = model.joints["rotation_part"] == SWING
    for joint, ends in enumerate(bodies_of):
        for body in () if parts[joint] else ends:
            joints_of[body].add(joint)
    return joints_of, bodies_of


def slices_of_terms(model: Model) -> list[slice]:
    """Where the terms of each coupling are."""
    first = model.couplings.first_term.tolist()
    return [slice(a, b) for a, b in pairwise(first)]


def elimination_order(model: Model, *, may_hang: bool) -> tuple[list[Vertex], set[int]]:
    """Bodies and joints in elimination order, and the joints on closed loops.

    Args:
        may_hang: Whether joints that are not peeled, but no couplings, may come before one of the
            bodies beside them (2). That keeps limbs on a trunk apart, and loops at the ends of
            limbs; a row of loops, each on the world, is better off without.
    """
    joints_of, bodies_of = _joint_neighbours(model)
    parts = _parts(model)
    order, rest = _peel(joints_of, bodies_of)
    neighbours = _neighbours(model, rest, joints_of)
    blocks = list(blocks_of(neighbours))
    on_loops = set().union(*(block for block, _ in blocks if len(block) > BRIDGE))
    looped = {k for kind, k in on_loops if kind == "joint"}
    looped |= {part for joint in looped for part in parts.get(joint, ())}
    if may_hang:
        couplings: set[Vertex] = {("joint", k) for k in model.couplings.joint.tolist()}
        order.extend(_block_by_block(neighbours, blocks, _sizes(model, parts), couplings))
    else:  # each counts one: see "Known limits" there
        order.extend(_minimum_degree(neighbours, dict.fromkeys(neighbours, 1) | {WORLD: 0}, WORLD))
    return [node for kind, k in order for node in _with_parts(kind, k, parts)], looped


def _block_by_block(
    neighbours: dict[Vertex, set[Vertex]],
    blocks: list[tuple[set[Vertex], Vertex | None]],
    sizes: dict[Vertex, int],
    couplings: set[Vertex],
) -> list[Vertex]:
    """All but the tops of each block, and what waits for a top with the block it comes in."""
    order: list[Vertex] = []
    waiting: dict[Vertex, set[Vertex]] = {}  # couplings, by the body for which they wait
    for block, top in blocks:
        around = {vertex: neighbours[vertex] & block for vertex in block if vertex != top}
        for body in sorted(around.keys() & waiting.keys()):
            _join(around, waiting.pop(body) | {body})
        taken = _minimum_degree(around, sizes, top, couplings)
        order.extend(taken)
        if top is not None and (late := around.keys() - taken):
            waiting[top] = waiting.get(top, set()) | late
    return order


def _join(neighbours: dict[Vertex, set[Vertex]], together: set[Vertex]) -> None:
    """Let each of these vertices be beside all others of them."""
    for vertex in together:
        neighbours[vertex] = (neighbours.get(vertex, set()) | together) - {vertex}


def _peel(joints_of: list[set[int]], bodies_of: list[list[int]]) -> tuple[list[Vertex], list[int]]:
    """The order of bodies that have a single joint left, and of those joints, which are taken out
    of the neighbourhoods; and the bodies that never have.

    All leaves go before those that become leaves without them, so that the middle of a tree comes
    last and no way to it is long. Each branch stays together in memory.
    """
    waiting = deque(body for body in range(len(joints_of)) if len(joints_of[body]) <= 1)
    own: dict[int, list[int]] = {}
    while waiting:
        body = waiting.popleft()
        if body in own:
            continue
        own[body] = list(joints_of[body])
        for joint in own[body]:
            for other in bodies_of[joint]:
                if other != body and other not in own:
                    joints_of[other].discard(joint)
                    if len(joints_of[other]) <= 1:
                        waiting.append(other)
        joints_of[body] = set()
    order: list[Vertex] = []
    for body in _branch_by_branch(own, bodies_of):
        order.append(("body", body))
        order.extend(("joint", joint) for joint in own[body])
    return order, [body for body in range(len(joints_of)) if body not in own]


def _branch_by_branch(own: dict[int, list[int]], bodies_of: list[list[int]]) -> list[int]:
    """Peeled bodies, with the joints that go with each, every one after all that hang on it."""
    place = {body: k for k, body in enumerate(own)}
    hanging: dict[int, list[int]] = defaultdict(list)
    roots = []
    for body, joints in own.items():
        later = {i for joint in joints for i in bodies_of[joint] if place.get(i, -1) > place[body]}
        if later:
            hanging[min(later, key=place.__getitem__)].append(body)
        else:
            roots.append(body)
    order = []
    while roots:  # the last body first, and each before what hangs on it
        body = roots.pop()
        order.append(body)
        roots.extend(hanging[body])
    return order[::-1]


def _parts(model: Model) -> dict[int, list[int]]:
    """Joints that carry further axes of another between the same bodies, by that joint: they close
    no loop with it, and come right after it.
    """
    parts: dict[int, list[int]] = {}
    for joint in np.flatnonzero(model.joints["rotation_part"] == SWING).tolist():
        parts.setdefault(int(model.joints["owner"][joint]), []).append(joint)
    return parts


def _with_parts(kind: str, k: int, parts: dict[int, list[int]]) -> list[Vertex]:
    return [(kind, k), *((kind, part) for part in (parts.get(k, ()) if kind == "joint" else ()))]


def _neighbours(
    model: Model, bodies: list[int], joints_of: list[set[int]]
) -> dict[Vertex, set[Vertex]]:
    """The graph of these bodies and their joints, with the world beside those that are on it."""
    neighbours: dict[Vertex, set[Vertex]] = defaultdict(set)
    for body in bodies:
        for joint in joints_of[body]:
            neighbours["body", body].add(("joint", joint))
            neighbours["joint", joint].add(("body", body))
    ends = np.maximum(model.joints["body1"], model.joints["body2"]) >= model.dynamic
    for coupling, terms in zip(model.couplings.joint, slices_of_terms(model), strict=True):
        ends[coupling] = ends[model.couplings.terms["joint"][terms]].any()
    for kind, k in list(neighbours):
        if kind == "joint" and ends[k]:
            neighbours[kind, k].add(WORLD)
            neighbours[WORLD].add((kind, k))
    return neighbours


def _sizes(model: Model, parts: dict[int, list[int]]) -> dict[Vertex, int]:
    """How many nodes each body and joint has, with the parts that follow it; the world none."""
    nodes = (model.joints["translation_part"] != NO_PART).astype(int)
    nodes += model.joints["rotation_part"] != NO_PART
    sizes = {("body", body): 2 for body in range(model.dynamic)} | {WORLD: 0}
    for joint, own in enumerate(nodes.tolist()):
        sizes["joint", joint] = own + sum(int(nodes[part]) for part in parts.get(joint, ()))
    return sizes


def _minimum_degree(
    neighbours: dict[Vertex, set[Vertex]],
    sizes: dict[Vertex, int],
    top: Vertex | None,
    couplings: set[Vertex] | None = None,
) -> list[Vertex]:
    """What is in a block, the least beside it first, among those that need not wait: joints wait
    for all bodies beside them, but where they may hang for all but one: the top, or one in its
    place. Couplings always wait, and are left where that is for the top.

    Where joints may hang, what less hangs on comes first of two that are alike.

    Args:
        neighbours: Of each vertex but the top; they are used up.
        sizes: What each vertex counts.
        top: What is eliminated later, or never; None where nothing is.
        couplings: Which joints are some, where others may hang.

    Eliminating a vertex joins all its neighbours, so those of a joint tell what it hangs on.
    """
    below = dict.fromkeys(neighbours, 0)  # longest way down to what was eliminated, in nodes
    may_hang = couplings is not None

    def priority(vertex: Vertex) -> tuple[int, int, Vertex]:
        degree = sum(sizes[other] for other in neighbours[vertex])
        return degree, below[vertex] if may_hang else 0, vertex

    def waits(vertex: Vertex) -> bool:
        if vertex[0] == "body":
            return False
        later = {other for other in neighbours[vertex] if other[0] == "body"}
        if couplings is None or vertex in couplings:
            return bool(later)
        return len(later | (neighbours[vertex] & {WORLD})) > 1

    heap = [priority(vertex) for vertex in neighbours if vertex != top]
    heapq.heapify(heap)
    gone: set[Vertex | None] = {top}
    order = []
    while heap:
        entry = heapq.heappop(heap)
        vertex = entry[-1]
        # stale where its neighbourhood has changed since; those that wait are offered again
        if vertex in gone or waits(vertex) or entry != priority(vertex):
            continue
        gone.add(vertex)
        order.append(vertex)
        around = neighbours[vertex]
        for other in around - gone:
            neighbours[other] |= around
            neighbours[other] -= {vertex, other}
            below[other] = max(below[other], below[vertex] + sizes[vertex])
        for other in around - gone:
            heapq.heappush(heap, priority(other))
    return order
