# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import made, and what is other than in the file."""

from __future__ import annotations

from dataclasses import dataclass, field


class ImportSceneError(Exception):
    """Nothing was imported; the text says why and what to do."""


@dataclass
class ImportReport:
    """Numbers of objects by kind, the name of their collection, and notes in whole sentences.

    A note says what Blender does not hold as the file does. ``names`` are the objects' names by
    those of the file, of bodies and of joints.
    """

    collection: str = ""
    bodies: dict[str, str] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    springs: int = 0
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        made = [f"{len(self.bodies)} bodies", f"{len(self.joints)} joints"]
        if self.springs:
            made.append(f"{self.springs} springs")
        return f"{', '.join(made)} in the collection {self.collection}"
