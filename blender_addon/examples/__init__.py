# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines to begin with: small ones, each built by a plain function, and sample scenes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import bpy

from ..importing.objects import select_machine
from .building import Builder
from .mechanisms import chain, four_bar, hinge_door, leg, servo_wheel, slider_crank
from .samples import add_sample


@dataclass(frozen=True)
class Example:
    """A machine of the menu: a function that builds it, or the name of a sample scene."""

    label: str
    icon: str
    build: Callable[[Builder], bpy.types.Object] | None = None
    sample: str = ""
    shows: str = ""

    @property
    def description(self) -> str:
        """One sentence, without a full stop, as tooltips are."""
        return (self.shows or (self.build and self.build.__doc__) or "").rstrip(".")


EXAMPLES = {
    "four_bar": Example("Four-bar", "MOD_ARRAY", four_bar),
    "slider_crank": Example("Slider-crank", "DRIVER", slider_crank),
    "hinge_door": Example("Hinge door", "MESH_PLANE", hinge_door),
    "servo_wheel": Example("Servo wheel", "MESH_CYLINDER", servo_wheel),
    "chain": Example("Chain", "LINKED", chain),
    "leg": Example("Leg", "BONE_DATA", leg),
    "walking_machine": Example(
        "Six-legged walking machine",
        "ARMATURE_DATA",
        sample="walking-machine",
        shows="Six legs with a servo and a closed loop each: three stand while three swing",
    ),
    "jansen_walker": Example(
        "Jansen walker",
        "FORCE_HARMONIC",
        sample="jansen-walker",
        shows="Theo Jansen's linkage: twelve legs on one crankshaft, 36 closed loops",
    ),
    "car": Example(
        "Car",
        "AUTO",
        sample="car-driving",
        shows="A car with steering, springs, dampers and a motor for each wheel",
    ),
    "sledge": Example(
        "Sledge",
        "CON_TRACKTO",
        sample="sledge-pendulum-rough",
        shows="A pendulum swings on a sledge, which stops and goes on rough ground",
    ),
}


@dataclass
class Added:
    """What an example made: the name of its collection, and notes of what is other than meant."""

    collection: str
    notes: list[str] = field(default_factory=list)


def add_example(context: bpy.types.Context, name: str) -> Added:
    """Make a machine at the 3D cursor, in a collection of its own, and select it.

    Raises ImportSceneError where a sample scene is missing.
    """
    example = EXAMPLES[name]
    if example.build is None:
        report = add_sample(context, example.sample)
        added = Added(report.collection, report.notes)
    else:
        build = Builder(context, example.label)
        example.build(build)
        added = Added(build.collection.name)
    context.view_layer.update()
    select_machine(context, bpy.data.collections[added.collection])
    return added
