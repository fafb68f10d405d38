"""A Blender without objects for each test, with the add-on registered."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

try:
    import bpy
except ImportError:
    # On the build server these tests must run; elsewhere each module skips itself.
    if os.environ.get("CI") == "true":
        raise
    bpy = None


@pytest.fixture(scope="session")
def registered():
    """The add-on, registered once; reading a new file does not unregister it."""
    import blender_addon

    blender_addon.register()
    yield blender_addon
    blender_addon.unregister()


@pytest.fixture(autouse=True)
def context(registered):
    """The context of an empty file."""
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    bpy.context.scene.render.fps = 25
    return bpy.context


@pytest.fixture(autouse=True)
def runs(monkeypatch, tmp_path_factory):
    """The folder in which the add-on keeps runs, new for each test."""
    from blender_addon.simulator import places

    folder = tmp_path_factory.mktemp("runs")
    monkeypatch.setattr(places, "user_folder", lambda: folder)
    return folder


@pytest.fixture
def select():
    """Selects objects; the last becomes the active one."""

    def select(*objects):
        for other in bpy.context.selected_objects:
            other.select_set(False)
        for obj in objects:
            obj.select_set(True)
        bpy.context.view_layer.objects.active = objects[-1]

    return select


@pytest.fixture
def add_box():
    """Adds a box of given edge lengths whose mesh may lie off its origin."""

    def add_box(name="box", size=(1, 1, 1), location=(0, 0, 0), centre=(0, 0, 0), **attributes):
        signs = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
        vertices = [
            [c + s * e for c, s, e in zip(centre, sign, size, strict=True)] for sign in signs
        ]
        faces = [(0, 1, 3, 2), (2, 3, 7, 6), (6, 7, 5, 4), (4, 5, 1, 0), (2, 6, 4, 0), (7, 3, 1, 5)]
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(vertices, [], faces)
        return _link(name, mesh, location, attributes)

    return add_box


@pytest.fixture
def add_empty():
    """Adds an Empty."""

    def add_empty(name="pivot", location=(0, 0, 0), **attributes):
        return _link(name, None, location, attributes)

    return add_empty


def _link(name, data, location, attributes):
    obj = bpy.data.objects.new(name, data)
    obj.location = location
    for key, value in attributes.items():
        setattr(obj, key, value)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


@pytest.fixture
def add_body(add_box):
    """Adds a box tagged as a body of density 1000."""
    from blender_addon.authoring import tagging

    def add_body(name="box", shape="mesh", motion="dynamic", **options):
        obj = add_box(name, **options)
        tagging.tag_bodies([obj], shape=shape, motion=motion)
        return obj

    return add_body


@pytest.fixture
def exported(context, tmp_path):
    """Exports through the operator and reads the file back with the schema's own reader."""
    from impulse_schema import load_scene

    def exported(name="scene.xml"):
        bpy.ops.impulse.export_scene(filepath=str(tmp_path / name))
        return load_scene(tmp_path / name)

    return exported


@pytest.fixture
def mass_of():
    """Mass properties of the first solid of a body, by an independent library."""
    import numpy as np
    import trimesh

    def mass_of(scene, name):
        body = next(body for body in scene.bodies if body.name == name)
        solid = body.geometry[0]
        mesh = next(mesh for mesh in scene.meshes if mesh.name == solid.mesh)
        triangles = [(face[0], b, c) for face in mesh.faces for b, c in pairwise(face[1:])]
        surface = trimesh.Trimesh(np.array(mesh.vertices), triangles, process=False)
        return surface.volume, surface.center_mass

    return mass_of
