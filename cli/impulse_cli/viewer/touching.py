"""Contacts in the browser: forces as arrows, and the cones that friction keeps them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import viser

    from impulse_cli.viewer.source import Contacts
    from impulse_schema import Scene

__all__ = ["Arrows", "Cones", "Friction"]

Floats = NDArray[np.float64]

_FORCE = (220, 40, 60)
_CONE = (250, 170, 60)
_CORNERS = 12
_MOST = 400  # contacts that are drawn; the strongest


def _strongest(contacts: Contacts) -> NDArray[np.int64]:
    """The contacts that are drawn, if there are many."""
    return np.argsort(-np.linalg.norm(contacts.forces, axis=1), kind="stable")[:_MOST]


class Arrows:
    """A force on body 2 of each contact, from the point at which it acts.

    Args:
        server: Where they are drawn.
        name: Their place in the tree of drawn things.
        size: That of the scene [m], after which their thickness goes.

    Attributes:
        metres_per_newton: How long they are.
    """

    def __init__(self, server: viser.ViserServer, name: str, size: float) -> None:
        self.metres_per_newton = 1.0
        self._is_drawn = False
        self._handle: Any = server.scene.add_arrows(
            name,
            np.zeros((0, 2, 3)),
            _FORCE,
            shaft_radius=0.004 * size,
            head_radius=0.01 * size,
            head_length=0.025 * size,
            visible=False,
        )

    def show(self, visible: bool) -> None:
        """Show or hide them."""
        self._is_drawn = visible
        self._handle.visible = visible

    def draw(self, contacts: Contacts) -> None:
        """The contacts of a moment."""
        if self._is_drawn:
            few = _strongest(contacts)
            starts = contacts.points[few]
            ends = starts + self.metres_per_newton * contacts.forces[few]
            self._handle.points = np.stack([starts, ends], axis=1).astype(np.float32)


class Cones:
    """At each contact the cone of the forces that friction allows at its normal force.

    Drawn where both bodies have one material each, so that it is known which friction acts.
    """

    def __init__(self, server: viser.ViserServer, name: str, scene: Scene) -> None:
        self.metres_per_newton = 1.0
        self._friction = Friction(scene)
        self._is_drawn = False
        self._handle: Any = server.scene.add_line_segments(
            name,
            np.zeros((0, 2, 3)),
            _CONE,
            thickness=1.5,
            thickness_units="screen",
            visible=False,
        )

    def show(self, visible: bool) -> None:
        """Show or hide them."""
        self._is_drawn = visible
        self._handle.visible = visible

    def draw(self, contacts: Contacts) -> None:
        """The contacts of a moment."""
        if self._is_drawn:
            few = _strongest(contacts)
            cones = [self._cone(contacts, int(k)) for k in few]
            lines = np.concatenate([*cones, np.zeros((0, 2, 3))])
            self._handle.points = lines.astype(np.float32)

    def _cone(self, contacts: Contacts, k: int) -> Floats:
        friction = self._friction.between(*contacts.pairs[k].tolist())
        if friction is None:
            return np.zeros((0, 2, 3))
        normal, apex = contacts.normals[k], contacts.points[k]
        height = self.metres_per_newton * float(contacts.forces[k] @ normal)
        side = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
        side /= np.linalg.norm(side)
        angles = np.linspace(0.0, 2.0 * np.pi, _CORNERS + 1)[:, None]
        around = np.cos(angles) * side + np.sin(angles) * np.cross(normal, side)
        rim = apex + height * (normal + friction * around)
        spokes = np.stack([np.broadcast_to(apex, (4, 3)), rim[:-1:3]], axis=1)
        return np.concatenate([np.stack([rim[:-1], rim[1:]], axis=1), spokes])


class Friction:
    """Coefficients of static friction of pairs of bodies, where both have one material each."""

    def __init__(self, scene: Scene) -> None:
        from impulse_schema import Material

        usual = Material(name="usual")
        self._of_pairs = {
            frozenset((pair.material1, pair.material2)): pair.static_friction
            for pair in scene.material_pairs
            if pair.static_friction is not None
        }
        self._material: dict[int, str | None] = {}
        for number, body in enumerate(scene.bodies):
            names = {solid.material for solid in body.geometry if solid.role != "visual"}
            if len(names) == 1:
                self._material[number] = names.pop()
        self._of_one: dict[str | None, float] = {None: usual.static_friction}
        for material in scene.materials:
            self._of_one[material.name] = material.static_friction

    def between(self, body1: int, body2: int) -> float | None:
        """Of two bodies by their numbers; None where it depends on which of their solids touch."""
        if body1 not in self._material or body2 not in self._material:
            return None
        names = self._material[body1], self._material[body2]
        mean = (self._of_one[names[0]] + self._of_one[names[1]]) / 2
        return self._of_pairs.get(frozenset(name or "" for name in names), mean)
