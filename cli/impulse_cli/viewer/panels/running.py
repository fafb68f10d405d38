"""The tab of the time: play, stop, step, pace, and a slider to any moment that is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viser import Icon

from impulse_cli.viewer.acting import Tell, by_user

if TYPE_CHECKING:
    import viser

    from impulse_cli.viewer.source import Source

__all__ = ["RunningPanel"]

SPEEDS = ("0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10")
_HANDS_OFF = 0.4  # s after which the slider follows the time again


class RunningPanel:
    """Controls of a source, which may be replaced while they are shown."""

    def __init__(self, server: viser.ViserServer, source: Callable[[], Source], tell: Tell) -> None:
        self._source = source
        self._touched = -math.inf
        gui = server.gui
        self._time: Any = gui.add_slider(
            "Time [s]", min=0.0, max=1.0, step=1e-3, initial_value=0.0, hint="Drag to go back."
        )
        self._play: Any = gui.add_button("Pause", icon=Icon.PLAYER_PAUSE)
        step = gui.add_button("One step", icon=Icon.PLAYER_SKIP_FORWARD)
        known = f"{source().speed:g}"
        speeds = SPEEDS if known in SPEEDS else (known, *SPEEDS)
        speed = gui.add_dropdown(
            "Speed", speeds, initial_value=known, hint="Times real time; a computer may do less."
        )
        self._clock: Any = gui.add_markdown("")
        self._time.on_update(by_user(self._seek, tell))
        self._play.on_click(by_user(self._toggle, tell))
        step.on_click(by_user(lambda _: self._source().step(), tell))
        speed.on_update(by_user(lambda _: self._source().set_speed(float(speed.value)), tell))

    def _seek(self, _: Any) -> None:
        self._touched = time.monotonic()
        self._source().seek(float(self._time.value))

    def _toggle(self, _: Any) -> None:
        self._source().pause(not self._source().is_paused)

    def refresh(self, now: float, rate: float | None) -> None:
        """Show the time [s] that is drawn, and how fast it goes by, if that is known."""
        source = self._source()
        first, last = source.span
        self._play.label = "Play" if source.is_paused else "Pause"
        self._play.icon = Icon.PLAYER_PLAY if source.is_paused else Icon.PLAYER_PAUSE
        pace = "stopped" if source.is_paused else "" if rate is None else f"{rate:.2g} x real time"
        self._clock.content = f"**{now:.3f} s** of {last:.3f} s  {pace}"
        if time.monotonic() - self._touched > _HANDS_OFF:
            self._time.min, self._time.max = first, max(last, first + 1e-3)
            self._time.value = round(min(max(now, first), last), 3)
