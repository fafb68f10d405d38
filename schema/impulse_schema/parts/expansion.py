"""A scene with its parts expanded: every use replaced by its copy of the part.

Copies follow what was there before, in the order of the uses; so what no use made keeps its place.
A part that others use is expanded once and then copied.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from impulse_schema.models import CollisionFilter, Element, Joint, Part, Scene, Use
from impulse_schema.parts.placement import Placement
from impulse_schema.parts.placing import Placer, Twins, copied
from impulse_schema.source import Origin, Origins, ScenePath

_LISTS: dict[str, ScenePath] = {
    "bodies": ("bodies",),
    "loads": ("loads",),
    "joints": ("joints",),
    "springs": ("springs",),
    "pairs": ("collision_filter", "pairs"),
}
"""The lists of a part, and what each is in a scene."""


class Expansion(NamedTuple):
    """A scene with its parts expanded, and where what it holds was written."""

    scene: Scene
    origins: Origins


class _Copy(NamedTuple):
    element: Any
    origin: Origin


_Content = dict[str, list[_Copy]]


class Expander:
    """Expands the parts of one scene.

    Uses of unknown parts, parts that use themselves and parts that multiply without bound are not
    for it: they are in ``skipped`` (checks/parts.py).
    """

    def __init__(self, scene: Scene, skipped: AbstractSet[ScenePath] = frozenset()) -> None:
        """``skipped`` holds the paths of uses that are left out."""
        self._scene = scene
        self._skipped = skipped
        self._numbers = part_numbers(scene)
        self._contents: dict[int, _Content] = {}
        self._twins = Twins({mesh.name: mesh.mirror for mesh in scene.meshes})

    def scene(self) -> Expansion:
        """The scene with all its uses expanded."""
        rules = self._scene.collision_filter
        own = {key: getattr(self._scene, key, ()) for key in _LISTS}
        own["pairs"] = rules.pairs if rules else ()
        return self._made(own, self._scene.uses, ())

    def part(self, number: int) -> Expansion:
        """A part as a scene of its own, to be checked as one."""
        part = self._scene.parts[number]
        own = {key: getattr(part, key) for key in _LISTS}
        return self._made(own, part.uses, ("parts", number))

    def _made(self, own: dict[str, Any], uses: list[Use], prefix: ScenePath) -> Expansion:
        content: _Content = {}
        for key, target in _LISTS.items():
            place = (*prefix, key) if prefix else target
            content[key] = [_Copy(item, Origin((*place, i))) for i, item in enumerate(own[key])]
        self._add_uses(content, uses, prefix)
        scene = self._scene.model_copy(
            update={
                key: [copy.element for copy in content[key]] for key in _LISTS if key != "pairs"
            }
            | {"parts": [], "uses": []}
        )
        rules = None if prefix else self._scene.collision_filter
        pairs = [copy.element for copy in content["pairs"]]
        scene.__dict__["collision_filter"] = _with_pairs(rules, pairs)
        lists = {_LISTS[key]: [copy.origin for copy in content[key]] for key in _LISTS}
        lists["meshes",] = self._add_meshes(scene)
        origins = Origins(self._scene, lists)
        source = self._scene._source
        scene._source = source.expanded(origins) if source else None
        return Expansion(scene, origins)

    def _add_uses(self, content: _Content, uses: Iterable[Use], prefix: ScenePath) -> None:
        for i, use in enumerate(uses):
            path = (*prefix, "uses", i)
            if path not in self._skipped:
                self._add_use(content, use, path)

    def _add_use(self, content: _Content, use: Use, path: ScenePath) -> None:
        part = self._content(self._numbers[use.part])
        joints: dict[str, Joint] = {copy.element.name: copy.element for copy in part["joints"]}
        placer = Placer(use, Placement.of(use), joints, self._twins)
        for key, copies in part.items():
            content[key] += [
                _Copy(placer.copy(element), Origin(origin.path, (*origin.uses, path)))
                for element, origin in copies
            ]

    def _content(self, number: int) -> _Content:
        """What a use of a part copies: its own elements, and those of the parts that it uses."""
        if number not in self._contents:
            part, prefix = self._scene.parts[number], ("parts", number)
            content: _Content = {
                key: [
                    _Copy(element, Origin((*prefix, key, i)))
                    for i, element in enumerate(getattr(part, key))
                ]
                for key in _LISTS
            }
            content["joints"] = [
                copy._replace(element=_called(copy.element, i))
                for i, copy in enumerate(content["joints"])
            ]
            self._add_uses(content, part.uses, prefix)
            self._contents[number] = content
        return self._contents[number]

    def _add_meshes(self, scene: Scene) -> list[Origin]:
        """Add the mirror images of meshes that solids refer to; the origins of all meshes."""
        named = {solid.mesh for body in scene.bodies for solid in body.geometry}
        originals = self._twins.originals
        twins = [twin for twin in originals if twin in named]
        if not twins:
            return []
        places = {mesh.name: i for i, mesh in reversed(list(enumerate(self._scene.meshes)))}
        origins = [Origin(("meshes", i)) for i in range(len(self._scene.meshes))]
        scene.__dict__["meshes"] = list(self._scene.meshes)
        for twin in twins:
            place = places[originals[twin]]
            mesh = copied(self._scene.meshes[place])
            mesh.__dict__.update(name=twin, mirror=self._twins.mirror(twin))
            scene.meshes.append(mesh)
            origins.append(Origin(("meshes", place)))
        return origins


def part_numbers(scene: Scene) -> dict[str, int]:
    """The number of each part by its name; where two have it, of the first."""
    return {part.name: i for i, part in reversed(list(enumerate(scene.parts)))}


def _called(joint: Joint, number: int) -> Joint:
    """A joint of a part, which is called after its number where it has no name."""
    return joint if joint.name else joint.model_copy(update={"name": f"joint-{number + 1}"})


def _with_pairs(rules: CollisionFilter | None, pairs: list[Any]) -> CollisionFilter | None:
    """The rules of a scene with those of the parts that it uses."""
    if rules is None:
        return CollisionFilter(pairs=pairs) if pairs else None
    return rules.model_copy(update={"pairs": pairs})


def weight(part: Part) -> int:
    """What a copy of a part's elements takes: one for each, and one for ten numbers in lists."""
    return sum(_weight(element) for key in _LISTS for element in getattr(part, key))


def _weight(element: Element) -> int:
    total = 1
    for value in element.__dict__.values():
        if isinstance(value, Element):
            total += _weight(value)
        elif isinstance(value, list) and value:
            of_elements = isinstance(value[0], Element)
            total += sum(map(_weight, value)) if of_elements else _numbers(value) // 10
    return total


def _numbers(values: list[Any]) -> int:
    return sum(len(value) if isinstance(value, list) else 1 for value in values)
