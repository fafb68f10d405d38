"""The tab of what is taken home: the motion as an animation, a picture, a film."""

from __future__ import annotations

import io
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from viser import Icon

from impulse_cli.viewer.acting import Tell, by_user
from impulse_cli.viewer.player import Player
from impulse_cli.viewer.video import FORMATS, film

if TYPE_CHECKING:
    import viser

    from impulse_cli.viewer.source import Frame, Source
    from impulse_core import Recording

__all__ = ["KeepingPanel"]

_ANIMATIONS = (".json", ".npz")
_LONGEST = 1280  # pixels
_PATIENCE = 20.0  # s for one picture
_FPS = 25.0

Draw = Callable[["Frame"], None]


class KeepingPanel:
    """Downloads of a source; while a film is made it alone says what is drawn.

    Attributes:
        is_filming: Set while it does.
    """

    def __init__(
        self, server: viser.ViserServer, source: Callable[[], Source], draw: Draw, tell: Tell
    ) -> None:
        self.is_filming = threading.Event()
        self._stopped = threading.Event()
        self._server, self._source, self._draw, self._tell = server, source, draw, tell
        gui = server.gui
        self._format: Any = gui.add_dropdown("Animation as", _ANIMATIONS)
        save = gui.add_button("Save the motion", icon=Icon.DOWNLOAD)
        picture = gui.add_button("Save a picture", icon=Icon.PHOTO)
        self._film_format: Any = gui.add_dropdown("Film as", FORMATS)
        self._film: Any = gui.add_button("Make a film of the motion", icon=Icon.MOVIE)
        self._progress: Any = gui.add_progress_bar(0.0, visible=False)
        save.on_click(by_user(self._save, tell))
        picture.on_click(by_user(self._take_picture, tell))
        self._film.on_click(by_user(self._make_film, tell))

    def _name(self) -> str:
        return self._source().scene.name or "scene"

    def _save(self, event: Any) -> None:
        suffix = self._format.value
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"motion{suffix}"
            self._source().recording().save(path)
            event.client.send_file_download(f"{self._name()}{suffix}", path.read_bytes())

    def _take_picture(self, event: Any) -> None:
        import imageio.v3 as images

        target = io.BytesIO()
        images.imwrite(target, self._render(event.client), extension=".png")
        event.client.send_file_download(f"{self._name()}.png", target.getvalue())

    def _render(self, client: Any) -> NDArray[np.uint8]:
        """What the browser shows, as large as there up to a width of 1280."""
        shrink = min(1.0, _LONGEST / max(client.camera.image_width, 1))
        height = int(client.camera.image_height * shrink)
        width = int(client.camera.image_width * shrink)
        rendered: NDArray[np.uint8] = client.get_render(height, width, timeout=_PATIENCE)
        return rendered

    def _make_film(self, event: Any) -> None:
        if self.is_filming.is_set():
            self._stopped.set()
            return
        recording = self._source().recording()
        self._stopped.clear()
        self.is_filming.set()
        self._source().pause(True)
        self._film.label = "Stop here"
        self._progress.visible = True
        try:
            suffix = self._film_format.value
            content = film(self._pictures(recording, event.client), suffix, _FPS)
            event.client.send_file_download(f"{self._name()}{suffix}", content)
        finally:
            self._film.label = "Make a film of the motion"
            self._progress.visible = False
            self.is_filming.clear()

    def _pictures(self, recording: Recording, client: Any) -> Iterator[NDArray[np.uint8]]:
        player = Player(recording, self._source().scene, clock=lambda: 0.0)
        first, last = player.span
        times = np.arange(first, last + 0.5 / _FPS, 1.0 / _FPS)
        for number, time in enumerate(times):
            if self._stopped.is_set():
                return
            player.seek(float(time))
            self._draw(player.frame())
            self._server.flush()
            self._progress.value = 100.0 * number / len(times)
            yield self._render(client)
