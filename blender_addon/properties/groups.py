# SPDX-License-Identifier: GPL-3.0-or-later
"""What the add-on stores in a .blend: tags on objects, settings on the scene.

Fields of the file format come from ``impulse_schema`` (schema_properties.py); what the transform
of an object says (pose, anchor, axis, sizes) is not stored a second time.
"""

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup

from impulse_schema import models

from .duration import duration_of_its_own
from .pointers import object_pointer, world_switch
from .poses import CLASSES as POSES
from .poses import IMPULSE_PG_pose
from .schema_properties import properties_of
from .takes import CLASSES as TAKES
from .takes import IMPULSE_PG_take

KINDS = [
    ("NONE", "Nothing", "Not part of the simulated scene"),
    ("BODY", "Body", "A rigid body; its own mesh can be its first solid"),
    ("GEOMETRY", "Geometry", "A solid of a body"),
    ("JOINT", "Joint", "A joint at this object's origin; its axis is the local z axis"),
    ("SPRING", "Spring", "A spring and damper from this object's origin to another object's"),
]

MASS_SOURCES = [
    ("density", "Density", "Mass from the volume of the solids and one density"),
    ("material", "Materials", "Mass from the volume of the solids and their materials"),
    ("mass", "Mass", "This mass, spread evenly over the solids"),
    ("explicit", "Mass and inertia", "Mass, centre of mass and inertia as given here"),
]


def is_body(_group: Any, obj: Object) -> bool:
    return obj.impulse.kind == "BODY"


def is_joint(_group: Any, obj: Object) -> bool:
    return obj.impulse.kind == "JOINT"


def group(name: str, annotations: dict[str, Any], doc: str) -> type[PropertyGroup]:
    """A PropertyGroup class of these properties."""
    return type(
        f"IMPULSE_PG_{name}", (PropertyGroup,), {"__annotations__": annotations, "__doc__": doc}
    )


BODIES = {
    **object_pointer("body1", "Body 1", "First body", is_body),
    **world_switch("body1", "Body 1"),
    **object_pointer("body2", "Body 2", "Second body", is_body),
    **world_switch("body2", "Body 2"),
}
SECOND_ANCHOR = object_pointer(
    "anchor2", "Anchor 2", "Object whose origin is the joint point of body 2"
)


def follow_expression(motor: PropertyGroup, _context: bpy.types.Context) -> None:
    """What is typed takes the place of the constant target; a motor has one."""
    if motor.expression:
        motor.use_target = False


