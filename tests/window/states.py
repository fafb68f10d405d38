"""Everything the panels can show: objects of every kind, joints of every type, every setting."""

from contextlib import suppress

import bpy

_drawn = []


def each(view):
    """Bring about one state after another; yields its name, then waits to be asked for the next."""
    _drawn.clear()
    with bpy.context.temp_override(**view()):
        bpy.ops.mesh.primitive_cube_add()
        bpy.ops.impulse.tag_body()
        body = bpy.context.object.name
        bpy.ops.object.empty_add()
        empty = bpy.context.object.name
    for name, change in _changes(body, empty):
        with bpy.context.temp_override(**view()):
            change()
        _drawn.append(name)
        yield name
    with bpy.context.temp_override(**view()):
        for name in (body, empty):
            bpy.data.objects.remove(bpy.data.objects[name])
        bpy.ops.impulse.validate_scene()


def count():
    """How many states there were."""
    return len(_drawn)


def _changes(body, empty):
    """Names of states, and functions that bring them about."""
    yield "nothing", lambda: bpy.ops.object.select_all(action="DESELECT")
    for motion in _choices(bpy.data.objects[body].impulse.body, "motion"):
        yield f"body-{motion}", lambda m=motion: _set(body, "body", motion=m)
    yield "body-dynamic-again", lambda: _set(body, "body", motion="dynamic")
    for source in _choices(bpy.data.objects[body].impulse.body, "mass_source"):
        yield f"mass-{source}", lambda s=source: _set(body, "body", mass_source=s)
    for shape in _choices(bpy.data.objects[body].impulse.geometry, "shape"):
        yield f"shape-{shape}", lambda s=shape: _set(body, "geometry", shape=s)
    yield "untagged", lambda: _tag(empty, "NONE")
    yield "joint", lambda: _tag(empty, "JOINT")
    for kind in _choices(bpy.data.objects[empty].impulse.joint, "type"):
        yield f"joint-{kind}", lambda k=kind: _set(empty, "joint", type=k)
    yield "joint-full", lambda: _fill(empty)
    for kind in _choices(bpy.data.objects[empty].impulse.joint.motors[0], "kind"):
        yield f"motor-{kind}", lambda k=kind: _motor(empty, k)
    yield "spring", lambda: _tag(empty, "SPRING")
    yield "issues", _check


def _choices(group, name):
    return [item.identifier for item in group.bl_rna.properties[name].enum_items]


def _active(name):
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    obj = bpy.data.objects[name]
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    return obj


def _set(name, group, **values):
    tags = getattr(_active(name).impulse, group)
    for key, value in values.items():
        setattr(tags, key, value)


def _tag(name, kind):
    _active(name).impulse.kind = kind


def _fill(name):
    """A hinge with one of everything."""
    joint = _active(name).impulse.joint
    joint.type = "hinge"
    for part in ("motors", "limits", "springs", "frictions"):
        getattr(joint, part).add()
    joint.motors[0].use_curve = True
    joint.motors[0].curve.samples.add()


def _motor(name, kind):
    _active(name).impulse.joint.motors[0].kind = kind


def _check():
    """The list of what is wrong: the spring has no ends."""
    with suppress(RuntimeError):
        bpy.ops.impulse.validate_scene()
