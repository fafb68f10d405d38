"""A scene that is simulated while one watches."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import impulse_core as ic
from impulse_cli.viewer.history import History
from impulse_cli.viewer.source import Contacts, Frame
from impulse_schema.parameters import Parameter, list_parameters

if TYPE_CHECKING:
    from impulse_cli.plots.curves import Curve
    from impulse_schema import Scene

__all__ = ["LiveSource"]

Triple = tuple[float, float, float]

_PATIENCE = 60.0  # s for a command; another method or solver compiles kernels first
_LOOK = 0.2  # s between looks whether it is still wanted


class LiveSource:
    """A session, and what it has shown so far.

    Args:
        scene: What is simulated.
        speed: Times real time.
        paused: Whether it waits to be started.

    Raises:
        SceneError, OptionError: The scene cannot be simulated.
    """

    def __init__(self, scene: Scene, *, speed: float = 1.0, paused: bool = False) -> None:
        self.speed = speed
        self._session = ic.Session(scene, speed=speed, paused=paused)
        self._history = History(scene)
        self._frame: tuple[ic.Snapshot, Frame] | None = None
        self._ended = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="impulse history", daemon=True)
        self._keeper.start()

    def _keep(self) -> None:
        """Keep what is published; what comes too fast to be kept is thinned out."""
        self._history.add(self._session.snapshot())
        while not self._ended.is_set():
            try:
                self._history.add(self._session.wait(timeout=_LOOK))
            except TimeoutError:
                continue
            except Exception:  # it failed or ended, which the page tells; it may go on
                self._ended.wait(_LOOK)

    @property
    def scene(self) -> Scene:
        """The scene with its values as they are now."""
        return self._session.scene

    @property
    def is_paused(self) -> bool:
        """Whether it stands still, for whatever reason."""
        return self._session.state != "running"

    @property
    def span(self) -> tuple[float, float]:
        """From the start to now [s]."""
        return 0.0, self._session.snapshot().time

    def frame(self) -> Frame:
        """The last state that was published; after a failure the last good one."""
        snapshot = self._session.snapshot()
        if self._frame is None or self._frame[0] is not snapshot:
            touching = snapshot.contacts
            pairs = np.column_stack([touching.body1, touching.body2])
            contacts = Contacts(pairs, touching.points, touching.normals, touching.forces)
            frame = Frame(snapshot.time, snapshot.positions, snapshot.orientations, contacts)
            self._frame = snapshot, frame
        return self._frame[1]

    def pause(self, paused: bool) -> None:
        """Stop, or go on; after a failure try again."""
        self._do(ic.Pause() if paused else ic.Resume())

    def step(self) -> None:
        """Take one step, and stop."""
        self._do(ic.Step())

    def seek(self, time: float) -> None:
        """Go back to a time [s], and wait there."""
        self._do(ic.Pause())
        if time < self._session.snapshot().time:
            self._do(ic.Rewind(max(0.0, time)))
            self._history.add(self._session.snapshot())

    def set_speed(self, speed: float) -> None:
        """Run faster or slower."""
        self._do(ic.SetSpeed(speed))
        self.speed = speed

    def parameters(self) -> list[Parameter]:
        """All values of the scene."""
        return list(list_parameters(self.scene))

    def change(self, path: str, value: Any) -> None:
        """Give what a path names another value.

        Raises:
            CommandError: It cannot have it.
        """
        self._do(ic.SetParameter(path, value))

    def set_target(self, joint: int, motor: int, value: float) -> None:
        """Drive a motor of a joint, by their numbers, to a value from now on."""
        from impulse_schema import joint_names

        self._do(ic.SetMotorTarget(joint_names(self.scene)[joint], value, motor))

    def push(self, body: str, impulse: Triple, point: Triple) -> None:
        """Give a body an impulse [N s] at one of its points [m]."""
        self._do(ic.ApplyImpulse(body, impulse, point))

    def pull(self, body: str, point: Triple, target: Triple) -> None:
        """Pull a point of a body [m] to a place [m], until it is released."""
        self._session.post(ic.Drag(body, point, target))

    def release(self, body: str) -> None:
        """Pull no longer."""
        self._session.post(ic.Release(body))

    def _do(self, command: ic.Command) -> None:
        self._session.do(command, _PATIENCE)

    def quantities(self) -> list[str]:
        """Names of what can be plotted."""
        return self._history.quantities()

    def names(self, quantity: str) -> list[str]:
        """The bodies or joints that have it."""
        return self._history.names(quantity)

    def curves(self, quantity: str, only: Sequence[str]) -> list[Curve]:
        """The curves of a quantity."""
        return self._history.curves(quantity, only)

    def recording(self) -> ic.Recording:
        """What is kept of the motion."""
        settings = self.scene.settings
        return self._history.recording(
            scene=self.scene.name or "",
            step=settings.step,
            method=settings.method,
            solver=settings.solver,
        )

    def problem(self) -> str:
        """Why it failed; "" if it did not."""
        error = self._session.error
        return "" if error is None else str(error)

    def close(self) -> None:
        """End both threads."""
        self._ended.set()
        self._session.close()
        self._keeper.join()
