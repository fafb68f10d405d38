"""What is drawn in the browser of a scene: bodies, and what can be shown besides them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from impulse_cli.viewer import sketches
from impulse_cli.viewer.attached import AttachedLines, Sketch
from impulse_cli.viewer.bodies import DrawnBodies, colour_of_bodies
from impulse_cli.viewer.touching import Arrows, Cones
from impulse_cli.viewer.trails import Trails

if TYPE_CHECKING:
    import viser

    from impulse_cli.viewer.source import Frame
    from impulse_schema import Geometry, Scene

__all__ = ["TOGGLES", "Stage"]

Floats = NDArray[np.float64]

ROOT = "/world"
TOGGLES = {
    "bodies": "Bodies",
    "collision": "Collision shapes",
    "joints": "Joints and axes",
    "limits": "Limits of joints",
    "contacts": "Contact forces",
    "cones": "Friction cones",
    "centres": "Centres of mass",
    "trails": "Trails",
    "shadows": "Shadows",
}
"""What can be shown and hidden, and its name on the page."""

_FORCE_SHARE = 0.3  # of the size of the scene that the weight of all bodies is long


class Stage:
    """The drawn scene.

    Everything lies under one frame; to follow a body that frame moves the other way, so that the
    camera stays the user's alone.

    Args:
        server: Where it is drawn.
        scene: What is drawn.
    """

    def __init__(self, server: viser.ViserServer, scene: Scene) -> None:
        self.scene = scene
        self.size = sketches.size_of(scene)
        self._server = server
        self._root = server.scene.add_frame(ROOT, show_axes=False)
        self._followed: int | None = None
        self.bodies = DrawnBodies(server, scene, f"{ROOT}/bodies", _seen)
        self._arrows = Arrows(server, f"{ROOT}/contacts", self.size)
        self._cones = Cones(server, f"{ROOT}/cones", scene)
        self._trails = Trails(server, f"{ROOT}/trails", scene, colour_of_bodies(scene))
        self._lines: dict[str, AttachedLines] = {}
        self._collision: DrawnBodies | None = None
        self._shown = {"bodies"}
        self._factor = 1.0
        server.scene.configure_default_lights(cast_shadow=False)  # half the work of a picture
        self._add_ground()
        self._aim()

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """Masses and centres, which take a while and few look at; empty if they cannot be had."""
        import impulse_core

        with suppress(impulse_core.SceneError):
            return impulse_core.describe(self.scene)
        return {}

    def _metres_per_newton(self) -> float:
        gravity = float(np.linalg.norm(self.scene.settings.gravity)) or 1.0
        weight = gravity * float(self._facts.get("total_mass_kg") or 1.0)
        return _FORCE_SHARE * self.size / weight

    def _add_ground(self) -> None:
        """Lines on the lowest level, so that one sees what moves."""
        cell = 10.0 ** np.floor(np.log10(self.size)) / 2
        planes = [
            body.position[2]
            for body in self.scene.bodies
            for solid in body.geometry
            if solid.shape == "plane"
        ]
        lowest = min((body.position[2] for body in self.scene.bodies), default=0.0)
        height = max(planes) if planes else min(lowest - self.size / 10, 0.0)
        self._server.scene.add_grid(
            f"{ROOT}/grid",
            infinite_grid=True,
            cell_size=cell,
            section_size=5 * cell,
            fade_distance=20 * self.size,
            position=(0.0, 0.0, height + 1e-3 * self.size),
        )

    def _aim(self) -> None:
        moving = [body.position for body in self.scene.bodies if body.motion != "static"]
        middle = np.mean(moving, axis=0) if moving else np.zeros(3)
        camera = self._server.initial_camera
        camera.position = tuple((middle + self.size * np.array((0.55, -1.15, 0.5))).tolist())
        camera.look_at = tuple(middle.tolist())
        camera.near = 1e-3 * self.size
        camera.far = 1e3 * self.size

    def show(self, what: str, visible: bool) -> None:
        """Show or hide one of ``TOGGLES``; what was never shown is made now."""
        (self._shown.add if visible else self._shown.discard)(what)
        self.scale_forces(self._factor)
        if what == "collision" and self._collision is None:
            self._collision = DrawnBodies(
                self._server, self.scene, f"{ROOT}/collision", _colliding, is_wire=True
            )
        if what in ("joints", "limits", "centres") and what not in self._lines:
            self._lines[what] = AttachedLines(
                self._server, f"{ROOT}/{what}", self._sketch(what), pixels=3.0
            )
        shows: dict[str, Callable[[bool], None]] = {
            "bodies": self.bodies.show,
            "contacts": self._arrows.show,
            "cones": self._cones.show,
            "trails": self._trails.show,
            "shadows": lambda cast: self._server.scene.configure_default_lights(cast_shadow=cast),
            **{name: lines.show for name, lines in self._lines.items()},
        }
        if self._collision is not None:
            shows["collision"] = self._collision.show
        shows[what](visible)

    def _sketch(self, what: str) -> Sketch:
        if what == "joints":
            return sketches.joints(self.scene)
        if what == "limits":
            return sketches.limits(self.scene)
        centres = {
            body["name"]: body["center_of_mass_m"]
            for body in self._facts.get("bodies", [])
            if "center_of_mass_m" in body
        }
        return sketches.centres_of_mass(self.scene, centres)

    def scale_forces(self, factor: float) -> None:
        """Draw forces longer or shorter than 0.3 of the scene for its weight."""
        self._factor = factor
        if self._shown & {"contacts", "cones"}:
            self._arrows.metres_per_newton = factor * self._metres_per_newton()
            self._cones.metres_per_newton = self._arrows.metres_per_newton

    def follow(self, body: int | None) -> None:
        """Keep a body where it is on the page; None for the world."""
        self._followed = body

    @property
    def offset(self) -> Floats:
        """What makes coordinates of the world of those of the page, when added [m]."""
        return -np.asarray(self._root.position, dtype=float)

    def draw(self, frame: Frame) -> None:
        """Show a moment."""
        poses = frame.positions, frame.orientations
        with self._server.atomic():
            if "bodies" in self._shown:
                self.bodies.move(*poses)
            if self._collision is not None and "collision" in self._shown:
                self._collision.move(*poses)
            for lines in list(self._lines.values()):
                lines.move(*poses)
            self._arrows.draw(frame.contacts)
            self._cones.draw(frame.contacts)
            self._trails.draw(frame)
            self._keep_in_place(frame)

    def _keep_in_place(self, frame: Frame) -> None:
        place = np.zeros(3)
        if self._followed is not None:
            start = np.array(self.scene.bodies[self._followed].position)
            place = start - frame.positions[self._followed]
            place[2] = 0.0  # what falls is seen to fall
        if not np.array_equal(place, self._root.position):
            self._root.position = place

    def clear(self) -> None:
        """Remove everything that is drawn."""
        self._root.remove()


def _seen(solids: Sequence[Geometry]) -> Sequence[Geometry]:
    """What a body shows: its visual solids, or else those it collides with."""
    return [solid for solid in solids if solid.role != "collision"] or list(solids)


def _colliding(solids: Sequence[Geometry]) -> Sequence[Geometry]:
    return [solid for solid in solids if solid.role != "visual" and solid.shape != "plane"]
