"""Passes of a step that a team of threads shares (jit/team.py), by number."""

from __future__ import annotations

__all__ = [
    "ACT",
    "BEGIN_FIRST",
    "BEGIN_POINTS",
    "BEGIN_SECOND",
    "BODIES",
    "CLOSE_FIRST",
    "CLOSE_SECOND",
    "CONTACTS",
    "FILL",
    "FIND_POINTS",
    "GATHER",
    "GO_ON",
    "ISLANDS",
    "KEEP_POINTS",
    "PAIRS",
    "PREDICT",
    "READ",
    "SAVE_MARKS",
    "SAVE_POINTS",
    "SETTLE_VELOCITIES",
    "SETTLE_WAYS",
    "SWEEP",
    "VELOCITIES",
    "WAYS",
    "WRITE",
]

SWEEP = 1  # over shares of an island's batches: contact/batch_sweeps.py
GO_ON = 2  # with velocities of bodies: the same
FILL, READ, WRITE = 3, 4, 5  # batches from contacts, and back: contact/batches.py
WAYS, VELOCITIES = 6, 7  # errors of contacts: contact/residuals.py
CLOSE_SECOND = 8  # half of a step: contact/passivity.py
BEGIN_POINTS, BEGIN_FIRST, CLOSE_FIRST, BEGIN_SECOND = 9, 10, 11, 12  # step/passes.py
SAVE_POINTS, SAVE_MARKS = 13, 14  # the same
GATHER, ACT = 15, 16  # impulses, by contacts and by bodies: contact/impulses.py
PREDICT = 17  # poses of bodies: step/small_islands.py
FIND_POINTS, KEEP_POINTS = 18, 19  # of pairs: collision/detect.py
SETTLE_WAYS, SETTLE_VELOCITIES = 20, 21  # of small islands: step/small_islands.py

# That a thread takes at a time: some ten microseconds of work.
CONTACTS = 64
PAIRS = 32
BODIES = 32
ISLANDS = 2
