# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of what is made, so that its parts can be told apart: materials of Blender.

They have nothing to do with the materials of a scene, which say how parts touch.
"""

from __future__ import annotations

import bpy

from .. import compat

PALETTE = (
    ("orange", (0.80, 0.27, 0.06)),
    ("blue", (0.07, 0.22, 0.55)),
    ("yellow", (0.80, 0.50, 0.05)),
    ("teal", (0.04, 0.36, 0.34)),
    ("red", (0.55, 0.05, 0.05)),
    ("steel", (0.36, 0.40, 0.45)),
    ("green", (0.15, 0.38, 0.08)),
    ("violet", (0.28, 0.12, 0.45)),
)
GROUND = ("ground", (0.45, 0.43, 0.40))


class Painter:
    """Gives parts colours in turn; names alike up to a dot have one colour."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def paint(self, mesh: bpy.types.Mesh, body: str, *, is_static: bool) -> None:
        """Give a mesh of a body its colour, unless it has one already."""
        if len(mesh.materials):
            return
        if is_static:
            mesh.materials.append(_material(*GROUND))
            return
        number = self._numbers.setdefault(body.partition(".")[0], len(self._numbers))
        mesh.materials.append(_material(*PALETTE[number % len(PALETTE)]))


def _material(name: str, colour: tuple[float, float, float]) -> bpy.types.Material:
    """A material of this name that is there, or a new one; in the viewport and in renderings."""
    name = f"Impulse {name}"
    found = bpy.data.materials.get(name)
    if found is not None:
        return found
    made = bpy.data.materials.new(name)
    made.diffuse_color = (*colour, 1.0)
    compat.give_nodes(made)
    shader = next((n for n in made.node_tree.nodes if n.type == "BSDF_PRINCIPLED"), None)
    if shader is not None:
        shader.inputs["Base Color"].default_value = (*colour, 1.0)
        shader.inputs["Roughness"].default_value = 0.5
    return made
