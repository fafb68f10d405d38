"""Elimination order of bodies and joints in the joint matrix [M Gᵀ; G -E], found once:

1. *Peel.* As long as a body has a single joint left, eliminate it and then that joint. This is
   "a body, then the joint to its parent, leaves first" (Baraff 1996): a tree has no fill at all.
   Its root is its middle.
2. *The rest* (bodies on closed loops or under a coupling): minimum degree, under the rule that a
   joint waits until what it is joined to by all that comes before hangs on one thing at most: a
   later body, or the world. Its pivot is that of a machine whose one later body is held, which
   takes nothing but motions of the whole from it. So the pivots of redundant rows, and only theirs,
   are of the size of round-off: a row is dropped for what the rows before it hold, not for an
   order that is bad. Legs on a trunk stay apart (docs/design/direct-solver.md). Without
   ``may_hang`` it waits for all its bodies.

A coupling is a joint of all the bodies of its terms.

Plain Python over sets: it runs once per scene, linear for trees.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from itertools import pairwise

import numpy as np

from impulse_core.joints.table import NO_PART, SWING
from impulse_core.model import Model

__all__ = ["Vertex", "elimination_order", "slices_of_terms"]

Vertex = tuple[str, int]
"""Of the graph of bodies and joints: ("body", row) or ("joint", number)."""
_WORLD: Vertex = ("world", 0)
"""What does not move, beside the joints on it; it is never eliminated."""


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
    """Bodies and joints in elimination order, and the joints on or between closed loops.

    Args:
        may_hang: Whether joints of those, but no couplings, may come before one of the bodies
            beside them (2). That keeps limbs on a trunk apart; a row of loops, each on the world,
            is better off without.
    """
    joints_of, bodies_of = _joint_neighbours(model)
    parts = _parts(model)
    order, rest = _peel(joints_of, bodies_of)
    looped = {joint for body in rest for joint in joints_of[body]}
    neighbours = _neighbours(model, rest, joints_of)
    if may_hang:
        hanging = looped.difference(model.couplings.joint.tolist())
        order.extend(_minimum_degree(neighbours, _sizes(model, parts), hanging))
    else:  # each counts one: see "Known limits" there
        order.extend(_minimum_degree(neighbours, dict.fromkeys(neighbours, 1) | {_WORLD: 0}, set()))
    looped |= {part for joint in looped for part in parts.get(joint, ())}
    return [node for kind, k in order for node in _with_parts(kind, k, parts)], looped


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
            neighbours[kind, k].add(_WORLD)
    return neighbours


def _sizes(model: Model, parts: dict[int, list[int]]) -> dict[Vertex, int]:
    """How many nodes each body and joint has, with the parts that follow it; the world none."""
    nodes = (model.joints["translation_part"] != NO_PART).astype(int)
    nodes += model.joints["rotation_part"] != NO_PART
    sizes = {("body", body): 2 for body in range(model.dynamic)} | {_WORLD: 0}
    for joint, own in enumerate(nodes.tolist()):
        sizes["joint", joint] = own + sum(int(nodes[part]) for part in parts.get(joint, ()))
    return sizes


def _minimum_degree(
    neighbours: dict[Vertex, set[Vertex]], sizes: dict[Vertex, int], hanging: set[int]
) -> list[Vertex]:
    """What is left on loops, the least beside it first, among those that need not wait: joints wait
    for all bodies beside them, but for one on which, in place of the world, those of ``hanging``
    may hang. Where any may, what less hangs on comes first of two that are alike.

    Args:
        neighbours: Of each vertex; they are used up.
        sizes: What each vertex counts.
        hanging: Numbers of joints.

    Eliminating a vertex joins all its neighbours, so those of a joint tell what it hangs on.
    """
    below = dict.fromkeys(neighbours, 0)  # longest way down to what was eliminated, in nodes

    def priority(vertex: Vertex) -> tuple[int, int, Vertex]:
        degree = sum(sizes[other] for other in neighbours[vertex])
        return degree, below[vertex] if hanging else 0, vertex

    def waits(vertex: Vertex) -> bool:
        around = neighbours[vertex]
        later = sum(kind == "body" for kind, _ in around)
        hangs = vertex[1] in hanging and later == 1 and _WORLD not in around
        return vertex[0] == "joint" and later > 0 and not hangs

    heap = [priority(vertex) for vertex in neighbours]
    heapq.heapify(heap)
    gone: set[Vertex] = {_WORLD}
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
