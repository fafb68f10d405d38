"""A scene file is dragged with the mouse from a file browser into the 3D view, as by hand."""

import shutil
import subprocess
import time

import bpy
import session

SCENE = """<scene version="1"><body name="dropped" position="0 0 1">
<geometry shape="box" size="1 1 1"/></body></scene>"""
MOST_SECONDS = 20.0


def drop(going):
    """Pressed on the file, moved over the view, let go: the body of the scene is there."""
    if not shutil.which("xdotool"):
        going.result["drop"] = "not tried: there is no xdotool"
        return
    folder = session.FOLDER / "dropped"
    folder.mkdir()
    (folder / "scene.xml").write_text(SCENE, encoding="utf-8")
    screen = bpy.context.window_manager.windows[0].screen
    area = next(area for area in screen.areas if area.type == "PROPERTIES")
    area.type = "FILE_BROWSER"
    yield from session.wait(1.0)
    params = area.spaces.active.params
    params.directory = str(folder).encode()
    params.display_type = "LIST_VERTICAL"
    params.use_filter = False
    yield from session.wait(2.0)
    session.picture("before-drop")
    region = next(region for region in area.regions if region.type == "WINDOW")
    goal = session.view()["region"]
    yield from drag(first_file(region), (goal.x + goal.width // 2, goal.y + goal.height // 2))
    end = time.monotonic() + MOST_SECONDS
    while "dropped" not in bpy.data.objects:
        assert time.monotonic() < end, "the scene that was dropped is not there"
        yield
    session.picture("dropped")
    area.type = "PROPERTIES"
    assert bpy.data.objects["dropped"].impulse.kind == "BODY"
    going.result["drop"] = "a scene file was dragged into the view"


def first_file(region):
    """Where the first entry of a list of files is drawn, from the lower left of the window."""
    return region.x + 60, region.y + region.height - 35


def drag(start, goal):
    """The mouse is pressed at a place, moved and let go, slowly enough for Blender to see it."""
    (x, y), (goal_x, goal_y) = start, goal
    mouse("mousemove", x, y)
    yield from session.wait(0.3)
    mouse("mousedown", 1)
    for part in range(1, 21):
        yield from session.wait(0.05)
        mouse("mousemove", x + (goal_x - x) * part // 20, y + (goal_y - y) * part // 20)
    yield from session.wait(0.3)
    mouse("mouseup", 1)
    yield from session.wait(0.5)


def mouse(what, *numbers):
    """What the mouse does; places count from the lower left, as Blender's."""
    if what == "mousemove":
        height = bpy.context.window_manager.windows[0].height
        numbers = numbers[0], height - 1 - numbers[1]
    subprocess.run(["xdotool", what, *map(str, numbers)], check=True)
