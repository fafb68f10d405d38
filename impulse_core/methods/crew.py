"""The threads of a team beside the one that takes steps."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

from impulse_core.collision.contacts import new_found
from impulse_core.contact.system import ContactSetup, IslandWork, new_island_work
from impulse_core.model import Model, State, Workspace
from impulse_core.step.serve import serve

__all__ = ["Crew"]


class Crew:
    """Threads that wait until there are steps to share, and serve while these are taken.

    Args:
        threads: How many, with the one that takes steps.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1, "impulse team") if threads > 1 else None
        self._found = [new_found() for _ in range(threads)]
        self._own: list[IslandWork] = []
        self._room = 0  # contacts for which there is room in these

    def load(self, model: Model, contact: ContactSetup, state: State, work: Workspace) -> None:
        """Get the kernel that they run."""
        if self._pool:
            self._make_room(model, contact)
            serve(model, contact, self._found[1], self._own[1], state, work, 1)

    @contextmanager
    def serving(
        self, model: Model, contact: ContactSetup, state: State, work: Workspace
    ) -> Iterator[None]:
        """Let them serve as long as the context lasts."""
        if not self._pool:
            yield
            return
        self._make_room(model, contact)
        team = contact.team
        team.open[0] = 1
        served = [
            self._pool.submit(_serve, model, contact, found, own, state, work, k)
            for k, (found, own) in enumerate(zip(self._found, self._own, strict=True))
            if k > 0
        ]
        try:
            yield
        finally:
            team.open[0] = 0
            wait(served)
        for each in served:
            each.result()

    def _make_room(self, model: Model, contact: ContactSetup) -> None:
        """Make room for islands as large as those of the thread that takes steps."""
        rows = len(contact.contacts.row)
        if self._room != rows:
            bodies = len(model.bodies)
            self._own = [new_island_work(rows, bodies) for _ in range(self._threads)]
            self._room = rows


def _serve(model: Model, contact: ContactSetup, *others: Any) -> None:
    """Serve until the team is closed. Where that fails it is closed, since the first thread would
    wait for what is not done.
    """
    try:
        serve(model, contact, *others)
    finally:
        contact.team.open[0] = 0
