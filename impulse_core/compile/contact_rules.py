"""Which bodies can touch, and with which friction and restitution."""

from __future__ import annotations

from typing import Any

import numpy as np

from impulse_schema import Scene
from impulse_schema.models import Material

__all__ = ["can_touch", "filter_fields", "material_fields"]

_COEFFICIENTS = (
    "static_friction",
    "kinetic_friction",
    "rolling_friction",
    "torsional_friction",
    "restitution",
)


def material_fields(scene: Scene) -> dict[str, Any]:
    """The coefficients of each pair of materials, by the names of Shapes, shape (M, M).

    Number M-1 is that of solids without a material. Two materials have the mean of their
    coefficients unless a pair says otherwise.
    """
    numbers = {material.name: k for k, material in enumerate(scene.materials)}
    materials = [*scene.materials, Material(name="default")]
    tables = {}
    for name in _COEFFICIENTS:
        values = np.array([_coefficient(material, name) for material in materials])
        tables[name] = 0.5 * (values[:, None] + values[None, :])
    for pair in scene.material_pairs:
        i, k = numbers[pair.material1], numbers[pair.material2]
        for name in _COEFFICIENTS:
            value = _coefficient(pair, name)
            if value is not None:
                tables[name][i, k] = tables[name][k, i] = value
    return tables


def _coefficient(source: object, name: str) -> float | None:
    """A coefficient of a material or pair; what slides takes that of what sticks by default."""
    value: float | None = getattr(source, name)
    return _coefficient(source, "static_friction") if value is None and "kin" in name else value


def filter_fields(scene: Scene) -> dict[str, Any]:
    """group, group_rule, pair_key and pair_rule of Shapes."""
    rules = scene.collision_filter
    names = sorted({body.collision_group for body in scene.bodies if body.collision_group})
    number = {name: k for k, name in enumerate(names, start=1)}
    default = int(rules.default) if rules else 1
    group_rule = np.full((len(names) + 1, len(names) + 1), default, dtype=np.int64)
    for rule in rules.groups if rules else []:
        i, k = number[rule.group1], number[rule.group2]
        group_rule[i, k] = group_rule[k, i] = int(rule.collide)
    bodies = {body.name: i for i, body in enumerate(scene.bodies)}
    pairs: dict[int, int] = {}
    for joint in scene.joints:
        joined = joint.body1 in bodies and joint.body2 in bodies
        if joined and not joint.collide:
            pairs[_key(bodies[joint.body1], bodies[joint.body2], len(bodies))] = 0
    for pair in rules.pairs if rules else []:
        pairs[_key(bodies[pair.body1], bodies[pair.body2], len(bodies))] = int(pair.collide)
    keys = sorted(pairs)
    return {
        "group": np.array(
            [number.get(body.collision_group or "", 0) for body in scene.bodies], dtype=np.int64
        ),
        "group_rule": group_rule,
        "pair_key": np.array(keys, dtype=np.int64),
        "pair_rule": np.array([pairs[key] for key in keys], dtype=np.int64),
    }


def _key(a: int, b: int, bodies: int) -> int:
    return min(a, b) * bodies + max(a, b)


def can_touch(scene: Scene, solid: list[int], rules: dict[str, Any]) -> list[int]:
    """Which of some bodies the filter lets touch another of them, one of the two being dynamic.

    Counts for each body the others that the groups allow, then those it has rules of its own with.
    """
    group, group_rule = rules["group"], rules["group_rule"]
    dynamic = [body.motion == "dynamic" for body in scene.bodies]
    groups = len(group_rule)
    everyone = np.bincount(group[solid], minlength=groups)
    moving = np.bincount(group[[i for i in solid if dynamic[i]]], minlength=groups)
    partners = {}
    for i in solid:
        others = (everyone if dynamic[i] else moving).copy()
        others[group[i]] -= 1 if dynamic[i] else 0
        partners[i] = int(others @ group_rule[group[i]])
    for key, rule in zip(rules["pair_key"].tolist(), rules["pair_rule"].tolist(), strict=True):
        i, k = divmod(key, len(scene.bodies))
        if i in partners and k in partners and (dynamic[i] or dynamic[k]):
            change = rule - int(group_rule[group[i], group[k]])
            partners[i] += change
            partners[k] += change
    return [i for i, number in partners.items() if number > 0]
