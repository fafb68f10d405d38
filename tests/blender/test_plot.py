"""The plot of results in the 3D view, by its coordinates and by its pixels."""

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from .test_panels import Layout  # noqa: E402  nothing below is needed where bpy is missing


@pytest.fixture
def results(add_body, context):
    """Results of a body and of the scene, made up."""
    from blender_addon.playback import results

    box = add_body("box")
    frames = np.arange(1.0, 101.0)
    force = np.stack([0 * frames, np.sin(frames / 10), frames], axis=1)
    series = {
        ("box", "impulse_reaction"): force,
        ("box", "impulse_slip"): np.full((100, 1), 0.5),
        ("", "impulse_kinetic"): frames[:, None] ** 2,
        ("", "impulse_total"): 0 * frames[:, None] + 7.0,
    }
    results.write(context.scene, series, frames)
    return box


def test_what_is_plotted_is_that_of_the_active_object(results, select, add_empty, context):
    """Of one without results, the energy of the machine."""
    from blender_addon.panels import plot

    select(results)
    charts = plot.charts_of(plot.owner_of(context))
    assert [(chart.title, chart.names) for chart in charts] == [
        ("Ground reaction", ["x", "y", "z"]),
        ("Slip", [""]),
    ]
    np.testing.assert_allclose(charts[0].curves[2][:, 1], np.arange(1, 101))
    select(add_empty("other"))
    (energy,) = plot.charts_of(plot.owner_of(context))
    assert (energy.title, energy.names) == ("Energy", ["Kinetic", "Total"])


def test_lines_fill_their_box():
    """Ends and extremes lie on its border; peaks are kept where keys are many."""
    from blender_addon.panels.plot import line_of

    frames = np.arange(10_000.0)
    values = np.zeros(10_000)
    values[5003], values[7001] = 3.0, -1.0
    points = np.stack([frames, values], axis=1)
    line = line_of(points, (0.0, 9999.0, -1.0, 3.0), (10.0, 20.0, 200.0, 100.0))

    assert len(line) <= 2 * 202
    np.testing.assert_allclose((line[:, 0].min(), line[:, 0].max()), (10, 210), atol=1)
    np.testing.assert_allclose((line[:, 1].min(), line[:, 1].max()), (20, 120))


def test_a_quantity_that_never_changes_has_limits():
    """Nothing is divided by zero, of one frame either."""
    from blender_addon.panels.plot import Chart

    for value in (0.0, 5.0, -1e9):
        chart = Chart("Slip", "m/s", [""], [np.array([[3.0, value]])])
        left, right, low, high = chart.limits()
        assert left < right
        assert low < value < high


def pixels(charts, context):
    """What is drawn, as (height, width, 4) between 0 and 1."""
    import gpu
    from mathutils import Matrix

    from blender_addon.panels.plot import draw_charts

    width, height = 400, 200
    offscreen = gpu.types.GPUOffScreen(width, height)
    with offscreen.bind():
        framebuffer = gpu.state.active_framebuffer_get()
        framebuffer.clear(color=(0, 0, 0, 0), depth=1.0)
        flat = Matrix(((2 / width, 0, 0, -1), (0, 2 / height, 0, -1), (0, 0, 1, 0), (0, 0, 0, 1)))
        with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
            gpu.matrix.load_matrix(Matrix.Identity(4))
            gpu.matrix.load_projection_matrix(flat)
            draw_charts(charts, context.scene)
        buffer = framebuffer.read_color(0, 0, width, height, 4, 0, "FLOAT")
    buffer.dimensions = width * height * 4
    offscreen.free()
    return np.array(buffer).reshape(height, width, 4)


@pytest.fixture
def drawing(context, tmp_path):
    """Blender can draw once something was rendered."""
    scene = context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.render.filepath = str(tmp_path / "first.png")
    scene.camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(scene.camera)
    bpy.ops.render.render(write_still=True)


def test_each_curve_is_seen_and_the_frame(results, select, drawing, context):
    """The line of a ramp goes up from left to right; that of the frame moves with it."""
    from blender_addon.panels import plot

    select(results)
    (reaction, _) = plot.charts_of(plot.owner_of(context))
    context.scene.frame_set(26)
    seen = pixels([reaction], context)
    inside = seen[40:140, 30:330]
    blue = (inside[..., 2] > 0.6) & (inside[..., 0] < 0.6)
    rows, columns = np.nonzero(blue)
    assert np.corrcoef(rows, columns)[0, 1] > 0.99
    yellow = (inside[..., 0] > 0.6) & (inside[..., 1] > 0.4) & (inside[..., 2] < 0.4)
    first = np.nonzero(yellow)[1].mean()
    context.scene.frame_set(76)
    inside = pixels([reaction], context)[40:140, 30:330]
    yellow = (inside[..., 0] > 0.6) & (inside[..., 1] > 0.4) & (inside[..., 2] < 0.4)
    assert np.nonzero(yellow)[1].mean() - first == pytest.approx(50 / 99 * 322, abs=3)


def test_the_handler_draws_only_if_it_is_asked_to(results, context, monkeypatch):
    """Nothing is computed otherwise."""
    from blender_addon.panels import plot

    drawn = []
    monkeypatch.setattr(plot, "draw_charts", lambda *arguments: drawn.append(arguments))
    plot.draw()
    assert drawn == []


def panel_text(name, context):
    from blender_addon import panels

    drawn = type("Drawn", (), {"layout": Layout()})()
    next(c for c in panels.CLASSES if c.__name__ == name).draw(drawn, context)
    return drawn.layout.shown


def test_the_panel_says_the_numbers(results, select, context):
    """In this frame, and the largest of all."""
    select(results)
    context.scene.frame_set(40)
    shown = panel_text("IMPULSE_PT_results", context)
    assert "Ground reaction z 40, 100 N" in shown
    assert "Slip 0.5, 0.5 m/s" in shown
    bpy.data.objects.remove(results)
    assert "Kinetic 1600, 1e+04 J" in panel_text("IMPULSE_PT_results", context)


def test_the_panel_without_results_says_what_to_do(context):
    """Press Simulate."""
    assert any("press Simulate" in text for text in panel_text("IMPULSE_PT_results", context))


def test_the_panel_of_takes(add_body, context):
    """A row for each, with its operators."""
    from blender_addon.playback.keyframes import import_recording

    from .recordings import turning

    add_body("box")
    import_recording(turning(["box"]), context.scene)
    bpy.ops.impulse.keep_take(name="one")
    shown = panel_text("IMPULSE_PT_takes", context)
    operators = ["keep_take", "show_take", "compare_take", "delete_take"]
    assert shown == [f"impulse.{name}" for name in operators]


def test_while_something_goes_on_there_is_a_stop_button(context):
    """In the place of Simulate, with what is done."""
    from blender_addon.running.going import Going
    from blender_addon.simulator.runner import Progress

    from .test_panels import draw

    class Busy:
        is_going = True
        progress = Progress("simulating", 0.4)

        def abandon(self):
            pass

    Going.child = Busy()
    context.scene.impulse.progress_text = Going.child.progress.text
    shown = draw("IMPULSE_PT_main", context)
    Going.child = None

    assert "impulse.stop" in shown
    assert "impulse.run_simulation" not in shown
    assert "simulating 40%" in shown
