"""The bodies of a scene in the browser: one batch for each surface, moved all at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from impulse_cli.viewer.surfaces import Copy, Surface, Surfaces
from impulse_core.geometry.rotations import conjugated, multiplied, rotated

if TYPE_CHECKING:
    import viser

    from impulse_schema import Geometry, Scene

__all__ = ["DrawnBodies", "Pick", "colour_of_bodies"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STILL = (150, 152, 158)
# Colours that are told apart also by those who see red and green alike (Okabe and Ito), lighter.
_COLOURS = (
    (86, 160, 213),
    (230, 159, 40),
    (60, 170, 130),
    (204, 121, 167),
    (214, 110, 50),
    (120, 120, 200),
    (200, 190, 90),
    (110, 190, 190),
)


@dataclass(frozen=True)
class Pick:
    """A point of a body that was pointed at.

    Attributes:
        body: Its number.
        point: The point [m], world frame.
        direction: Of the ray that met it, unit length.
    """

    body: int
    point: Floats
    direction: Floats


def colour_of_bodies(scene: Scene) -> list[tuple[int, int, int]]:
    """A colour for each body; names that differ in numbers only, as of legs, share one.

    What does not move is grey.
    """
    stems: dict[str, int] = {}
    colours = []
    for body in scene.bodies:
        if body.motion == "static":
            colours.append(_STILL)
        else:
            stem = re.sub(r"\d+", "", body.name)
            colours.append(_COLOURS[stems.setdefault(stem, len(stems)) % len(_COLOURS)])
    return colours


class _Batch:
    """All copies of one surface."""

    def __init__(self, surface: Surface, copies: Sequence[tuple[int, Copy]]) -> None:
        self.surface = surface
        self.bodies: Ints = np.array([body for body, _ in copies])
        self.offsets = np.array([copy.position for _, copy in copies], dtype=float)
        self.turns = np.array([copy.orientation for _, copy in copies], dtype=float)
        self.scales = np.array([copy.scale for _, copy in copies], dtype=float)
        self.handle: Any = None

    def poses(self, positions: Floats, orientations: Floats) -> tuple[Floats, Floats]:
        """Where the copies are, from the poses of all bodies."""
        q = orientations[self.bodies]
        return positions[self.bodies] + rotated(q, self.offsets), multiplied(q, self.turns)


class DrawnBodies:
    """Bodies as the scene shows them, or as they collide.

    Args:
        server: Where they are drawn.
        scene: What they belong to.
        folder: Name of their place in the tree of drawn things.
        wanted: The solids of a body that are drawn.
        is_wire: Whether only edges are drawn.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        scene: Scene,
        folder: str,
        wanted: Callable[[Sequence[Geometry]], Sequence[Geometry]],
        *,
        is_wire: bool = False,
    ) -> None:
        surfaces = Surfaces(scene)
        copies: defaultdict[str, list[tuple[int, Copy]]] = defaultdict(list)
        for number, body in enumerate(scene.bodies):
            for solid in wanted(body.geometry):
                for copy in surfaces.copies(solid):
                    copies[copy.surface].append((number, copy))
        self._batches = [_Batch(surfaces.surface(key), group) for key, group in copies.items()]
        still = [body.motion == "static" for body in scene.bodies]
        self._moving = [batch for batch in self._batches if not all(still[b] for b in batch.bodies)]
        positions = np.array([body.position for body in scene.bodies], dtype=float).reshape(-1, 3)
        orientations = np.array([body.orientation for body in scene.bodies], dtype=float)
        self._add(server, folder, colour_of_bodies(scene), positions, orientations, is_wire)

    def _add(
        self,
        server: viser.ViserServer,
        folder: str,
        colours: list[tuple[int, int, int]],
        positions: Floats,
        orientations: Floats,
        is_wire: bool,
    ) -> None:
        for number, batch in enumerate(self._batches):
            places, turns = batch.poses(positions, orientations)
            batch.handle = server.scene.add_batched_meshes_simple(
                f"{folder}/{number}",
                batch.surface.vertices,
                batch.surface.faces,
                turns,
                places,
                batched_scales=batch.scales,
                batched_colors=np.array([colours[b] for b in batch.bodies], dtype=np.uint8),
                lod="off",
                side="double",
                wireframe=is_wire,
                flat_shading=not is_wire and not batch.surface.is_smooth,
            )

    @property
    def handles(self) -> list[tuple[Any, Ints]]:
        """The drawn batches, and the bodies of their copies."""
        return [(batch.handle, batch.bodies) for batch in self._batches]

    def show(self, visible: bool) -> None:
        """Show or hide them."""
        for batch in self._batches:
            batch.handle.visible = visible

    def move(self, positions: Floats, orientations: Floats) -> None:
        """Put the bodies where they are, shapes (N, 3) and (N, 4)."""
        for batch in self._moving:
            places, turns = batch.poses(positions, orientations)
            batch.handle.batched_positions = places.astype(np.float32)
            batch.handle.batched_wxyzs = turns.astype(np.float32)

    def body_of(self, handle: Any, copy: int) -> int:
        """The number of the body that a copy of a batch belongs to."""
        return int(next(batch for batch in self._batches if batch.handle is handle).bodies[copy])

    def pick(
        self,
        handle: Any,
        copy: int,
        origin: Floats,
        direction: Floats,
        poses: tuple[Floats, Floats],
    ) -> Pick | None:
        """Where a ray meets a copy of a batch first; None if it misses it by now."""
        batch = next(batch for batch in self._batches if batch.handle is handle)
        places, turns = batch.poses(*poses)
        back = conjugated(turns[copy])
        near = batch.surface.hit(
            rotated(back, origin - places[copy]) / batch.scales[copy],
            rotated(back, direction) / batch.scales[copy],
        )
        if not np.isfinite(near):
            return None
        length = float(np.linalg.norm(direction))
        return Pick(int(batch.bodies[copy]), origin + near * direction, direction / length)
