"""A program that owns the main thread and the window, and asks a session now and then (docs/live.md).

    python docs/foreign_loop.py sample_scenes/walking/walking-machine.xml torso

Its loop is Matplotlib's, which draws the height of a body as it walks. Keys: p pauses and goes on,
space pushes the body up. The session keeps its own time in its own thread.
"""

from __future__ import annotations

import sys
from typing import Any

import matplotlib.pyplot as plt

import impulse_core as ic


class Scope:
    """A curve that follows a body."""

    def __init__(self, session: ic.Session, body: str) -> None:
        self.session, self.body = session, body
        self.times: list[float] = []
        self.heights: list[float] = []
        self.figure, axes = plt.subplots()
        (self.line,) = axes.plot([], [])
        axes.set_xlabel("time [s]")
        axes.set_ylabel(f"height of {body} [m]")
        self.axes = axes
        self.figure.canvas.mpl_connect("key_press_event", self.on_key)

    def on_key(self, event: Any) -> None:
        """Commands never wait: they act before the next step."""
        if event.key == "p":
            paused = self.session.state == "paused"
            self.session.post(ic.Resume() if paused else ic.Pause())
        elif event.key == " ":
            self.session.post(ic.ApplyImpulse(self.body, (0, 0, 20)))

    def draw(self) -> None:
        """One turn of the loop: what the machine is like now."""
        now = self.session.snapshot()
        self.times.append(now.time)
        self.heights.append(now.positions[now.index(self.body), 2])
        self.line.set_data(self.times, self.heights)
        self.axes.relim()
        self.axes.autoscale_view()
        self.figure.canvas.draw()
        self.figure.canvas.flush_events()


if __name__ == "__main__":
    with ic.Session(ic.load_scene(sys.argv[1])) as session:
        scope = Scope(session, sys.argv[2])
        plt.show(block=False)
        while plt.fignum_exists(scope.figure.number):
            scope.draw()
            plt.pause(0.03)
