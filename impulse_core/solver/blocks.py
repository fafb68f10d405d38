"""Blocks of the graph of bodies and joints: what is on loops together, and bridges between such
(Hopcroft and Tarjan, Algorithm 447: efficient algorithms for graph manipulation, 1973).

Two blocks share one vertex at most. Cut there, the graph falls apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

__all__ = ["BRIDGE", "WORLD", "Vertex", "blocks_of"]

Vertex = tuple[str, int]
"""Of the graph of bodies and joints: ("body", row) or ("joint", number)."""
WORLD: Vertex = ("world", 0)
"""What does not move, beside the joints on it; it is never eliminated."""

BRIDGE = 2  # vertices of a block that is on no loop


def blocks_of(
    neighbours: dict[Vertex, set[Vertex]],
) -> Iterator[tuple[set[Vertex], Vertex | None]]:
    """Each block, with its top, after all blocks that hang on it. The top is None for the last of
    what is not connected with the world: it hangs on nothing.

    Args:
        neighbours: Of each vertex that is on loops or between them; the world among them.
    """
    found: dict[Vertex, int] = {}
    for start in (WORLD, *sorted(neighbours)):
        if start in found or start not in neighbours:
            continue
        root = start if start == WORLD else _middle(neighbours, start)
        blocks = _blocks_below(neighbours, root, found)
        last = next(blocks)
        for block in blocks:
            yield last
            last = block
        yield last if root == WORLD else (last[0], None)


def _blocks_below(
    neighbours: dict[Vertex, set[Vertex]], root: Vertex, found: dict[Vertex, int]
) -> Iterator[tuple[set[Vertex], Vertex]]:
    """Those of what is connected with a root, by a search in depth; ``found`` gets the number at
    which each vertex was found.
    """
    lowest = {root: len(found)}  # number that is reached from each by what comes after it
    found[root] = len(found)
    path, ways = [root], [(root, iter(sorted(neighbours[root])))]
    while ways:
        vertex, others = ways[-1]
        new = next((other for other in others if other not in found), None)
        if new is not None:
            lowest[new] = found[new] = len(found)
            path.append(new)
            ways.append((new, iter(sorted(neighbours[new]))))
            continue
        ways.pop()
        if not ways:
            return
        above = ways[-1][0]
        lowest[vertex] = min(lowest[vertex], *(found[other] for other in neighbours[vertex]))
        lowest[above] = min(lowest[above], lowest[vertex])
        if lowest[vertex] >= found[above]:
            block = {above}
            while vertex not in block:
                block.add(path.pop())
            yield block, above


def _middle(neighbours: dict[Vertex, set[Vertex]], start: Vertex) -> Vertex:
    """The body in the middle of the longest way to what is furthest from a vertex."""
    way = _way_to_the_furthest(neighbours, _way_to_the_furthest(neighbours, start)[0])
    bodies = [vertex for vertex in way if vertex[0] == "body"]
    return bodies[len(bodies) // 2]


def _way_to_the_furthest(neighbours: dict[Vertex, set[Vertex]], start: Vertex) -> list[Vertex]:
    """The vertex that is furthest from another, and those between, with the other one last."""
    before: dict[Vertex, Vertex | None] = {start: None}
    waiting = deque([start])
    while waiting:
        vertex = waiting.popleft()
        for other in sorted(neighbours[vertex]):
            if other not in before:
                before[other] = vertex
                waiting.append(other)
    way = []
    at: Vertex | None = vertex
    while at is not None:
        way.append(at)
        at = before[at]
    return way
