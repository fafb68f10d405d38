"""Bodies that overlapped at the start, were to be pushed apart, and are not."""

from __future__ import annotations

from collections.abc import Sequence

Pairs = Sequence[tuple[int, int, float]]
"""Bodies of the scene that overlap, and how deep [m]."""

__all__ = ["Pairs", "held_together", "still_overlap"]


def still_overlap(
    first: Pairs, now: Pairs, names: Sequence[str], share: float
) -> list[tuple[str, str, float]]:
    """Names of those that overlapped at first and do so now, by more than a share of what it was,
    with the depth [m].
    """
    deep = {(body1, body2): depth for body1, body2, depth in first}
    return [
        (names[body1], names[body2], depth)
        for body1, body2, depth in now
        if (body1, body2) in deep and depth > share * deep[body1, body2]
    ]


def held_together(overlaps: list[tuple[str, str, float]]) -> str:
    """A clause about them, by the deepest."""
    body1, body2, depth = max(overlaps, key=lambda pair: pair[2])
    others = f" (and {len(overlaps) - 1} more)" if len(overlaps) > 1 else ""
    return (
        f"bodies '{body1}' and '{body2}'{others} have overlapped since the start, by {depth:.2g} m"
        " now, and may have no way to come apart: deny the pair in the collision_filter, or"
        " move them apart"
    )
