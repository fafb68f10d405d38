"""The tab of what is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from impulse_cli.viewer.acting import Tell, by_user
from impulse_cli.viewer.stage import TOGGLES, Stage

if TYPE_CHECKING:
    import viser

__all__ = ["ShowingPanel"]

_NOTHING = "(nothing)"


class ShowingPanel:
    """Switches of a stage, which may be replaced while they are shown."""

    def __init__(self, server: viser.ViserServer, stage: Callable[[], Stage], tell: Tell) -> None:
        gui = server.gui
        self._stage = stage
        self._boxes: dict[str, Any] = {}
        for what, label in TOGGLES.items():
            box = gui.add_checkbox(label, initial_value=what == "bodies")
            box.on_update(by_user(lambda _, what=what: self._show(what), tell))  # type: ignore[misc]
            self._boxes[what] = box
        self._length: Any = gui.add_slider(
            "Length of forces",
            min=0.1,
            max=10.0,
            step=0.1,
            initial_value=1.0,
            hint="1 draws the weight of all bodies 0.3 times as long as the scene.",
        )
        self._length.on_update(by_user(lambda _: stage().scale_forces(self._length.value), tell))
        self._followed: Any = gui.add_dropdown("Follow", (_NOTHING,), hint="Stays in its place.")
        self._followed.on_update(by_user(lambda _: self._follow(), tell))
        self.take_over()

    def _show(self, what: str) -> None:
        self._stage().show(what, self._boxes[what].value)

    def _follow(self) -> None:
        names = [body.name for body in self._stage().scene.bodies]
        name = self._followed.value
        self._stage().follow(names.index(name) if name in names else None)

    def take_over(self) -> None:
        """Show of a new stage what was shown of the old one."""
        moving = [body.name for body in self._stage().scene.bodies if body.motion != "static"]
        kept = self._followed.value if self._followed.value in moving else _NOTHING
        self._followed.options = (_NOTHING, *moving)
        self._followed.value = kept
        for what, box in self._boxes.items():
            if box.value != (what == "bodies"):
                self._stage().show(what, box.value)
        self._stage().scale_forces(self._length.value)
        self._follow()
