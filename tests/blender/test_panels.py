"""Panels draw: module mode never shows a window, so their code runs on a recording layout."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


class Layout:
    """Stands in for UILayout: refuses properties and operators that do not exist."""

    def __init__(self, shown=None):
        self.shown = [] if shown is None else shown

    def _child(self, **_options):
        return Layout(self.shown)

    row = column = box = split = _child

    def prop(self, data, name, **_options):
        assert name in data.bl_rna.properties, f"{data} has no {name}"
        self.shown.append(name)

    def prop_search(self, data, name, source, collection, **_options):
        assert collection in source.bl_rna.properties
        self.prop(data, name)

    def operator(self, name, **_options):
        group, _, operator = name.partition(".")
        properties = getattr(getattr(bpy.ops, group), operator).get_rna_type().properties
        self.shown.append(name)
        return Arguments(set(properties.keys()))

    def label(self, text="", **_options):
        self.shown.append(text)

    def template_list(self, kind, _name, data, items, active_data, active, **_options):
        assert hasattr(bpy.types, kind)
        assert hasattr(data, items)
        assert hasattr(active_data, active)
        self.shown.append(kind)

    def progress(self, text="", **_options):
        self.shown.append(text)


class Arguments:
    """Operator arguments; a misspelt one is an error."""

    def __init__(self, names):
        object.__setattr__(self, "names", names)

    def __setattr__(self, name, value):
        assert name in self.names, f"the operator has no argument {name}"


def draw(panel, context):
    """What a panel shows, as names of properties and operators and as labels."""
    from blender_addon import panels

    drawn = type(
        "Drawn", (), {"layout": Layout(), "draw_issue": panels.main.IMPULSE_PT_main.draw_issue}
    )()
    next(c for c in panels.CLASSES if c.__name__ == panel).draw(drawn, context)
    return drawn.layout.shown


@pytest.mark.parametrize("motion", ["dynamic", "kinematic", "static"])
@pytest.mark.parametrize("source", ["density", "material", "mass", "explicit"])
def test_body_panel(add_body, select, context, motion, source):
    """Each way to give the mass shows its own fields, for bodies that have a mass."""
    body = add_body(motion=motion)
    body.impulse.body.mass_source = source
    body.impulse.body.loads.add()
    select(body)

    shown = draw("IMPULSE_PT_object", context)

    dynamic = motion == "dynamic"
    assert ("inertia" in shown) == (dynamic and source == "explicit")
    assert ("torque" in shown) == dynamic
    assert "shape" in shown
    assert "name" not in shown[: shown.index("shape")]


def joint_types():
    from impulse_schema.models import JointType

    return JointType.__args__


@pytest.mark.parametrize("kind", joint_types())
def test_joint_panel(add_body, add_empty, select, context, kind):
    """Every joint type draws, with the fields it uses and no others."""
    add_body()
    pivot = add_empty()
    select(pivot)
    bpy.ops.impulse.tag_joint(type=kind, body2="box")
    joint = pivot.impulse.joint
    for part in ("motors", "limits", "springs", "frictions", "terms"):
        getattr(joint, part).add()
    joint.motors[0].use_curve = True
    joint.motors[0].kind = "servo"
    joint.motors[0].curve.samples.add()

    shown = draw("IMPULSE_PT_object", context)

    assert ("axis2" in shown) == (
        kind in {"ball", "hinge", "universal", "cylindrical", "screw", "planar", "parallel-axes"}
    )
    driven = {"hinge", "slider", "cylindrical", "screw"}
    assert ("proportional" in shown) == (kind in driven)
    assert ("freedom" in shown) == (kind in {"ball", "cylindrical", "screw", "coupling"})
    assert ("upper_angle" in shown) == (kind in {"ball", "hinge", "cylindrical", "screw"})
    assert ("pitch" in shown) == (kind == "screw")
    assert ("damping" in shown) == (kind in driven | {"ball", "universal"})
    assert ("armature" in shown) == (kind in driven)
    assert ("coefficient" in shown) == (kind == "coupling")


@pytest.mark.parametrize("kind", ["NONE", "GEOMETRY", "SPRING"])
def test_panel_of_other_objects(add_box, select, context, kind):
    """Geometry, springs and untagged objects draw too."""
    box = add_box()
    box.impulse.kind = kind
    select(box)

    shown = draw("IMPULSE_PT_object", context)

    assert ("Not part of the simulation" in shown) == (kind == "NONE")
    assert ("rounding" in shown) == (kind == "GEOMETRY")
    assert ("rest_length" in shown) == (kind == "SPRING")


def test_main_panel_lists_issues(add_body, context):
    """After a check the list is there, with the chosen issue in full."""
    add_body().impulse.body.density = 0.0
    with pytest.raises(RuntimeError):
        bpy.ops.impulse.validate_scene()

    shown = draw("IMPULSE_PT_main", context)

    assert "IMPULSE_UL_issues" in shown
    assert any("density is 0" in text for text in shown)


@pytest.mark.parametrize("severity", ["ERROR", "WARNING"])
@pytest.mark.parametrize("name", ["box", ""])
def test_rows_of_the_issue_list(context, severity, name):
    """A row names the object and offers to select it; one about the scene does not."""
    from blender_addon import panels

    issue = context.scene.impulse.issues.add()
    issue.severity, issue.object_name, issue.message = severity, name, "is wrong"
    layout = Layout()

    panels.main.IMPULSE_UL_issues.draw_item(None, context, layout, None, issue, 0, None, "", 0)

    assert layout.shown == (["impulse.select_issue", "box: is wrong"] if name else ["is wrong"])


def test_scene_panels(context):
    """Settings, materials and collision rules draw with entries in every list."""
    tag = context.scene.impulse
    for name in ("materials", "material_pairs", "collision_pairs", "collision_groups"):
        getattr(tag, name).add()

    assert {"step", "method", "gravity"} <= set(draw("IMPULSE_PT_settings", context))
    assert {"restitution", "material2"} <= set(draw("IMPULSE_PT_materials", context))
    assert {"body1", "group2"} <= set(draw("IMPULSE_PT_collision", context))