CurveSample = group(
    "curve_sample",
    {"time": FloatProperty(name="Time [s]"), "value": FloatProperty(name="Value")},
    "One sample of a curve.",
)
Curve = group(
    "curve",
    properties_of(
        models.Curve,
        skip=("times", "values"),
        override={"samples": CollectionProperty(type=CurveSample), "index": IntProperty()},
    ),
    "A sampled function of time.",
)
Motor = group(
    "motor",
    properties_of(
        models.Motor,
        override={
            "curve": PointerProperty(type=Curve),
            "use_curve": BoolProperty(name="Curve", description="Follow samples over time"),
            "expression": StringProperty(
                name="Expression",
                description=models.Motor.model_fields["expression"].description.rstrip("."),
                update=follow_expression,
            ),
        },
    ),
    "A motor of a joint.",
)
Limit = group("limit", properties_of(models.Limit), "Bounds of a joint.")
Spring = group("spring", properties_of(models.Spring), "A spring on a joint's axis.")
Friction = group("friction", properties_of(models.Friction), "Dry friction of a joint.")
CouplingTerm = group(
    "coupling_term",
    properties_of(
        models.CouplingTerm,
        override=object_pointer("joint", "Joint", "Joint with a free axis", is_joint),
    ),
    "One joint of a coupling.",
)
Load = group(
    "load",
    properties_of(
        models.Load,
        skip=("body",),
        override={
            **object_pointer("reaction_body", "Reaction body", "Takes the opposite force", is_body),
            "curve": PointerProperty(type=Curve),
            "use_curve": BoolProperty(name="Curve", description="Multiply by samples over time"),
        },
    ),
    "A force or torque on the body it is stored with.",
)
Body = group(
    "body",
    properties_of(
        models.Body,
        skip=("name", "position", "orientation", "geometry", "keyframes"),
        override={
            "mass_source": EnumProperty(items=MASS_SOURCES, name="Mass from", default="density"),
            "density": FloatProperty(name="Density [kg/m³]", default=1000.0, min=0.0),
            "mass": FloatProperty(name="Mass [kg]", default=1.0, min=0.0, precision=3),
            "center_of_mass": FloatVectorProperty(
                name="Center of mass [m]",
                description="In the object's axes, from its origin",
                subtype="XYZ",
            ),
            "inertia": FloatVectorProperty(
                name="Ixx Iyy Izz [kg·m²]", default=(1.0, 1.0, 1.0), min=0.0, precision=5
            ),
            "inertia_products": FloatVectorProperty(name="Ixy Ixz Iyz [kg·m²]", precision=5),
            "own_geometry": BoolProperty(
                name="Own mesh is a solid",
                description="Whether the object's own mesh belongs to the body",
                default=True,
            ),
            "loads": CollectionProperty(type=Load),
        },
    ),
    "A rigid body.",
)
Geometry = group(
    "geometry",
    properties_of(
        models.Geometry,
        skip=(
            "name",
            "position",
            "orientation",
            "size",
            "radius",
            "height",
            "major_radius",
            "minor_radius",
            "mesh",
            "heights",
        ),
        override={
            "shape": EnumProperty(
                items=[
                    (name, name.replace("_", " ").capitalize(), "Solid fitted to the object's mesh")
                    for name in models.Shape.__args__
                ],
                name="Shape",
                default="mesh",
            ),
            **object_pointer(
                "body", "Body", "Body it belongs to; empty: the nearest parent body", is_body
            ),
        },
    ),
    "A solid of a body.",
)
Joint = group(
    "joint",
    properties_of(
        models.Joint,
        skip=("name", "anchor", "anchor2", "axis", "axis2"),
        override={
            **BODIES,
            **SECOND_ANCHOR,
            **object_pointer(
                "axis2",
                "Axis 2",
                "Object whose local z is the axis of body 2; a universal joint without one uses"
                " this object's local x",
            ),
            "pitch": FloatProperty(
                name="Pitch [m]",
                description=(models.Joint.model_fields["pitch"].description or "").rstrip("."),
                default=0.01,
                precision=4,
            ),
            "motors": CollectionProperty(type=Motor),
            "limits": CollectionProperty(type=Limit),
            "springs": CollectionProperty(type=Spring),
            "frictions": CollectionProperty(type=Friction),
            "terms": CollectionProperty(type=CouplingTerm),
        },
    ),
    "A joint.",
)
SpringDamper = group(
    "spring_damper",
    properties_of(
        models.SpringDamper,
        skip=("name", "anchor", "anchor2"),
        override={
            **BODIES,
            **SECOND_ANCHOR,
            "stiffness": FloatProperty(name="Stiffness [N/m]", default=100.0, min=0.0),
        },
    ),
    "A spring and damper between two points.",
)
Playback = group(
    "playback",
    {
        "active": BoolProperty(options={"HIDDEN"}),
        "previous_action": PointerProperty(type=bpy.types.Action),
        "previous_slot": IntProperty(),
        "previous_rotation_mode": StringProperty(),
        "previous_location": FloatVectorProperty(size=3),
        "previous_euler": FloatVectorProperty(size=3),
        "previous_quaternion": FloatVectorProperty(size=4),
        "previous_axis_angle": FloatVectorProperty(size=4),
        "start_location": FloatVectorProperty(size=3),
        "start_quaternion": FloatVectorProperty(size=4),
    },
    "What an object looked like before an animation was imported.",
)
RangeMemory = group(
    "range_memory",
    {"active": BoolProperty(), "previous_end": IntProperty(), "fitted_end": IntProperty()},
    "The last frame of the scene before an animation was imported.",
)
ObjectTag = group(
    "object",
    {
        "kind": EnumProperty(items=KINDS, name="Impulse", default="NONE"),
        "body": PointerProperty(type=Body),
        "geometry": PointerProperty(type=Geometry),
        "joint": PointerProperty(type=Joint),
        "spring": PointerProperty(type=SpringDamper),
        "playback": PointerProperty(type=Playback),
    },
    "Object.impulse: what an object is in the simulated scene.",
)

