"""Rows of the Model by the names that the user knows."""

from __future__ import annotations

from impulse_core.compile import CompiledScene

__all__ = ["Names"]


class Names:
    """The names in a scene behind the numbers in its Model."""

    def __init__(self, compiled: CompiledScene) -> None:
        self._compiled = compiled

    def body(self, row: int) -> str:
        """Name of the body at a row of the Model."""
        return self._compiled.body_names[list(self._compiled.body_row).index(row)]

    def owner(self, j: int) -> int:
        """Number in the scene of the joint that row j belongs to; springs come after joints."""
        return int(self._compiled.row_owner[j])

    def joint(self, j: int) -> tuple[str, str, str]:
        """Names of a joint, or of a spring, and of its bodies."""
        compiled, scene = self._compiled, self._compiled.scene
        owner = self.owner(j)
        if owner < len(scene.joints):
            joint = scene.joints[owner]
            return compiled.joint_names[owner], joint.body1, joint.body2
        number = owner - len(scene.joints)
        spring = scene.springs[number]
        return spring.name or f"spring-{number + 1}", spring.body1, spring.body2

    def described(self, j: int) -> str:
        """A joint by its name and what it joins."""
        name, body1, body2 = self.joint(j)
        scene, owner = self._compiled.scene, self.owner(j)
        if owner < len(scene.joints) and (terms := scene.joints[owner].terms):
            return f"coupling '{name}' of " + ", ".join(f"'{term.joint}'" for term in terms)
        return f"joint '{name}' between '{body1}' and '{body2}'"
