# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that can be done at one go, or piece by piece with Blender usable in between.

It is a generator: wherever it yields, it may be left alone for a while. What it yields says how far
it is, and may ask for something to be done that needs nothing of Blender, and may so be done beside
it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

Result = TypeVar("Result")

# Corners of faces, or elements of a scene, beyond which what is computed from them takes so long
# that it is done beside Blender.
MANY_CORNERS = 30_000
MANY_ELEMENTS = 300


@dataclass(frozen=True)
class Pause:
    """Where some work can be left alone; ``job`` is what has to be done before it goes on. After
    one that ``is_read`` nothing is read, but something begins that must not begin twice.
    """

    text: str
    fraction: float = 0.0
    job: Callable[[], Any] | None = None
    is_read: bool = False


Work = Generator[Pause, Any, Result]


def beside(job: Callable[[], Result], text: str, *, large: bool) -> Work[Result]:
    """Do something that needs nothing of Blender, beside it where it is large."""
    if not large:
        return job()
    result: Result = yield Pause(text, job=job)
    return result


def at_one_go(work: Work[Result]) -> Result:
    """Do all of it now; what it gives."""
    try:
        pause = next(work)
        while True:
            pause = next(work) if pause.job is None else answered(work, pause.job)
    except StopIteration as end:
        result: Result = end.value
        return result


def answered(work: Work[Any], job: Callable[[], Any]) -> Pause:
    """Go on with some work after a job of its own; it gets what the job gives, or raises."""
    try:
        result = job()
    except Exception as error:  # for the work to deal with
        return work.throw(error)
    return work.send(result)
