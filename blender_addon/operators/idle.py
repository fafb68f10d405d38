# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators ask that write what a run writes too."""

from ..running.going import Going


class WhileIdle:
    """An operator that has to wait while the simulator is at work."""

    @classmethod
    def poll(cls, _context):
        if Going.is_on():
            cls.poll_message_set("The simulator is at work; stop it first")
            return False
        return True