Constant = group(
    "constant",
    properties_of(
        models.Constant,
        override={"value": FloatProperty(name="Value", default=1.0, precision=4, step=1)},
    ),
    "A number that expressions of motors name.",
)
Material = group("material", properties_of(models.Material), "A material.")
MaterialPair = group("material_pair", properties_of(models.MaterialPair), "Two materials.")
CollisionPair = group(
    "collision_pair",
    properties_of(models.CollisionPair, override=BODIES),
    "Whether two bodies can touch.",
)
CollisionGroupRule = group(
    "collision_group_rule",
    properties_of(models.CollisionGroupRule),
    "Whether two groups of bodies can touch.",
)
Settings = group(
    "settings",
    properties_of(
        models.Settings,
        override={
            "use_gravity": BoolProperty(
                name="Set gravity", description="Otherwise that of Blender's scene properties"
            ),
            "gravity": FloatVectorProperty(
                name="Gravity [m/s²]", default=(0.0, 0.0, -9.81), subtype="XYZ"
            ),
            "use_fps": BoolProperty(
                name="Set fps", description="Otherwise the frame rate of the render settings"
            ),
            "fps": FloatProperty(name="Fps [1/s]", default=25.0, min=0.001),
            **duration_of_its_own(),
        },
    ),
    "How the scene is simulated.",
)
Issue = group(
    "issue",
    {
        "severity": EnumProperty(items=[("ERROR", "Error", ""), ("WARNING", "Warning", "")]),
        "code": StringProperty(),
        "object_name": StringProperty(),
        "message": StringProperty(),
        "hint": StringProperty(),
        "other": StringProperty(),
        "detail": StringProperty(),
        "of_start": BoolProperty(),
    },
    "One line of the issue list.",
)
SceneTag = group(
    "scene",
    {
        "title": StringProperty(name="Title", description="Title of the scene; default its name"),
        "description": StringProperty(name="Description", description="What the scene shows"),
        "settings": PointerProperty(type=Settings),
        "constants": CollectionProperty(type=Constant),
        "materials": CollectionProperty(type=Material),
        "material_pairs": CollectionProperty(type=MaterialPair),
        "use_collision_filter": BoolProperty(name="Collision filter"),
        "collide_by_default": BoolProperty(
            name="Bodies can touch", description="Where no rule says otherwise", default=True
        ),
        "collision_pairs": CollectionProperty(type=CollisionPair),
        "collision_groups": CollectionProperty(type=CollisionGroupRule),
        "issues": CollectionProperty(type=Issue),
        "issue_index": IntProperty(),
        "checked": BoolProperty(),
        "use_results": BoolProperty(
            name="Results",
            description="Energy, angle and torque of each motor, ground reaction and slip of each"
            " body as curves of custom properties",
            default=True,
        ),
        "show_targets": BoolProperty(
            name="Plot targets",
            description="Show what the motors of the active joint aim at, in the 3D view",
        ),
        "show_plot": BoolProperty(
            name="Plot", description="Plot the results of the active object in the 3D view"
        ),
        "takes": CollectionProperty(type=IMPULSE_PG_take),
        "range_memory": PointerProperty(type=RangeMemory),
        "poses": CollectionProperty(type=IMPULSE_PG_pose),
        "poses_attached": BoolProperty(),
        "poses_frame": FloatProperty(),
        "stale": BoolProperty(),
        "live_check": BoolProperty(
            name="Live",
            description="Keep the list up to date while you work, as far as that goes without the"
            " simulator",
            default=True,
        ),
        "progress": FloatProperty(subtype="FACTOR", min=0.0, max=1.0),
        "progress_text": StringProperty(),
    },
    "Scene.impulse: settings of the simulated scene.",
)

# Parts before the wholes that hold them, as Blender wants to register them.
CLASSES = (
    *TAKES, *POSES, CurveSample, Curve, Motor, Limit, Spring, Friction, CouplingTerm, Load, Body,
    Geometry, Joint, SpringDamper, Playback, RangeMemory, ObjectTag, Constant, Material,
    MaterialPair, CollisionPair, CollisionGroupRule, Settings, Issue, SceneTag,
)  # fmt: skip


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    Object.impulse = PointerProperty(type=ObjectTag)
    bpy.types.Scene.impulse = PointerProperty(type=SceneTag)


def unregister() -> None:
    del bpy.types.Scene.impulse
    del Object.impulse
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
