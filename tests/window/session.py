"""What happens inside the Blender of a window test: a script of steps, looked at by a timer.

    blender --factory-startup --python session.py -- ZIP FOLDER

A step is a generator: it yields while it waits, so that the window lives as it does for a user.
FOLDER then holds pictures and ``result.json``: numbers by name, and what went wrong.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import panels
import states

ZIP, FOLDER = (Path(word) for word in sys.argv[sys.argv.index("--") + 1 :])
EXTENSION = "bl_ext.user_default.impulse"
EXAMPLE = "walking_machine"
TICK = 0.01  # s between two looks
MOST_SECONDS = 600.0  # of one step
MOVED = 1e-3  # m
MANY, REDRAWS = 500, 20
DROPPED = Path(__file__).resolve().parents[2] / "sample_scenes/machines/trotter.xml"


class Session:
    """Runs the steps; holds names of Blender's objects only, as undo takes the objects away."""

    def __init__(self, steps):
        self.result = {"blender": bpy.app.version_string, "numbers": {}, "wrong": []}
        self.numbers = self.result["numbers"]
        self.clicks = 0
        self.longest = 0.0
        self._seen = time.monotonic()
        self._steps = iter(steps)
        self._going, self._begun = None, 0.0

    def look(self):
        """Go on with the step of now; called by Blender's timer."""
        now = time.monotonic()
        self.longest, self._seen = max(self.longest, now - self._seen), now
        try:
            if self._going is None:
                self._going, self._begun = next(self._steps)(self), now
            if now - self._begun > MOST_SECONDS:
                raise AssertionError(f"a step took longer than {MOST_SECONDS} s")
            next(self._going)
        except StopIteration as ended:
            if self._going is None or ended.value == "done":
                return self.end()
            self._going = None
        except Exception:
            self.result["wrong"].append(traceback.format_exc())
            return self.end()
        self._seen = time.monotonic()
        return TICK

    def end(self):
        (FOLDER / "result.json").write_text(json.dumps(self.result, indent=1), encoding="utf-8")
        bpy.ops.wm.quit_blender()

    def click(self, operator, **arguments):
        """What one click of a user does: an operator with its dialog, in the 3D view."""
        self.clicks += 1
        with bpy.context.temp_override(**view()):
            return operator("INVOKE_DEFAULT", **arguments)


def view():
    """Window, area and region of the first 3D view, as the context of a click in it."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return {"window": window, "screen": window.screen, "area": area, "region": region}


def picture(name):
    """A picture of the whole screen, where ImageMagick is."""
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    if shutil.which("import"):
        subprocess.run(["import", "-window", "root", str(FOLDER / f"{name}.png")], check=False)


def wait(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield


def install(session):
    """The zip is installed as by Install from Disk, and the sidebar opened at its tab."""
    begun = time.monotonic()
    bpy.ops.extensions.package_install_files(
        filepath=str(ZIP), repo="user_default", enable_on_install=True
    )
    session.numbers["installing [s]"] = time.monotonic() - begun
    assert EXTENSION in bpy.context.preferences.addons
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    panels.unfold(sys.modules[f"{EXTENSION}.panels"])
    show_tab()
    yield from wait(0.5)
    show_tab()
    yield from wait(0.5)
    picture("installed")


def show_tab():
    """The tab Impulse in the sidebar of every 3D view."""
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "VIEW_3D":
            area.spaces.active.show_region_ui = True
            sidebar = next(region for region in area.regions if region.type == "UI")
            # Not where the tab is not drawn yet, and in Blenders in which only a click does this.
            with suppress(AttributeError, TypeError):
                sidebar.active_panel_category = "Impulse"


def example_moves(session):
    """From the installed extension to an example that moves: seconds and clicks."""
    bpy.context.scene.frame_set(1)
    begun, session.clicks, session.longest = time.monotonic(), 0, 0.0
    add_example(session)
    picture("example")
    before = positions()
    looks = panels.Looks(sys.modules[f"{EXTENSION}.operators.child"].ChildOperator)
    session.click(bpy.ops.impulse.run_simulation)
    playing = False
    while True:
        yield
        if not playing and has_motion():
            playing = True
            if not bpy.context.screen.is_animation_playing:
                session.click(bpy.ops.screen.animation_play)
        now = positions()
        if playing and any((now[n] - before[n]).length > MOVED for n in before):
            break
    session.numbers["installed, to an example that moves [s]"] = time.monotonic() - begun
    session.numbers["clicks for it"] = session.clicks
    session.numbers["longest wait of the window [s]"] = session.longest
    session.numbers["longest look of the add-on [s]"] = looks.longest
    picture("moving")


def add_example(session):
    """Add > Impulse > the walking machine: two menus and the entry."""
    session.clicks += 2
    session.click(bpy.ops.impulse.add_example, example=EXAMPLE)
    with bpy.context.temp_override(**view()):
        bpy.ops.view3d.view_selected()


def has_motion():
    """Whether a body has keys."""
    return any(o.animation_data and o.animation_data.action for o in bodies())


def bodies():
    return [o for o in bpy.context.scene.objects if o.impulse.kind == "BODY"]


def positions():
    """Where the bodies are drawn now, by their names."""
    graph = bpy.context.evaluated_depsgraph_get()
    return {o.name: o.evaluated_get(graph).matrix_world.translation.copy() for o in bodies()}


def settle(session):
    """The run ends by itself; half a second of the motion is watched."""
    while not bpy.ops.impulse.validate_scene.poll():
        yield
    yield from wait(0.5)
    if bpy.context.screen.is_animation_playing:
        session.click(bpy.ops.screen.animation_play)
    picture("simulated")


def panels_draw(session):
    """Every panel is drawn, unfolded, for every kind of object; exceptions end up in the log."""
    for name in states.each(view):
        yield from wait(0.05)
        picture(f"panel-{name}")
    session.numbers["states of the panels"] = states.count()


def self_test(session):
    """The preferences' button answers, while the window stays usable."""
    bpy.ops.screen.userpref_show()
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Impulse"
    bpy.ops.preferences.addon_expand(module=EXTENSION)
    bpy.ops.impulse.test_simulator("INVOKE_DEFAULT")
    preferences = sys.modules[f"{EXTENSION}.preferences"]
    begun = time.monotonic()
    while preferences.ANSWER.works is None:
        yield
    session.numbers["testing the simulator [s]"] = time.monotonic() - begun
    session.result["answer"] = preferences.ANSWER.text
    assert preferences.ANSWER.works, preferences.ANSWER.text
    yield from wait(0.5)
    picture("preferences")
    for window in list(bpy.context.window_manager.windows)[1:]:
        with bpy.context.temp_override(window=window):
            bpy.ops.wm.window_close()


