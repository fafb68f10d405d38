"""Names of a scene: unique, and known where they are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

from impulse_schema.models import Body, Joint, Material, Mesh, Scene
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath
from impulse_schema.suggest import did_you_mean

WORLD = "world"


def joint_names(scene: Scene) -> list[str]:
    """The name of every joint; an unnamed one is called after its number, from ``joint-1``."""
    return [joint.name or f"joint-{i + 1}" for i, joint in enumerate(scene.joints)]


@dataclass(frozen=True)
class Names:
    """What names stand for. None: it exists, but its element is broken and tells no more."""

    bodies: dict[str, Body | None]
    joints: dict[str, Joint | None]
    meshes: dict[str, Mesh | None]
    materials: dict[str, Material | None]
    groups: frozenset[str]

    @classmethod
    def of(cls, scene: Scene, broken: Mapping[str, AbstractSet[str]]) -> Names:
        """The names in ``scene`` and those of its ``broken`` elements, by list."""
        return cls(
            bodies=_by_name([body.name for body in scene.bodies], scene.bodies, broken, "bodies"),
            joints=_by_name(joint_names(scene), scene.joints, broken, "joints"),
            meshes=_by_name([mesh.name for mesh in scene.meshes], scene.meshes, broken, "meshes"),
            materials=_by_name(
                [m.name for m in scene.materials], scene.materials, broken, "materials"
            ),
            groups=frozenset(broken.get("groups", ()))
            | {body.collision_group for body in scene.bodies if body.collision_group},
        )

    def check_body(self, name: str, path: ScenePath, *, world: bool) -> Iterator[Finding]:
        """A finding if there is no body ``name``; ``world`` says if the world will do."""
        if name not in self.bodies and not (world and name == WORLD):
            also = [WORLD] if world else []
            yield Finding(
                path,
                "E303",
                f"there is no body '{name}'",
                lambda: did_you_mean(name, [*self.bodies, *also]),
            )

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
            message = f"there is no joint '{name}'"
            yield Finding(path, "E304", message, lambda: did_you_mean(name, self.joints))

    def check_group(self, name: str, path: ScenePath) -> Iterator[Finding]:
        if name not in self.groups:
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
    lists = {
        "bodies": ("body", [body.name for body in scene.bodies]),
        "joints": ("joint", joint_names(scene)),
        "meshes": ("mesh", [mesh.name for mesh in scene.meshes]),
        "materials": ("material", [material.name for material in scene.materials]),
    }
    for key, (noun, words) in lists.items():
        seen: dict[str, int] = {}
        for index, word in enumerate(words):
            if word in seen:
                message = f"{noun} {seen[word] + 1} is called '{word}' already"
                hint = f"Give each {noun} a name of its own"
                yield Finding((key, index, "name"), "E301", message, hint)
            seen.setdefault(word, index)
    for index, body in enumerate(scene.bodies):
        if body.name == WORLD:
            message = "'world' means the ground that does not move, so no body may be called so"
            yield Finding(("bodies", index, "name"), "E302", message, "Choose another name")
