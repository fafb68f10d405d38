"""Tagging by operators, as from the panel and from a script."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def test_bodies_geometry_and_joints_are_tagged_by_operators(add_box, add_empty, select):
    """Each tag operator acts on the selection and stores what it was given."""
    box, fin, pivot = add_box(), add_box("fin"), add_empty()
    select(box)
    bpy.ops.impulse.tag_body(motion="dynamic", mass_source="mass", mass=2.5, shape="box")
    select(fin, box)
    bpy.ops.impulse.tag_geometry(role="visual", shape="convex_hull")
    select(pivot)
    bpy.ops.impulse.tag_joint(type="universal", body2="box")

    assert (box.impulse.kind, box.impulse.body.mass_source, box.impulse.body.mass) == (
        "BODY",
        "mass",
        2.5,
    )
    assert box.impulse.geometry.shape == "box"
    assert (fin.impulse.kind, fin.impulse.geometry.body, fin.impulse.geometry.role) == (
        "GEOMETRY", box, "visual",
    )  # fmt: skip
    assert (pivot.impulse.kind, pivot.impulse.joint.type) == ("JOINT", "universal")
    assert (pivot.impulse.joint.body1, pivot.impulse.joint.body2) == (None, box)


def test_tagging_can_be_undone_and_redone(add_box, select):
    """Undo takes a tag away, redo brings it back."""
    select(add_box())
    bpy.ops.ed.undo_push(message="box")
    bpy.ops.impulse.tag_body(shape="sphere")
    bpy.ops.ed.undo_push(message="tag")

    bpy.ops.ed.undo()
    undone = bpy.data.objects["box"].impulse.kind
    bpy.ops.ed.redo()

    assert undone == "NONE"
    assert bpy.data.objects["box"].impulse.kind == "BODY"
    assert bpy.data.objects["box"].impulse.geometry.shape == "sphere"


def test_tags_survive_saving_and_loading(add_body, add_empty, select, tmp_path):
    """Tags, pointers and lists are in the .blend."""
    add_body("a")
    add_body("b", location=(2, 0, 0))
    select(add_empty("hinge", (1, 0, 0)))
    bpy.ops.impulse.tag_joint(type="hinge", body1="a", body2="b")
    bpy.ops.impulse.list_add(path="joint.limits")
    bpy.data.objects["hinge"].impulse.joint.limits[0].use_upper = True
    bpy.data.objects["hinge"].impulse.joint.limits[0].upper = 0.5

    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "tagged.blend"))
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "tagged.blend"))

    joint = bpy.data.objects["hinge"].impulse.joint
    assert (joint.body1.name, joint.body2.name, joint.type) == ("a", "b", "hinge")
    assert joint.limits[0].upper == 0.5


def test_copying_a_body_copies_its_tags(add_body):
    """A duplicate is a body of its own with the same values."""
    body = add_body()
    body.impulse.body.density = 77.0

    copy = body.copy()

    assert (copy.impulse.kind, copy.impulse.body.density) == ("BODY", 77.0)


def test_clear_tags_resets_everything(add_body, select):
    """Clearing leaves no value behind that would come back with the next tag."""
    body = add_body(shape="sphere")
    body.impulse.body.loads.add()
    body.impulse.body.density = 5.0
    select(body)

    bpy.ops.impulse.clear_tags()

    assert body.impulse.kind == "NONE"
    assert len(body.impulse.body.loads) == 0
    assert body.impulse.body.density == 1000.0


def test_add_joint_puts_an_empty_between_the_selected_bodies(add_body, select, context):
    """The joint stands at the 3D cursor and joins the bodies, the active one second."""
    a, b = add_body("a"), add_body("b")
    context.scene.cursor.location = (1, 2, 3)
    select(a, b)

    bpy.ops.impulse.add_joint(type="ball", name="knee")

    knee = bpy.data.objects["knee"]
    assert tuple(knee.location) == (1, 2, 3)
    assert (knee.impulse.joint.body1, knee.impulse.joint.body2) == (a, b)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"body1": "box", "body2": "box"}, "cannot be joined to itself"),
        ({"body1": "bax"}, "There is no object 'bax'"),
        ({}, "needs a body"),
        ({"body1": "pivot"}, "not tagged as a body"),
    ],
)
def test_a_joint_that_makes_no_sense_is_refused(add_body, add_empty, select, arguments, message):
    """The operator says in a sentence what is wrong and tags nothing."""
    add_body()
    pivot = add_empty()
    select(pivot)

    with pytest.raises(RuntimeError, match=message):
        bpy.ops.impulse.tag_joint(type="ball", **arguments)

    assert pivot.impulse.kind == "NONE"


def test_geometry_needs_faces(add_body, add_empty, select):
    """An Empty cannot be a solid."""
    select(add_empty(), add_body())

    with pytest.raises(RuntimeError, match="pivot has no faces"):
        bpy.ops.impulse.tag_geometry()


def test_without_a_selection_the_operators_say_so():
    """Poll messages reach a script too."""
    with pytest.raises(RuntimeError, match="Select an object first"):
        bpy.ops.impulse.tag_body()


def test_lists_grow_and_shrink(add_body, add_empty, select):
    """List operators reach every list of the panel, also one inside a list."""
    add_body()
    select(add_empty())
    bpy.ops.impulse.tag_joint(type="hinge", body2="box")
    joint = bpy.data.objects["pivot"].impulse.joint

    bpy.ops.impulse.list_add(path="joint.motors")
    bpy.ops.impulse.list_add(path="joint.motors[0].curve.samples")
    bpy.ops.impulse.list_add(path="materials")

    assert (len(joint.motors), len(joint.motors[0].curve.samples)) == (1, 1)
    assert bpy.context.scene.impulse.materials[0].name == "Material 1"
    bpy.ops.impulse.list_remove(path="joint.motors", index=0)
    assert len(joint.motors) == 0
    with pytest.raises(RuntimeError, match=r"There is no list 'joint\.body1'"):
        bpy.ops.impulse.list_add(path="joint.body1")
    with pytest.raises(RuntimeError, match="has 0 entries"):
        bpy.ops.impulse.list_remove(path="joint.motors", index=0)


def state(obj):
    """Everything stored in an object's tag, as plain data."""

    def plain(group):
        found = {}
        for key, prop in group.bl_rna.properties.items():
            if key == "rna_type":
                continue
            value = getattr(group, key)
            if prop.type == "COLLECTION":
                found[key] = [plain(item) for item in value]
            elif prop.type == "POINTER" and isinstance(value, bpy.types.PropertyGroup):
                found[key] = plain(value)
            elif prop.type == "POINTER":
                found[key] = getattr(value, "name", None)
            else:
                found[key] = tuple(value) if getattr(prop, "is_array", False) else value
        return found

    return plain(obj.impulse)


