"""The add-on as an extension: manifest, zip, and life under the name Blender gives it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[2]

# Installs the zip into a folder of its own, as a user does, and runs operators of it.
SESSION = """
import sys
import bpy
bpy.ops.extensions.package_install_files(
    filepath=sys.argv[1], repo="user_default", enable_on_install=True)
from bl_ext.user_default import impulse
bpy.ops.wm.read_homefile(app_template="", use_empty=True)
bpy.ops.mesh.primitive_cube_add()
bpy.ops.impulse.tag_body()
bpy.ops.impulse.export_scene(filepath=sys.argv[2])
preferences = bpy.context.preferences.addons["bl_ext.user_default.impulse"].preferences
print("command:", repr(preferences.command))
bpy.ops.preferences.addon_disable(module="bl_ext.user_default.impulse")
print("gone:", not hasattr(bpy.types.Object, "impulse"))
"""


@pytest.fixture(scope="module")
def zipped(tmp_path_factory):
    """The extension without wheels: here the libraries are those of the environment."""
    from shipping.extension import pack

    return pack(ROOT / "blender_addon", tmp_path_factory.mktemp("zip") / "impulse.zip")


def test_the_manifest_is_valid(tmp_path):
    """Blender's own checker accepts the manifest."""
    from shipping.extension import packer

    tool, tags = packer()

    done = subprocess.run(
        [sys.executable, tool, "validate", ROOT / "blender_addon", "--valid-tags", tags],
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_wheels_are_named_in_the_manifest(tmp_path):
    """What the packer adds is valid TOML with the platform and every wheel."""
    import tomllib

    from shipping.extension import add_to_manifest

    manifest = tmp_path / "blender_manifest.toml"
    manifest.write_bytes((ROOT / "blender_addon/blender_manifest.toml").read_bytes())

    add_to_manifest(manifest, ["a-1-py3-none-any.whl"], "linux-x64")

    data = tomllib.loads(manifest.read_text())
    assert data["wheels"] == ["./wheels/a-1-py3-none-any.whl"]
    assert data["platforms"] == ["linux-x64"]
    assert data["permissions"]


def test_the_zip_holds_the_add_on_and_its_licence(zipped):
    """No caches, no build script."""
    import zipfile

    names = zipfile.ZipFile(zipped).namelist()

    assert {"__init__.py", "LICENSE", "blender_manifest.toml", "operators/tag.py"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


# What is imported only where somebody asks for it; without it there is a sentence that says so.
OPTIONAL = {"av", "coacd", "dask", "distributed", "imageio", "matplotlib", "optuna", "pandas"}
OPTIONAL |= {"sqlalchemy", "viser", "websockets"}
# In every Blender.
BLENDERS = {"bpy", "bpy_extras", "mathutils", "gpu", "gpu_extras", "blf", "bmesh", "numpy"}
SHIPPED = ("blender_addon", "impulse_core", "schema/impulse_schema", "cli/impulse_cli")


def imported_by(path):
    """Top-level names of the modules a file imports, relative ones left out."""
    import ast

    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("package", SHIPPED)
def test_every_library_that_is_imported_is_in_the_zip(package):
    """A library that any file of ours imports, at its head or in a function, is in the list."""
    from blender_addon.simulator.runner import OURS
    from shipping.extension import LIBRARIES

    known = {*sys.stdlib_module_names, *OURS, *LIBRARIES, *OPTIONAL, *BLENDERS}

    unknown = {
        (path.name, name)
        for path in (ROOT / package).rglob("*.py")
        for name in imported_by(path)
        if name not in known
    }

    assert not unknown


def test_no_library_is_in_the_zip_for_nothing():
    """What the list names is imported somewhere."""
    from shipping.extension import LIBRARIES

    imported = {
        name for p in SHIPPED for path in (ROOT / p).rglob("*.py") for name in imported_by(path)
    }

    assert set(LIBRARIES) <= imported


def test_a_zip_for_another_python_says_which_one_to_take(tmp_path):
    """Where the compiled libraries are missing, one sentence names this Blender's Python."""
    hidden = "import sys; sys.modules['pydantic'] = None; import blender_addon"

    done = subprocess.run(
        [sys.executable, "-c", hidden], cwd=ROOT, check=False, capture_output=True, text=True
    )

    python = "{}.{}".format(*sys.version_info)
    assert f"install the zip whose name ends in python{python}.zip" in done.stderr


def test_installed_it_works_under_its_own_name(zipped, tmp_path):
    """Installed and enabled as bl_ext.user_default.impulse it tags, exports and unregisters."""
    scene = tmp_path / "scene.xml"

    done = subprocess.run(
        [sys.executable, "-c", SESSION, zipped, scene],
        cwd=tmp_path,
        env={**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "user")},
        check=False,
        capture_output=True,
        text=True,
    )

    assert scene.exists(), done.stdout + done.stderr
    assert "command: ''" in done.stdout
    assert "gone: True" in done.stdout