def undo_and_clear(session):
    """Clear takes the motion away again, and undo brings it back, without a crash."""
    with bpy.context.temp_override(**view()):
        bpy.ops.ed.undo_push(message="before")
    session.click(bpy.ops.impulse.clear_animation)
    assert not any(o.animation_data and o.animation_data.action for o in bodies())
    with bpy.context.temp_override(**view()):
        bpy.ops.ed.undo()
        bpy.ops.ed.redo()
    yield from wait(0.2)
    assert has_motion()
    picture("cleared")


def live(session):
    """The machine moves by itself, a body follows the mouse, and what happened becomes a take."""
    going = sys.modules[f"{EXTENSION}.running.going"].Going
    bpy.context.scene.frame_set(1)
    before = positions()
    looks = panels.Looks(sys.modules[f"{EXTENSION}.operators.child"].ChildOperator)
    begun, session.longest = time.monotonic(), 0.0
    session.click(bpy.ops.impulse.live)
    while going.session() is None or going.session().time < 0.5:
        assert going.is_on(), "the session ended"
        yield
    session.numbers["Live, until it has run for half a second [s]"] = time.monotonic() - begun
    session.numbers["Live, longest wait of the window [s]"] = session.longest
    session.longest = 0.0
    picture("live")
    name = max(bodies(), key=lambda o: o.name == "torso").name
    x, y = on_screen(positions()[name])
    event("MOUSEMOVE", "NOTHING", x, y)
    event("LEFTMOUSE", "PRESS", x, y)
    yield from wait(0.2)
    assert going.session().grip is not None, "nothing was grabbed"
    for k in range(40):
        event("MOUSEMOVE", "NOTHING", x, y + 3 * k)
        yield from wait(0.03)
    picture("live-pulled")
    session.result["pulled"] = going.session().grip.body
    event("LEFTMOUSE", "RELEASE", x, y + 120)
    yield from wait(0.5)
    assert going.session().grip is None
    session.numbers["Live, longest wait while pulled [s]"] = session.longest
    session.numbers["Live, longest look of the add-on [s]"] = looks.longest
    session.click(bpy.ops.impulse.steer, what="KEEP")
    while going.is_on():
        yield
    yield from wait(0.3)
    assert [take.name for take in bpy.context.scene.impulse.takes] == ["Take 1"]
    assert max((positions()[n] - before[n]).length for n in before) < MOVED
    picture("live-kept")


def drop(session):
    """A scene file is dragged in from another program and dropped: its machine is there."""
    if not os.environ.get("DISPLAY"):
        return
    from impulse_schema import load_scene

    expected = len(bodies()) + len(load_scene(DROPPED).bodies)
    window, region = view()["window"], view()["region"]
    x, y = region.x + region.width // 2, window.height - region.y - region.height // 2
    command = [sys.executable, Path(__file__).with_name("dropping.py"), DROPPED, x, y]
    hand = subprocess.Popen([str(word) for word in command])
    while hand.poll() is None:
        yield
    assert hand.returncode == 0, "the file was not taken"
    while len(bodies()) != expected:
        yield
    yield from wait(0.5)
    picture("dropped")


def on_screen(place):
    """Pixels of the window where a place of the world is seen."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region = view()["region"]
    point = location_3d_to_region_2d(region, view()["area"].spaces.active.region_3d, place)
    return int(region.x + point.x), int(region.y + point.y)


def event(kind, value, x, y):
    """What the mouse does."""
    window = bpy.context.window_manager.windows[0]
    window.event_simulate(type=kind, value=value, x=x, y=y)


def costs(session):
    """What panels and overlay cost at a redraw, with many bodies."""
    with bpy.context.temp_override(**view()):
        panels.add_bodies(MANY)
    yield from wait(1.0)
    clocks = panels.clocks(sys.modules, EXTENSION)
    for _ in range(REDRAWS):
        for area in bpy.context.window_manager.windows[0].screen.areas:
            area.tag_redraw()
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        yield
    picture("many")
    for name, clock in clocks.items():
        session.numbers[f"{name} with {MANY} bodies [ms]"] = 1e3 * clock.seconds / REDRAWS


def start(*steps):
    """Let Blender's timer run these steps."""
    bpy.context.preferences.view.show_splash = False
    bpy.app.timers.register(Session(steps).look, first_interval=1.0)


if __name__ == "__main__":
    start(install, example_moves, settle, panels_draw, self_test, undo_and_clear, live, drop, costs)
