"""Bodies of scenes as Blender objects, as the gallery and the demo use them."""

import sys
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from impulse_schema import Body, Geometry, Mesh, Scene, load_scene  # noqa: E402

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"


@pytest.fixture
def rendering(monkeypatch):
    """The modules that build what is rendered."""
    for folder in ("walking", "rendering"):
        monkeypatch.syspath_prepend(str(SAMPLES / folder))
    before = set(sys.modules)
    import gallery

    yield gallery
    for name in set(sys.modules) - before:
        if str(SAMPLES) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("solid", "dimensions"),
    [
        (Geometry(shape="box", size=(1.0, 2.0, 3.0)), (1.0, 2.0, 3.0)),
        (Geometry(shape="ellipsoid", size=(0.4, 0.5, 0.6)), (0.4, 0.5, 0.6)),
        (Geometry(shape="sphere", radius=0.2), (0.4, 0.4, 0.4)),
        (Geometry(shape="cylinder", radius=0.3, height=2.0), (0.6, 0.6, 2.0)),
        (Geometry(shape="cone", radius=0.3, height=2.0), (0.6, 0.6, 2.0)),
        (Geometry(shape="capsule", radius=0.3, height=2.0), (0.6, 0.6, 2.6)),
        (Geometry(shape="torus", major_radius=0.5, minor_radius=0.1), (1.2, 1.2, 0.2)),
        (Geometry(shape="convex_hull", mesh="corner"), (1.0, 2.0, 3.0)),
    ],
    ids=lambda value: getattr(value, "shape", ""),
)
def test_solids_have_their_size(rendering, solid, dimensions):
    """Every kind of solid is drawn as large as the scene says, where its body is."""
    corner = Mesh(
        name="corner",
        vertices=[(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)],
        faces=[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    )
    body = Body(name="one", position=(1.0, 2.0, 3.0), mass=1.0, geometry=[solid])
    scene = Scene(version=1, meshes=[corner], bodies=[body])

    made = rendering.solids_blender.bodies(scene, lambda *_: "red", rendering.stage.paint)["one"]

    assert tuple(made.dimensions) == pytest.approx(dimensions, rel=1e-5)
    assert tuple(made.location) == (1.0, 2.0, 3.0)
    assert made.data.materials[0].name == "red"


def test_every_pictured_scene_can_be_built(rendering):
    """Each scene of the gallery has an object for every body, in a colour that exists."""
    for name, picture in rendering.PICTURES_OF.items():
        if name.startswith(("cubes-1000", "rubble-")):
            continue
        (path,) = SAMPLES.glob(f"*/{name}.xml")
        scene = load_scene(path)

        def colour(body, solid, name=name, picture=picture):
            return rendering._colour(name, picture, body, solid, 0)

        made = rendering.solids_blender.bodies(scene, colour, rendering.stage.paint)
        assert list(made) == [body.name for body in scene.bodies]
