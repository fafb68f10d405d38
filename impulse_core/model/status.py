"""How a stage ends: completed, or why not."""

from __future__ import annotations

COMPLETED = 0
OPEN = 1
"""Joints could not be closed at t+h."""
LAW = 2
"""A force law about the coordinate there could not be satisfied."""
RATE = 3
"""Joints keep moving at t+h."""
LAW_RATE = 4
"""A force law about the velocity there could not be satisfied."""
LINE = 5
"""The line of a distance joint, or what a sliding one does to its bodies, turns too far."""
NO_TARGET = 6
"""A motor has no finite target."""
TOO_FAR = 7
"""A body would turn too far (free_motion/flow.py)."""
CREATED = 8
"""Contacts create energy against their laws."""
NO_ROOM = 9
"""There is no room for all contacts or pairs: the call is repeated with more."""
STOPPED = 10
"""A signal wants the call to end."""
CONTRADICTS = 11
"""A joint contradicts others whose rows it nearly repeats."""
ROSE = 12
"""The energy rose out of nowhere."""
LIMIT = 13
"""A limit was reached for which the method has no law."""
WEAK = 14
"""A velocity motor has too little force to be a constraint."""
NO_LOAD = 15
"""The factor of a load has no finite value."""
THROWN = 16
"""Joints of a loop would turn a body too far that would not without them."""
UNSETTLED = 17
"""Contacts break their laws at t+h by more than a stage of this length is to leave."""
