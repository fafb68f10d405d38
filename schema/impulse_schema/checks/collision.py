"""Pairs of materials and the collision filter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from impulse_schema.checks.materials import check_material
from impulse_schema.checks.names import Names
from impulse_schema.models import CollisionFilter, MaterialPair
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath


def check_material_pairs(pairs: list[MaterialPair], names: Names) -> Iterator[Finding]:
    """Findings on the rules for two materials."""
    for i, pair in enumerate(pairs):
        path = ("material_pairs", i)
        yield from names.check_material(pair.material1, (*path, "material1"))
        yield from names.check_material(pair.material2, (*path, "material2"))
        yield from check_material(pair, path)
        yield from _check_mean(pair, path, names)
    yield from _check_once(
        (("material_pairs", i), {p.material1, p.material2}) for i, p in enumerate(pairs)
    )


def _check_mean(pair: MaterialPair, path: ScenePath, names: Names) -> Iterator[Finding]:
    """Kinetic friction that a pair gives alone is not above the static one of its materials."""
    materials = [names.materials.get(name) for name in (pair.material1, pair.material2)]
    if pair.kinetic_friction is None or pair.static_friction is not None or None in materials:
        return
    static = sum(material.static_friction for material in materials if material) / 2
    if pair.kinetic_friction > static:
        message = (
            f"kinetic_friction {pair.kinetic_friction:g} is greater than {static:g}, the mean"
            " static_friction of the two materials"
        )
        hint = "Give static_friction as well; it is at least the kinetic one"
        yield Finding((*path, "kinetic_friction"), "E807", message, hint)


def check_collision_filter(rules: CollisionFilter, names: Names) -> Iterator[Finding]:
    """Findings on the rules for two bodies and for two groups."""
    for i, pair in enumerate(rules.pairs):
        path = ("collision_filter", "pairs", i)
        yield from names.check_body(pair.body1, (*path, "body1"), world=False)
        yield from names.check_body(pair.body2, (*path, "body2"), world=False)
        if pair.body1 == pair.body2:
            message = f"the body '{pair.body1}' never touches itself"
            yield Finding((*path, "body2"), "E806", message, "Name two bodies")
    yield from _check_once(
        (("collision_filter", "pairs", i), {p.body1, p.body2}) for i, p in enumerate(rules.pairs)
    )
    for i, group in enumerate(rules.groups):
        path = ("collision_filter", "groups", i)
        yield from names.check_group(group.group1, (*path, "group1"))
        yield from names.check_group(group.group2, (*path, "group2"))
    yield from _check_once(
        (("collision_filter", "groups", i), {g.group1, g.group2})
        for i, g in enumerate(rules.groups)
    )


def _check_once(rules: Iterable[tuple[ScenePath, set[str]]]) -> Iterator[Finding]:
    """A finding for each rule on two things that an earlier rule names already."""
    seen = set()
    for path, parties in rules:
        if frozenset(parties) in seen:
            message = f"there is a rule for {' and '.join(sorted(parties))} already"
            yield Finding(path, "E806", message, "Keep one of them")
        seen.add(frozenset(parties))
