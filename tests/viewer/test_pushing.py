"""What the mouse pulls while the page follows a body, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser")

from impulse_cli.viewer.address import ANY_PORT, Address, open_server
from impulse_cli.viewer.pushing import Pushing
from impulse_cli.viewer.source import NO_CONTACTS, Frame
from impulse_cli.viewer.stage import Stage

from .machines import glider

HALF = 0.5  # m, of the box


class Pulled:
    """In place of what simulates: a box that is somewhere, and what is asked for it."""

    def __init__(self) -> None:
        self.place = np.zeros(3)
        self.targets: list[tuple[float, ...] | None] = []

    def frame(self) -> Frame:
        return Frame(0.0, self.place[None], np.array([[1.0, 0.0, 0.0, 0.0]]), NO_CONTACTS)

    def pull(self, body: str, point: Any, target: Any) -> None:
        assert (body, point) == ("box", (0.0, -HALF, 0.0))
        self.targets.append(target)

    def release(self, body: str) -> None:
        assert body == "box"
        self.targets.append(None)


@pytest.fixture
def stage() -> Iterator[Stage]:
    server = open_server(Address("127.0.0.1", ANY_PORT), "test")
    yield Stage(server, glider(4.0))
    server.stop()


def hold(pushing: Pushing, stage: Stage, phase: str, end: tuple[float, ...]) -> None:
    """What viser says of a mouse that took hold of the front of the box where it began."""
    event = SimpleNamespace(
        client_id=3, phase=phase, start_position=(0.0, -HALF, 0.0), end_position=end,
        target=stage.bodies.handles[0][0], instance_index=0,
    )  # fmt: skip
    pushing._drag(event)


@pytest.mark.parametrize("way", [(0.0, 7.0, 0.0), (-3.0, 2.0, 0.0), (1.5, -40.0, 6.0)])
@pytest.mark.parametrize("is_followed", [True, False])
def test_a_mouse_that_rests_pulls_along_with_the_page(
    stage: Stage, way: tuple[float, ...], is_followed: bool
) -> None:
    """The target keeps its place on the page: it goes level with a body that is followed, and
    stays in the world where none is; after the release nothing is pulled.
    """
    source = Pulled()
    pushing = Pushing(stage, source, lambda: 1.0, lambda _: None)  # type: ignore[arg-type]
    stage.follow(0 if is_followed else None)
    stage.draw(source.frame())
    pushing.keep_up()
    assert source.targets == []

    mouse = (0.25, -HALF, 1.0)
    hold(pushing, stage, "start", (0.0, -HALF, 0.0))
    hold(pushing, stage, "update", mouse)
    for part in (0.25, 0.5, 1.0):
        source.place = part * np.array(way)
        stage.draw(source.frame())
        pushing.keep_up()

    moved = np.array([way[0], way[1], 0.0]) if is_followed else np.zeros(3)
    assert source.targets[-1] == pytest.approx(np.array(mouse) + moved)
    assert len(source.targets) == (5 if is_followed else 2)

    hold(pushing, stage, "end", mouse)
    source.place = 2.0 * np.array(way)
    stage.draw(source.frame())
    pushing.keep_up()
    assert source.targets[-1] is None
    stage.follow(None)
