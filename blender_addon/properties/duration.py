# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated time: that of the scene's frames unless it is set."""

from __future__ import annotations

from typing import Any

from bpy.props import BoolProperty, FloatProperty


def duration_of_its_own() -> dict[str, Any]:
    """Properties of a duration, which counts as soon as it is given."""

    def use(settings: Any, _context: Any) -> None:
        settings.use_duration = True

    return {
        "use_duration": BoolProperty(
            name="Set duration", description="Otherwise the time of the scene's frames"
        ),
        "duration": FloatProperty(
            name="Duration [s]", description="Simulated time", default=10.0, min=0.0, update=use
        ),
        "fit_range": BoolProperty(
            name="Fit frame range",
            description="End the scene where the motion ends; Clear puts its last frame back",
        ),
    }
