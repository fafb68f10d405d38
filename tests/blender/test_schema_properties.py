"""The properties in the panel are those of the file format."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from typing import get_args  # noqa: E402  nothing below is needed where bpy is missing

from impulse_schema import models  # noqa: E402

# Fields that other things say: names and transforms of objects, lists made from objects.
FROM_OBJECTS = {
    "Body": {"name", "position", "orientation", "geometry", "keyframes"},
    "Geometry": {"name", "position", "orientation", "mesh", "heights"}
    | {"size", "radius", "height", "major_radius", "minor_radius"},
    "Joint": {"name", "anchor", "axis"},
    "Load": {"body"},
    "SpringDamper": {"name", "anchor"},
    "Curve": {"times", "values"},
}


def groups():
    from blender_addon.properties import groups as properties

    pairs = {
        "Body": properties.Body,
        "Geometry": properties.Geometry,
        "Joint": properties.Joint,
        "Load": properties.Load,
        "SpringDamper": properties.SpringDamper,
        "Motor": properties.Motor,
        "Limit": properties.Limit,
        "Spring": properties.Spring,
        "Friction": properties.Friction,
        "CouplingTerm": properties.CouplingTerm,
        "Curve": properties.Curve,
        "Settings": properties.Settings,
        "Material": properties.Material,
        "MaterialPair": properties.MaterialPair,
        "CollisionPair": properties.CollisionPair,
        "CollisionGroupRule": properties.CollisionGroupRule,
    }
    return pairs.items()


@pytest.mark.parametrize(("name", "group"), groups())
def test_every_field_of_the_format_can_be_set(name, group):
    """A field added to the schema appears in Blender, or this test names it."""
    fields = set(getattr(models, name).model_fields) - FROM_OBJECTS.get(name, set())

    missing = fields - set(group.__annotations__)

    assert not missing


@pytest.mark.parametrize(
    ("group", "field", "choices"),
    [
        ("Joint", "type", models.JointType),
        ("Geometry", "shape", models.Shape),
        ("Settings", "method", models.Method),
        ("Settings", "solver", models.Solver),
    ],
)
def test_enum_items_are_the_words_of_the_file(group, field, choices, registered):
    """Identifiers of an enum property are the choices of the schema, in order."""
    from blender_addon.properties import groups as properties

    items = getattr(properties, group).bl_rna.properties[field].enum_items

    assert [item.identifier for item in items] == list(get_args(choices))


def test_defaults_are_those_of_the_format(context):
    """A setting nobody touched is exported as the schema's default; the frames say how long."""
    from blender_addon.export.scene_export import settings_data

    context.scene.frame_end = 251
    made = models.Settings(**settings_data(context.scene))

    assert made == models.Settings()


def test_an_angle_shows_in_degrees_and_is_stored_in_radians(add_empty):
    """The twin of an angle field reads and writes the same number."""
    limit = add_empty().impulse.joint.limits.add()

    limit.upper_angle = 1.25

    assert limit.upper == 1.25
    assert limit.bl_rna.properties["upper_angle"].subtype == "ANGLE"


def test_numbers_are_the_shortest_decimals_of_single_precision(add_empty):
    """0.1 typed in Blender is 0.1 in the file, not 0.10000000149011612."""
    from blender_addon.properties.schema_properties import values_of

    friction = add_empty().impulse.joint.frictions.add()
    friction.force = 0.1

    assert values_of(friction, models.Friction) == {"force": 0.1}
