"""What panels cost to draw, all of them open, and what looks of the add-on at a run cost."""

import time

import bpy


def classes(panels):
    """The panels of the add-on's module ``panels``, in their order."""
    found = [cls for cls in panels.CLASSES if issubclass(cls, bpy.types.Panel)]
    assert found
    return found


def unfold(panels):
    """Let all panels be open when they are first shown, as only open ones are drawn."""
    ordered = classes(panels)
    for cls in reversed(ordered):
        bpy.utils.unregister_class(cls)
    for cls in ordered:
        cls.bl_options = {*getattr(cls, "bl_options", ())} - {"DEFAULT_CLOSED"}
        bpy.utils.register_class(cls)


def add_bodies(number):
    """Boxes on a grid, the last one active."""
    bpy.ops.mesh.primitive_cube_add(size=1)
    first = bpy.context.object
    for k in range(number - 1):
        box = bpy.data.objects.new(f"body {k}", first.data)
        box.location = (2 * (k % 25) - 25, 2 * (k // 25), 3)
        bpy.context.scene.collection.objects.link(box)
        box.select_set(True)
    bpy.ops.impulse.tag_body(shape="box")


class Clock:
    """Processor seconds spent in functions, so that other programs do not count."""

    def __init__(self):
        self.seconds = 0.0

    def around(self, function):
        """A function of two arguments, with its time taken; Blender counts them."""

        def timed(first, second):
            began = time.thread_time()
            try:
                return function(first, second)
            finally:
                self.seconds += time.thread_time() - began

        return timed


def clocks(modules, extension):
    """Clocks of the panels and, where there is one, of the overlay."""
    found = {"panels": Clock()}
    for cls in classes(modules[f"{extension}.panels"]):
        cls.draw = found["panels"].around(cls.draw)
    painting = modules.get(f"{extension}.overlay.painting")
    if painting is not None:
        found["overlay"] = Clock()
        painting.paint = found["overlay"].around(painting.paint)
    return found


class Looks:
    """The longest look of the add-on at what it waits for [s]: the window stands still meanwhile.

    Beside these the window waits for Blender's own work, as for drawing and for steps of undo.
    """

    def __init__(self, operators):
        self.longest = 0.0
        look = operators.tick

        def timed(operator, context):
            began = time.monotonic()
            try:
                return look(operator, context)
            finally:
                self.longest = max(self.longest, time.monotonic() - began)

        operators.tick = timed