def test_a_lit_body_button_changes_nothing(add_box, select):
    """Pressed for what is a body already, with mass and shape of its own."""
    box = add_box()
    select(box)
    bpy.ops.impulse.tag_body()
    box.impulse.body.mass_source, box.impulse.body.mass = "mass", 7.0
    box.impulse.body.own_geometry = False
    box.impulse.geometry.shape = "sphere"
    before = state(box)

    bpy.ops.impulse.tag_body()

    assert state(box) == before
    bpy.ops.impulse.tag_body(density=5.0)
    assert (box.impulse.body.density, box.impulse.body.mass) == (5.0, 7.0)


def fill(group):
    """Give every plain property of a group, and of those within, another value than its own."""
    for key, prop in group.bl_rna.properties.items():
        if key == "rna_type":
            continue
        value = getattr(group, key)
        if isinstance(value, bpy.types.PropertyGroup):
            fill(value)
        elif prop.is_readonly or key.endswith(("_angle", "_is_world", "_name")):
            continue
        elif prop.type == "ENUM" and key != "kind":
            setattr(group, key, prop.enum_items[-1].identifier)
        elif prop.type == "BOOLEAN":
            setattr(group, key, not value)
        elif prop.type in {"FLOAT", "INT"} and not prop.is_array:
            setattr(group, key, prop.default + 1)


@pytest.mark.parametrize("kind", ["body", "geometry", "joint", "spring"])
@pytest.mark.parametrize("call", ["EXEC_DEFAULT", "INVOKE_DEFAULT"])
def test_no_lit_button_changes_anything(add_body, add_box, add_empty, select, kind, call):
    """Whatever is set in the tag of an object, its own button leaves it as it is."""
    add_body("a"), add_body("b"), add_empty("far")
    obj = add_box("it")
    select(obj)
    ends = {"body1": "a", "body2": "b", "anchor2": "far"}
    given = {"geometry": {"body": "a"}, "joint": ends, "spring": ends}.get(kind, {})
    press = getattr(bpy.ops.impulse, f"tag_{kind}")
    press(**given)
    fill(getattr(obj.impulse, kind))
    before = state(obj)

    press(call)

    assert state(obj) == before


@pytest.mark.parametrize("holder", ["joint", "spring"])
@pytest.mark.parametrize("end", ["body1", "body2"])
@pytest.mark.parametrize("kind", ["geometry", "joint", "spring"])
def test_a_body_that_is_held_becomes_nothing_else(
    add_body, add_empty, select, context, holder, end, kind
):
    """One click on another button of the row would leave a joint that holds nothing."""
    leg, other, pivot = add_body("leg"), add_body("other"), add_empty("pivot")
    far = {"anchor2": "leg"} if holder == "spring" else {}
    select(pivot)
    getattr(bpy.ops.impulse, f"tag_{holder}")(**{end: "leg"}, **far)
    ends = {"geometry": {"body": "other"}, "joint": {"body1": "other"}}.get(kind, {})
    select(leg)
    before = state(leg)

    with pytest.raises(RuntimeError, match="leg is a body that pivot joins"):
        getattr(bpy.ops.impulse, f"tag_{kind}")(**ends)
    assert state(leg) == before

    select(pivot)
    bpy.ops.impulse.clear_tags()
    select(leg)
    getattr(bpy.ops.impulse, f"tag_{kind}")(**ends)
    assert leg.impulse.kind == kind.upper()
    assert other.impulse.kind == "BODY"
