"""Both kinds of action: the branch this Blender does not take runs on stand-ins."""

from types import SimpleNamespace

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from blender_addon import compat  # noqa: E402  imports bpy


class Curves(list):
    """F-curves of an action before Blender 4.4, whose group argument has another name."""

    def new(self, data_path, index=0, action_group=""):
        curve = SimpleNamespace(data_path=data_path, array_index=index, group=action_group)
        self.append(curve)
        return curve


class Action(SimpleNamespace):
    """An action before Blender 4.4; it has custom properties as all data blocks."""

    def __setitem__(self, key, value):
        setattr(self, key, value)


@pytest.fixture
def old_blender(monkeypatch):
    """A Blender without slots whose actions hold their curves themselves."""
    made = []

    def new(name):
        made.append(Action(name=name, fcurves=Curves()))
        return made[-1]

    monkeypatch.setattr(compat, "has_layered_actions", lambda: False)
    monkeypatch.setattr(
        compat, "bpy", SimpleNamespace(data=SimpleNamespace(actions=SimpleNamespace(new=new)))
    )
    return made


class Animated:
    """An object with animation data but nothing of Blender."""

    def __init__(self, name):
        self.name = name
        self.animation_data = None

    def animation_data_create(self):
        self.animation_data = self.animation_data or SimpleNamespace(action=None)
        return self.animation_data


def test_before_layers_every_object_has_an_action(old_blender):
    """One action for each object, named for it, with its curves."""
    a, b = Animated("a"), Animated("b")
    writer = compat.ActionWriter("Impulse", "first")

    for obj in (a, b):
        compat.new_curve(writer.bind(obj), "location", 2, "Impulse")

    assert [action.name for action in old_blender] == ["Impulse a", "Impulse b"]
    assert a.animation_data.action is not b.animation_data.action
    assert [(c.data_path, c.array_index, c.group) for c in compat.curves_of(a)] == [
        ("location", 2, "Impulse")
    ]


def test_with_layers_objects_share_an_action(add_empty):
    """One action, a slot for each object, and each sees its own curves only."""
    if not compat.has_layered_actions():
        pytest.skip("this Blender has no layered actions")
    a, b = add_empty("a"), add_empty("b")
    writer = compat.ActionWriter("Impulse", "first")

    for index, obj in enumerate((a, b)):
        compat.new_curve(writer.bind(obj), "location", index, "Impulse")

    assert a.animation_data.action == b.animation_data.action
    assert compat.slot_handle(a) != compat.slot_handle(b)
    assert [curve.array_index for curve in compat.curves_of(b)] == [1]
