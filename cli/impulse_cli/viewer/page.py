"""The page: what is drawn, what can be set, and the loop that keeps both up to date."""

from __future__ import annotations

import html
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from impulse_cli.viewer.panels.keeping import KeepingPanel
from impulse_cli.viewer.panels.plotting import PlottingPanel
from impulse_cli.viewer.panels.running import RunningPanel
from impulse_cli.viewer.panels.showing import ShowingPanel
from impulse_cli.viewer.stage import Stage

if TYPE_CHECKING:
    import viser

    from impulse_cli.viewer.source import Frame, Source

__all__ = ["Page"]

_PICTURES = 1.0 / 30.0  # s between two that are sent
_READINGS = 0.2  # s between two of numbers and plots
_IDLE = 0.1  # s between looks for a browser, while there is none
_LONGEST_SENTENCE = 4000  # letters
_PLOTS_WIDTH = 340  # pixels


class Page:
    """A source in the browser.

    Args:
        server: Where it is shown.
        source: What is shown.
    """

    def __init__(self, server: viser.ViserServer, source: Source) -> None:
        self.server = server
        self.source = source
        self._told = ""
        self._next: Callable[[], Source] | None = None
        self._wishes = threading.Lock()
        server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        self._problem: Any = server.gui.add_html("", visible=False)
        self.stage = Stage(server, source.scene)
        self._add_panels()

    def _add_panels(self) -> None:
        server, tabs = self.server, self.server.gui.add_tab_group()
        with tabs.add_tab("Run"):
            self._running = RunningPanel(server, lambda: self.source, self.tell)
        with tabs.add_tab("Show"):
            self._showing = ShowingPanel(server, lambda: self.stage, self.tell)
        # Beside the others, so that one sees them while one sets something.
        plots = server.gui.add_panel()
        with plots.add_tab("Plots"):
            self._plotting = PlottingPanel(server, lambda: self.source, self.tell)
        plots.dock_left()
        plots.set_width(_PLOTS_WIDTH)
        with tabs.add_tab("Keep"):
            self._keeping = KeepingPanel(
                server, lambda: self.source, lambda frame: self.stage.draw(frame), self.tell
            )

    def tell(self, sentence: str) -> None:
        """Show what went wrong, above everything, until something else is told; "" for nothing."""
        self._told = sentence
        # Names of a scene may look like markup.
        text = html.escape(sentence[:_LONGEST_SENTENCE])
        self._problem.content = (
            '<pre class="impulse-problem" style="white-space: pre-wrap; margin: 0.5em 1em; padding:'
            ' 0.5em; border-left: 4px solid #d33; background: #d332; font-size: 0.85em">'
            f"{text}</pre>"
        )
        self._problem.visible = bool(sentence)

    def replace(self, made: Callable[[], Source]) -> None:
        """Show another source as soon as the loop comes round; it is made there."""
        with self._wishes:
            self._next = made

    def run(self, ended: threading.Event) -> None:
        """Keep the page up to date until an event."""
        drawn: Frame | None = None
        read, read_time = -_READINGS, 0.0
        while not ended.is_set():
            begun = time.monotonic()
            self._take_over()
            if not self.server.get_clients():
                ended.wait(_IDLE)
                continue
            frame = self.source.frame()
            if not self._keeping.is_filming.is_set() and frame is not drawn:
                self.stage.draw(frame)
                drawn = frame
            if begun - read >= _READINGS:
                self._read(frame.time, (frame.time - read_time) / (begun - read))
                read, read_time = begun, frame.time
            ended.wait(max(0.0, _PICTURES - (time.monotonic() - begun)))

    def _read(self, now: float, rate: float) -> None:
        self._running.refresh(now, rate if rate > 0.0 else None)
        self._plotting.refresh(now)
        problem = self.source.problem()
        if problem and not self._told:
            self.tell(problem)

    def _take_over(self) -> None:
        with self._wishes:
            made, self._next = self._next, None
        if made is None:
            return
        source = made()
        self.source.close()
        self.stage.clear()
        self.source = source
        self.stage = Stage(self.server, source.scene)
        self._showing.take_over()
        self._plotting.take_over()
        self.tell("")
