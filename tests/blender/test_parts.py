"""Scenes with parts in Blender: objects and keyframes are those of the copies."""

from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from impulse_schema import load_scene  # noqa: E402  nothing below is needed where bpy is missing

from .recordings import turning  # noqa: E402
from .test_playback import assert_follows, play  # noqa: E402

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
WEDGES = """<scene version="1.2">
  <mesh name="wedge"><vertices>0 0 0
1 0 0
0 2 0
0 0 3</vertices><faces>0 2 1
0 1 3
1 2 3
0 3 2</faces></mesh>
  <part name="side">
    <body name="fin" density="1" position="0 1 0"><geometry shape="mesh" mesh="wedge"/></body>
  </part>
  <use part="side" name="right"/>
  <use part="side" name="left" mirror="y"/>
</scene>"""


def test_copies_are_drawn(tmp_path, monkeypatch):
    """What draws a scene gets an object for each copy; of a mirrored mesh it is the mirror image,
    with its faces outside.
    """
    monkeypatch.syspath_prepend(str(SAMPLES / "rendering"))
    import solids_blender
    from stage import paint

    (tmp_path / "wedges.xml").write_text(WEDGES)
    made = solids_blender.bodies(load_scene(tmp_path / "wedges.xml"), lambda *_: "red", paint)

    bpy.context.view_layer.update()
    corners = {
        name: np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])
        for name, obj in made.items()
    }
    assert list(made) == ["right.fin", "left.fin"]
    image = corners["right.fin"] * [1, -1, 1]
    order = [np.lexsort(np.round(rows, 6).T) for rows in (corners["left.fin"], image)]
    np.testing.assert_allclose(corners["left.fin"][order[0]], image[order[1]], atol=1e-6)
    for obj in made.values():
        middle = np.mean([vertex.co for vertex in obj.data.vertices], axis=0)
        outward = [np.dot(f.normal, np.array(f.center) - middle) for f in obj.data.polygons]
        assert min(outward) > 0.0


def test_an_animation_of_copies_is_imported(add_body, context):
    """A recording of a scene with parts plays on objects that are called like the copies."""
    names = [body.name for body in load_scene(SAMPLES / "machines" / "trotter.xml").bodies]
    motion = turning(names)
    objects = {name: add_body(name) for name in names}

    play(motion, context)

    assert "front-left.limb.shank" in names
    for number, name in enumerate(names):
        assert_follows(context.scene, objects[name], motion, number)
