"""Names of a scene: unique, and known where they are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TypeVar

from impulse_schema.constants import PHASE
from impulse_schema.models import Body, Joint, Material, Mesh, Part, Scene
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath
from impulse_schema.suggest import did_you_mean

WORLD = "world"


def joint_names(scene: Scene | Part) -> list[str]:
    """The name of every joint; an unnamed one is called after its number, from ``joint-1``."""
    return [joint.name or f"joint-{i + 1}" for i, joint in enumerate(scene.joints)]


@dataclass(frozen=True)
class Broken:
    """Names that exist although their elements had to be left out of a scene.

    Attributes:
        names: By list of the scene; those of collision groups under ``groups``.
        parts: The same of the parts from which elements were left out, by the part's number.
    """

    names: Mapping[str, AbstractSet[str]] = field(default_factory=dict)
    parts: Mapping[int, Mapping[str, AbstractSet[str]]] = field(default_factory=dict)


NOTHING_BROKEN = Broken()


@dataclass(frozen=True)
class Names:
    """What names stand for. None: it exists, but its element is broken and tells no more.

    ``open`` are uses that were not expanded: whatever begins with the name of one and a point may
    exist. In a part, ``part`` is its name and ``outside`` holds the bodies and joints beside it.
    ``numbers`` are what expressions can name.
    """

    bodies: dict[str, Body | None]
    joints: dict[str, Joint | None]
    meshes: dict[str, Mesh | None]
    materials: dict[str, Material | None]
    groups: frozenset[str]
    numbers: AbstractSet[str]
    open: frozenset[str] = frozenset()
    part: str = ""
    outside: AbstractSet[str] = frozenset()

    @classmethod
    def of(
        cls,
        scene: Scene,
        broken: Mapping[str, AbstractSet[str]],
        open_uses: AbstractSet[str] = frozenset(),
    ) -> Names:
        """The names in ``scene`` and those of its ``broken`` elements, by list."""
        return cls(
            open=frozenset(open_uses) | broken.get("uses", frozenset()),
            bodies=_by_name([body.name for body in scene.bodies], scene.bodies, broken, "bodies"),
            joints=_by_name(joint_names(scene), scene.joints, broken, "joints"),
            meshes=_by_name([mesh.name for mesh in scene.meshes], scene.meshes, broken, "meshes"),
            materials=_by_name(
                [m.name for m in scene.materials], scene.materials, broken, "materials"
            ),
            numbers={PHASE, *(c.name for c in scene.constants), *broken.get("constants", ())},
            groups=frozenset(broken.get("groups", ()))
            | {body.collision_group for body in scene.bodies if body.collision_group},
        )

    def of_part(
        self,
        part: str,
        scene: Scene,
        broken: Mapping[str, AbstractSet[str]],
        open_uses: AbstractSet[str],
    ) -> Names:
        """The names inside a part: materials and meshes are those of the scene as well.

        ``scene`` holds the part alone, expanded.
        """
        own = Names.of(scene.model_copy(update={"materials": [], "meshes": []}), broken, open_uses)
        twins = {mesh.name: mesh for mesh in scene.meshes if mesh.name not in self.meshes}
        return replace(
            own,
            part=part,
            outside=self.bodies.keys() | self.joints.keys(),
            materials=self.materials,
            numbers=self.numbers,
            meshes={**self.meshes, **twins} if twins else self.meshes,
        )

    def check_body(self, name: str, path: ScenePath, *, world: bool) -> Iterator[Finding]:
        """A finding if there is no body ``name``; ``world`` says if the world will do."""
        if name not in self.bodies and not (world and name == WORLD):
            also = [WORLD] if world else []
            yield from self._unknown("body", "E303", name, [*self.bodies, *also], path)

    def _unknown(
        self, noun: str, code: str, name: str, known: Iterable[str], path: ScenePath
    ) -> Iterator[Finding]:
        """A finding on a body or joint that is not there, unless nobody can tell."""
        if self._may_be_of_a_use(name):
            return
        if not self.part:
            yield Finding(
                path, code, f"there is no {noun} '{name}'", lambda: did_you_mean(name, known)
            )
            return
        message = f"there is no {noun} '{name}' in the part '{self.part}'"
        if name in self.outside:
            hint = "A part names what is in it; what joins it to others stands beside its use"
            yield Finding(path, code, message, hint)
        else:
            yield Finding(path, code, message, lambda: did_you_mean(name, known))

    def _may_be_of_a_use(self, name: str) -> bool:
        """Whether a name begins with a use that was not expanded."""
        points = (i for i, character in enumerate(name) if character == ".")
        return bool(self.open) and any(name[:i] in self.open for i in points)

    def check_mesh(self, name: str, path: ScenePath) -> Iterator[Finding]:
        if name not in self.meshes:
            message = f"there is no mesh '{name}'"
            yield Finding(path, "E305", message, lambda: did_you_mean(name, self.meshes))

    def check_material(self, name: str, path: ScenePath) -> Iterator[Finding]:
        if name not in self.materials:
            message = f"there is no material '{name}'"
            yield Finding(path, "E306", message, lambda: did_you_mean(name, self.materials))

    def check_joint(self, name: str, path: ScenePath) -> Iterator[Finding]:
        if name not in self.joints:
            yield from self._unknown("joint", "E304", name, self.joints, path)

    def check_group(self, name: str, path: ScenePath) -> Iterator[Finding]:
        if name not in self.groups and not self.open:
            message = f"no body has the collision_group '{name}'"
            yield Finding(path, "E307", message, lambda: did_you_mean(name, sorted(self.groups)))

    def is_fixed(self, name: str) -> bool:
        """Whether no force moves the body: the world, or a static or kinematic body."""
        body = self.bodies.get(name)
        return name == WORLD or (body is not None and body.motion != "dynamic")


_Item = TypeVar("_Item")


def _by_name(
    names: list[str], items: list[_Item], broken: Mapping[str, AbstractSet[str]], key: str
) -> dict[str, _Item | None]:
    """What each name stands for; where two things have it, the first."""
    found: dict[str, _Item | None] = {}
    for name, item in zip(names, items, strict=True):
        found.setdefault(name, item)
    for name in broken.get(key, ()):
        found.setdefault(name, None)
    return found


def check_unique_names(scene: Scene) -> Iterator[Finding]:
    """Findings for names that stand for two things, and for a body called 'world'."""
    yield from check_unique("mesh", [mesh.name for mesh in scene.meshes], ("meshes",))
    yield from check_unique("material", [m.name for m in scene.materials], ("materials",))
    yield from check_names_of_content(scene)


def check_names_of_content(scene: Scene) -> Iterator[Finding]:
    """Those for bodies and joints."""
    yield from check_unique("body", [body.name for body in scene.bodies], ("bodies",))
    yield from check_unique("joint", joint_names(scene), ("joints",))
    for index, body in enumerate(scene.bodies):
        if body.name == WORLD:
            message = "'world' means the ground that does not move, so no body may be called so"
            yield Finding(("bodies", index, "name"), "E302", message, "Choose another name")


def check_unique(noun: str, words: Sequence[str], path: ScenePath) -> Iterator[Finding]:
    """A finding for each of ``words`` that an earlier element of the list at ``path`` has."""
    seen: dict[str, int] = {}
    for index, word in enumerate(words):
        if word in seen:
            message = f"{noun} {seen[word] + 1} is called '{word}' already"
            hint = f"Give each {noun} a name of its own"
            yield Finding((*path, index, "name"), "E301", message, hint)
        seen.setdefault(word, index)
