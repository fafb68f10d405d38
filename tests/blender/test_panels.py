"""Panels draw: module mode never shows a window, so their code runs on a recording layout."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


class Layout:
    """Stands in for UILayout: refuses properties and operators that do not exist."""

    def __init__(self, shown=None):
        self.shown = [] if shown is None else shown

    def _child(self, **_options):
        return Layout(self.shown)

    row = column = box = split = grid_flow = _child

    def panel(self, _name, **_options):
        return self._child(), self._child()

    def operator_menu_enum(self, name, argument, **_options):
        arguments = self.operator(name)
        assert argument in arguments.names
        return arguments

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

    def separator(self):
        pass

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

    drawn = type("Drawn", (), {"layout": Layout()})()
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

    panels.issues.IMPULSE_UL_issues.draw_item(None, context, layout, None, issue, 0, None, "", 0)

    assert layout.shown == (["impulse.select_issue", "box: is wrong"] if name else ["is wrong"])


def test_legs_panel(add_body, add_empty, select, context):
    """Phases of the selected joints that have motors, and a row for each constant."""
    add_body()
    joints = [add_empty("driven"), add_empty("loose")]
    for joint in joints:
        joint.impulse.kind = "JOINT"
    joints[0].impulse.joint.motors.add()
    select(*joints)
    bpy.ops.impulse.list_add(path="constants", name="period")
    bpy.ops.impulse.list_add(path="constants")

    shown = draw("IMPULSE_PT_legs", context)

    assert shown.count("phase") == 1
    assert shown.count("value") == 2
    assert shown.count("impulse.set_gait") == 3
    assert [c.name for c in context.scene.impulse.constants] == ["period", "constant_1"]


def test_scene_panels(context):
    """Settings, materials and collision rules draw with entries in every list."""
    tag = context.scene.impulse
    for name in ("materials", "material_pairs", "collision_pairs", "collision_groups"):
        getattr(tag, name).add()

    assert {"step", "method", "gravity"} <= set(draw("IMPULSE_PT_settings", context))
    assert {"restitution", "material2"} <= set(draw("IMPULSE_PT_materials", context))
    assert {"body1", "group2"} <= set(draw("IMPULSE_PT_collision", context))


class Labelled(Layout):
    """Notes the label of each number, and in ``beside`` those that stand left of their fields."""

    def __init__(self, labels, beside=None, heading="", split=True):
        super().__init__()
        self.labels = labels
        self.beside = [] if beside is None else beside
        self.heading = heading
        self.use_property_split = split

    def _child(self, heading="", **_options):
        heading = heading or self.heading
        return Labelled(self.labels, self.beside, heading, self.use_property_split)

    row = column = box = split = grid_flow = _child

    def prop(self, data, name, text=None, **_options):
        super().prop(data, name)
        prop = data.bl_rna.properties[name]
        if prop.type == "FLOAT":
            self.labels[name] = text or self.heading or prop.name
            if self.use_property_split:
                self.beside.append(self.labels[name])


@pytest.mark.parametrize(
    ("kind", "axis", "shown", "label"),
    [
        ("velocity", "hinge", "target_rate", "Target [°/s]"),
        ("velocity", "slider", "target", "Target [m/s]"),
        ("servo", "hinge", "target_angle", "Target"),
        ("servo", "slider", "target", "Target [m]"),
        ("force", "hinge", "target", "N·m"),
        ("force", "slider", "target", "N"),
    ],
)
def test_units_of_a_motor(add_body, add_empty, select, context, kind, axis, shown, label):
    """The target of a motor stands with the unit that it has on its axis."""
    add_body()
    pivot = add_empty()
    select(pivot)
    bpy.ops.impulse.tag_joint(type=axis, body2="box")
    motor = pivot.impulse.joint.motors.add()
    motor.kind = kind
    labels = {}
    layout = Labelled(labels)

    from blender_addon.panels import joints

    rotating = joints.turns(motor, pivot.impulse.joint)
    joints.draw_motor(layout, motor, 0, rotating, ())

    assert shown in labels
    assert labels[shown] == label
    force = "N·m" if axis == "hinge" else "N"
    assert labels["max_force"] == f"Max force [{force}]"
    assert ("proportional" in labels) == (kind == "servo")


# What a gain of a servo is multiplied by: rad, rad/s, rad s or m, m/s, m s.
GAINS = {
    "proportional": ("N·m/rad", "N/m"),
    "derivative": ("N·m·s/rad", "N·s/m"),
    "integral": ("N·m/(rad·s)", "N/(m·s)"),
}


@pytest.mark.parametrize(
    ("joint", "freedom", "rotating"),
    [
        ("hinge", "rotation", True),
        ("slider", "translation", False),
        ("cylindrical", "rotation", True),
        ("cylindrical", "translation", False),
        ("screw", "rotation", True),
        ("screw", "translation", False),
    ],
)
def test_units_of_gains(add_empty, joint, freedom, rotating):
    """Each gain of a servo stands with its unit on the axis that it acts on."""
    from blender_addon.panels import joints

    group = add_empty().impulse.joint
    group.type = joint
    motor = group.motors.add()
    motor.kind, motor.freedom = "servo", freedom
    labels = {}

    joints.draw_motor(Labelled(labels), motor, 0, joints.turns(motor, group), ())

    for name, (turning, sliding) in GAINS.items():
        assert labels[name] == f"{name.capitalize()} [{turning if rotating else sliding}]"


def test_a_velocity_in_degrees_is_the_same_number(add_empty):
    """The twin in degrees a second reads and writes the one in radians."""
    motor = add_empty().impulse.joint.motors.add()
    motor.target_rate = 90.0

    assert motor.target == pytest.approx(1.5707963)
    motor.target = -3.14159265
    assert motor.target_rate == pytest.approx(-180.0)


def test_labels_fit_the_sidebar(add_body, select, context):
    """A label beside its value has at most as many characters as the sidebar shows."""
    from blender_addon.properties import units

    beside = []
    from blender_addon import panels

    body = add_body()
    body.impulse.body.loads.add()
    select(body)
    for cls in panels.CLASSES:
        if issubclass(cls, bpy.types.Panel) and cls.__module__.endswith(("objects", "scene")):
            cls.draw(type("Drawn", (), {"layout": Labelled({}, beside)})(), context)

    assert len(beside) > 5
    assert max(map(len, beside)) <= units.FITS, max(beside, key=len)


def test_the_mass_that_results_is_shown(add_body, select, context):
    """Beside the density stand mass, centre and inertia; without a solid the reason."""
    from blender_addon.authoring import measuring

    body = add_body(size=(1, 1, 2))
    select(body)
    measuring.forget()
    assert "Mass: measuring …" in draw("IMPULSE_PT_object", context)
    measuring.refresh(context)
    shown = draw("IMPULSE_PT_object", context)
    assert "Mass 2000 kg, 2000 l" in shown
    assert "Inertia 333.3, 833.3, 833.3 kg·m²" in shown
    assert "2000 kg in 1 bodies" in draw("IMPULSE_PT_machine", context)
    body.impulse.body.own_geometry = False
    measuring.refresh(context)
    assert "It has no solid." in draw("IMPULSE_PT_object", context)


def test_panels_link_to_a_page_of_the_documentation(context):
    """The question mark of every panel opens a page that is there, at a heading that is there."""
    from pathlib import Path
    from urllib.parse import unquote, urlparse

    from blender_addon import documentation, panels

    for cls in panels.CLASSES:
        if issubclass(cls, bpy.types.Panel):
            path = Path(unquote(urlparse(documentation.url(*cls.page)).path))
            assert path.exists(), cls
            headings = [
                line.lstrip("# ").strip().lower().replace(" ", "-")
                for line in path.read_text(encoding="utf-8").splitlines()
                if line.startswith("#")
            ]
            assert cls.page[1] in {"", *headings}, cls
            drawn = type("Drawn", (), {"layout": Layout(), "page": cls.page})()
            cls.draw_header_preset(drawn, context)
            assert drawn.layout.shown == ["wm.url_open"]
