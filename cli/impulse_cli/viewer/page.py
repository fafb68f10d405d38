"""The page: what is drawn, what can be set, and the loop that keeps both up to date."""

from __future__ import annotations

import html
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from impulse_cli.viewer.acting import sentence
from impulse_cli.viewer.live import LiveSource
from impulse_cli.viewer.panels.changing import ChangingPanel
from impulse_cli.viewer.panels.keeping import KeepingPanel
from impulse_cli.viewer.panels.plotting import PlottingPanel
from impulse_cli.viewer.panels.running import RunningPanel
from impulse_cli.viewer.panels.showing import ShowingPanel
from impulse_cli.viewer.pushing import Pushing
from impulse_cli.viewer.stage import Stage

if TYPE_CHECKING:
    import viser

    from impulse_cli.viewer.source import Frame, Source
    from impulse_cli.viewer.watching import FileWatch

__all__ = ["Page"]

_PICTURES = 1.0 / 30.0  # s between two that are sent
_READINGS = 0.2  # s between two of numbers and plots
_LOOKS = 0.3  # s between two at the file
_IDLE = 0.1  # s between looks for a browser, while there is none
_LONGEST = 4000  # letters
_PLOTS_WIDTH = 340  # pixels


class Page:
    """A source in the browser.

    Args:
        server: Where it is shown.
        source: What is shown.
        stage: Where its scene is drawn already.

    Attributes:
        stage: What is drawn of it.
        problem: What went wrong, as the page tells it; "" if nothing did.
    """

    def __init__(self, server: viser.ViserServer, source: Source, stage: Stage) -> None:
        self.server = server
        self.source = source
        self.problem = ""
        server.gui.configure_theme(show_logo=False, show_share_button=False)
        server.gui.main_panel.dock_right()
        self._problem: Any = server.gui.add_html("", visible=False)
        self.stage = stage
        self._pushing: Pushing | None = None
        self._add_panels()
        self._let_push()

    def _add_panels(self) -> None:
        server, tabs = self.server, self.server.gui.add_tab_group()
        with tabs.add_tab("Run"):
            self._running = RunningPanel(server, lambda: self.source, self.tell)
            if isinstance(self.source, LiveSource):
                self._impulse = _impulse_input(server)
        with tabs.add_tab("Show"):
            self._showing = ShowingPanel(server, lambda: self.stage, self.tell)
        # Beside the others, so that one sees them while one sets something.
        plots = server.gui.add_panel()
        with plots.add_tab("Plots"):
            self._plotting = PlottingPanel(server, lambda: self.source, self.tell)
        plots.dock_left()
        plots.set_width(_PLOTS_WIDTH)
        self._changing: ChangingPanel | None = None
        if isinstance(self.source, LiveSource):
            with tabs.add_tab("Change"):
                self._changing = ChangingPanel(server, self._live, self.tell)
        with tabs.add_tab("Keep"):
            self._keeping = KeepingPanel(
                server,
                lambda: self.source,
                self._draw,
                self.tell,
            )

    def _live(self) -> LiveSource:
        assert isinstance(self.source, LiveSource)
        return self.source

    def _let_push(self) -> None:
        """Bodies of the present stage can be clicked and dragged, if they are simulated."""
        if isinstance(self.source, LiveSource):
            self._pushing = Pushing(self.stage, self.source, self._hardness, self.tell)

    def _hardness(self) -> float:
        return float(self._impulse.value)

    def tell(self, text: str) -> None:
        """Show what went wrong, above everything, until something else is; "" for nothing."""
        self.problem = text
        self._problem.content = (
            '<pre class="impulse-problem" style="white-space: pre-wrap; margin: 0.5em 1em; padding:'
            ' 0.5em; border-left: 4px solid #d33; background: #d332; font-size: 0.85em">'
            f"{html.escape(text[:_LONGEST])}</pre>"  # names may look like markup
        )
        self._problem.visible = bool(text)

    def run(
        self,
        ended: threading.Event,
        remake: tuple[FileWatch, Callable[[], Source]] | None = None,
    ) -> None:
        """Keep the page up to date until an event.

        Args:
            ended: The event.
            remake: A file, and what makes another source whenever it was written.
        """
        drawn: Frame | None = None
        read, read_time, looked = -_READINGS, 0.0, -_LOOKS
        while not ended.is_set():
            begun = time.monotonic()
            if remake is not None and begun - looked >= _LOOKS:
                looked = begun
                if remake[0].has_changed():
                    self._take_over(remake[1])
            if not self.server.get_clients():
                ended.wait(_IDLE)
                continue
            frame = self.source.frame()
            if not self._keeping.is_filming.is_set() and frame is not drawn:
                self._draw(frame)
                drawn = frame
            if begun - read >= _READINGS:
                self._read(frame.time, (frame.time - read_time) / (begun - read))
                read, read_time = begun, frame.time
            ended.wait(max(0.0, _PICTURES - (time.monotonic() - begun)))

    def _draw(self, frame: Frame) -> None:
        self.stage.draw(frame)
        if self._pushing is not None:
            self._pushing.keep_up()

    def close(self) -> None:
        """End what runs in the background."""
        self.source.close()

    def _read(self, now: float, rate: float) -> None:
        self._running.refresh(now, rate if rate > 0.0 else None)
        self._plotting.refresh(now)
        failure = self.source.problem()
        if failure and not self.problem:
            self.tell(failure)

    def _take_over(self, made: Callable[[], Source]) -> None:
        """Show what is made now in place of what is shown."""
        try:
            source = made()
        except Exception as error:  # the old one stays
            self.tell(sentence(error))
            return
        self.source.close()
        self.stage.clear()
        self.source = source
        self.stage = Stage(self.server, source.scene)
        self._showing.take_over()
        self._plotting.take_over()
        if self._changing is not None:
            self._changing.take_over()
        self._let_push()
        self.tell("")


def _impulse_input(server: viser.ViserServer) -> Any:
    return server.gui.add_number(
        "Push [N s]",
        initial_value=1.0,
        min=0.0,
        step=0.1,
        hint="How hard a click on a body pushes it, away from you. Drag a body to pull it.",
    )
