"""What an empty pointer means, and what is said when an object is gone."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def messages(context):
    from blender_addon.export.scene_export import build

    return [str(issue) for issue in build(context).issues]


def test_an_empty_end_is_not_the_world(add_body, add_empty, context):
    """A joint whose body was forgotten is an error; the world has to be chosen."""
    from blender_addon.authoring import tagging

    box, pivot = add_body(), add_empty()
    tagging.tag_joint(pivot, "hinge", None, box)
    assert messages(context) == []

    joint = pivot.impulse.joint
    joint.body1_is_world = False

    assert messages(context) == ["pivot: has no Body 1; choose a body, or World"]
    joint.body1_is_world = True
    assert messages(context) == []
    joint.body1 = add_body("other", location=(3, 0, 0))
    assert not joint.body1_is_world


def test_a_body_that_was_removed_is_named(add_body, add_empty, context):
    """Removed by a script, a body leaves an empty pointer: its name is in the message."""
    from blender_addon.authoring import tagging

    upper, lower, pivot = add_body("upper"), add_body("lower"), add_empty()
    tagging.tag_joint(pivot, "hinge", upper, lower)

    bpy.data.objects.remove(upper)

    found = messages(context)
    assert found == ["pivot: has lost upper (Body 1), which was removed; choose another object"]


def _joint(key, kind):
    def tag(holder, target, other):
        from blender_addon.authoring import tagging

        tagging.tag_joint(holder, kind, None, other)
        tagging.set_ends(holder.impulse.joint, {key: target})

    return tag


def _spring(key):
    def tag(holder, target, other):
        from blender_addon.authoring import tagging

        ends = {"body1": None, "body2": other, "anchor2": other}
        tagging.tag_spring(holder, ends | {key: target})

    return tag


def _geometry(holder, target, other):
    from blender_addon.authoring import tagging

    holder.parent = other
    tagging.tag_geometry([holder], target)


def _load(holder, target, other):
    load = other.impulse.body.loads.add()
    load.force, load.reaction_body = (1, 0, 0), target


def _pair(holder, target, other):
    tag = bpy.context.scene.impulse
    tag.use_collision_filter = True
    pair = tag.collision_pairs.add()
    pair.body1, pair.body2 = target, other


def _term(holder, target, other):
    from blender_addon.authoring import tagging

    tagging.tag_joint(target, "hinge", None, other)
    tagging.tag_joint(holder, "coupling", None, None)
    term = holder.impulse.joint.terms.add()
    term.joint, term.coefficient = target, 1.0


# Every pointer of the add-on: how it is set, and what kind of object it points to.
POINTERS = {
    "hinge body1": (_joint("body1", "hinge"), "body"),
    "hinge body2": (_joint("body2", "slider"), "body"),
    "anchor2": (_joint("anchor2", "distance"), "empty"),
    "axis2": (_joint("axis2", "universal"), "empty"),
    "spring body1": (_spring("body1"), "body"),
    "spring anchor2": (_spring("anchor2"), "empty"),
    "geometry": (_geometry, "body"),
    "load": (_load, "body"),
    "pair": (_pair, "body"),
    "term": (_term, "empty"),
}


@pytest.mark.parametrize("name", POINTERS)
def test_no_pointer_loses_its_object_silently(add_body, add_empty, add_box, context, name):
    """Whatever pointed to an object that a script removes: the object is named."""
    set_pointer, kind = POINTERS[name]
    other = add_body("other", location=(5, 0, 0))
    target = add_body("gone") if kind == "body" else add_empty("gone", (0, 0, 2))
    holder = add_box("holder") if name == "geometry" else add_empty("holder")
    set_pointer(holder, target, other)

    bpy.data.objects.remove(target)

    lost = [message for message in messages(context) if "has lost gone" in message]
    assert len(lost) == 1


@pytest.mark.parametrize("nested", [False, True])
def test_instances_of_tagged_objects_are_refused(add_body, context, nested):
    """An instance of a collection shows bodies that would not be simulated."""
    body = add_body("leg")
    legs = bpy.data.collections.new("legs")
    legs.objects.link(body)
    shown = legs
    if nested:
        inner = bpy.data.objects.new("inner", None)
        inner.instance_type, inner.instance_collection = "COLLECTION", legs
        shown = bpy.data.collections.new("outer")
        shown.objects.link(inner)
    instance = bpy.data.objects.new("leg 2", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", shown
    context.scene.collection.objects.link(instance)
    context.view_layer.update()

    found = messages(context)

    assert len(found) == 1
    assert found[0].startswith("leg 2: shows instances of leg,")


@pytest.mark.parametrize("kind", ["VERTS", "FACES"])
def test_children_that_are_repeated_are_refused(add_body, add_box, context, kind):
    """A body on every vertex or face of a mesh is no body of its own."""
    grid = add_box("grid")
    grid.instance_type = kind
    body = add_body("leg")
    body.parent = grid

    assert any(m.startswith("grid: shows instances of leg,") for m in messages(context))


def _by_particles(host, body):
    host.modifiers.new("dust", "PARTICLE_SYSTEM")
    settings = host.particle_systems[0].settings
    settings.count, settings.frame_end, settings.lifetime = 3, 1, 100
    settings.render_type, settings.instance_object = "OBJECT", body


def _by_nodes(host, body):
    tree = bpy.data.node_groups.new("copies", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    source = tree.nodes.new("GeometryNodeObjectInfo")
    source.inputs["Object"].default_value = body
    source.inputs["As Instance"].default_value = True
    output = tree.nodes.new("NodeGroupOutput")
    tree.links.new(source.outputs["Geometry"], output.inputs[0])
    host.modifiers.new("copies", "NODES").node_group = tree


@pytest.mark.parametrize("make", [_by_particles, _by_nodes])
def test_generated_instances_are_refused(add_body, add_box, context, make):
    """Particles and geometry nodes that show a body."""
    host, body = add_box("host"), add_body("leg")
    make(host, body)
    context.scene.frame_set(2)
    context.scene.frame_set(1)

    assert any(m.startswith("host: shows instances of leg,") for m in messages(context))


def test_instances_of_what_is_not_tagged_do_no_harm(add_body, add_box, context):
    """Scenery may be instanced."""
    add_body("machine")
    trees = bpy.data.collections.new("trees")
    trees.objects.link(add_box("tree"))
    instance = bpy.data.objects.new("wood", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", trees
    context.scene.collection.objects.link(instance)

    assert messages(context) == []
