"""The tab of live plots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from viser import Icon

from impulse_cli.viewer.acting import Tell, by_user

if TYPE_CHECKING:
    import viser

    from impulse_cli.plots.curves import Curve
    from impulse_cli.viewer.source import Source

__all__ = ["PlottingPanel"]

_MOST_PLOTS = 6
_MOST_CURVES = 8
_POINTS = 300  # of a curve; a plot is no wider
_SMALL, _LARGE = 1e-2, 1e5
_ALL = "(all)"
_COLOURS = (
    "#1f77b4",
    "#ff7f0e",
    "#2ca02c",
    "#d62728",
    "#9467bd",
    "#8c564b",
    "#e377c2",
    "#7f7f7f",
)


class _Plot:
    """One plot: its choices, and the curves of what was chosen."""

    def __init__(
        self,
        server: viser.ViserServer,
        source: Callable[[], Source],
        tell: Tell,
        quantity: str,
        remove: Callable[[_Plot], None],
    ) -> None:
        self._server = server
        self._source = source
        self._titles: list[str] | None = None
        self._drawn: Any = None
        self._last = np.nan
        self._folder: Any = server.gui.add_folder(None)
        with self._folder:
            quantities = source().quantities()
            chosen = quantity if quantity in quantities else quantities[0]
            self._quantity: Any = server.gui.add_dropdown(
                "Quantity", quantities, initial_value=chosen
            )
            self._of: Any = server.gui.add_dropdown("Of", self._names())
            away = server.gui.add_button("Remove this plot", icon=Icon.X, order=1e12)
        self._quantity.on_update(by_user(lambda _: self._choose(), tell))
        self._of.on_update(by_user(lambda _: self._forget(), tell))
        away.on_click(by_user(lambda _: remove(self), tell))

    def _names(self) -> tuple[str, ...]:
        return (_ALL, *self._source().names(self._quantity.value))

    def _choose(self) -> None:
        self._of.options = self._names()
        self._of.value = _ALL
        self._forget()

    def _forget(self) -> None:
        """Draw anew at the next look, even if no time goes by."""
        self._last = np.nan

    def take_over(self) -> None:
        """Show the same of a new source, if it has it."""
        quantities, before = self._source().quantities(), self._quantity.value
        self._quantity.options = quantities
        self._quantity.value = before if before in quantities else quantities[0]
        kept = self._of.value
        self._of.options = self._names()
        self._of.value = kept if kept in self._names() else _ALL
        self._forget()

    def refresh(self, now: float) -> None:
        """Curves up to a time [s]."""
        if now == self._last:
            return
        self._last = now
        only = () if self._of.value == _ALL else (self._of.value,)
        curves = self._source().curves(self._quantity.value, only)
        times, values = _thinned(curves[:_MOST_CURVES], now)
        titles = [curve.name for curve in curves[:_MOST_CURVES]]
        panel = curves[0].panel if curves else self._quantity.value
        size = max(float(np.abs(each[np.isfinite(each)]).max(initial=0)) for each in values)
        if size > 0.0 and not _SMALL <= size < _LARGE:  # ticks have few digits
            power = 3 * math.floor(math.log10(size) / 3)
            values = [each / 10.0**power for each in values]
            panel = panel.replace("[", f"[1e{power} ")
        if len(curves) > _MOST_CURVES:
            panel += f", {_MOST_CURVES} of {len(curves)}: choose one above"
        titles.append(panel)
        if titles == self._titles:
            self._drawn.data = (times, *values)
            return
        self._titles = titles
        self._draw(times, values, titles[:-1], panel)

    def _draw(self, times: Any, values: list[Any], names: list[str], title: str) -> None:
        if self._drawn is not None:
            self._drawn.remove()
        series: list[Any] = [
            {"label": name, "stroke": _COLOURS[k], "width": 1.5} for k, name in enumerate(names)
        ]
        with self._folder:
            self._drawn = self._server.gui.add_uplot(
                (times, *values),
                ({"label": "time [s]"}, *series),
                title=title,
                scales={"x": {"time": False}},
                height=200,
            )

    def remove(self) -> None:
        """Take it off the page."""
        self._folder.remove()


def _thinned(curves: list[Curve], now: float) -> tuple[Any, list[Any]]:
    """The curves up to now, of as many points as can be told apart."""
    if not curves:
        return np.zeros(1), [np.zeros(1)]
    times = curves[0].times
    count = max(1, int(np.searchsorted(times, now + 1e-9, side="right")))
    few = np.unique(np.linspace(0, count - 1, min(count, _POINTS)).astype(int))
    return times[few], [curve.values[few] for curve in curves]


class PlottingPanel:
    """Plots of a source, which may be replaced while they are shown."""

    def __init__(self, server: viser.ViserServer, source: Callable[[], Source], tell: Tell) -> None:
        self._source = source
        self._container = server.gui.add_folder(None)
        self._server = server
        self._tell = tell
        self._plots: list[_Plot] = []
        more = server.gui.add_button("Another plot", icon=Icon.PLUS)
        more.on_click(by_user(lambda _: self._add("energy"), tell))
        for quantity in ("energy", "joint_error", "angle"):
            if quantity in source().quantities() and len(self._plots) < 2:
                self._add(quantity)

    def _add(self, quantity: str) -> None:
        if len(self._plots) >= _MOST_PLOTS:
            self._tell(f"There are {_MOST_PLOTS} plots already; remove one first.")
            return
        if not self._source().quantities():
            self._tell("There is nothing to plot: neither energy nor joints nor bodies.")
            return
        with self._container:
            plot = _Plot(self._server, self._source, self._tell, quantity, self._remove)
        self._plots.append(plot)

    def _remove(self, plot: _Plot) -> None:
        self._plots.remove(plot)
        plot.remove()

    def take_over(self) -> None:
        """Plot the same of a new source."""
        for plot in self._plots:
            plot.take_over()

    def refresh(self, now: float) -> None:
        """All curves up to a time [s]."""
        for plot in list(self._plots):
            plot.refresh(now)
