"""Meshes: inline or in a file that lies in the scene's folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from impulse_schema.models import Mesh, Scene
from impulse_schema.problems import Finding, SceneError, locate
from impulse_schema.source import ScenePath, Source
from impulse_schema.suggest import either

SUFFIXES = (".obj", ".stl", ".ply")


def source_path(scene: Scene) -> Path | None:
    """The file that ``scene`` was loaded from; None for one built in Python."""
    return scene._source.path if scene._source else None


def resolve_mesh_path(scene: Scene, mesh: Mesh, *, folder: Path | None = None) -> Path:
    """The file of ``mesh``, which exists.

    Args:
        scene: The scene that holds ``mesh``.
        mesh: A mesh with a ``file``.
        folder: What the path is relative to; default the folder of the scene's file, or the
            current one for a scene built in Python.

    Raises:
        SceneError: If it does not exist or lies outside the folder (unless the scene was loaded
            with ``allow_outside``); links and ``..`` are followed before that is decided.
    """
    folder = folder or _folder(scene._source) or Path()
    index = next(i for i, item in enumerate(scene.meshes) if item is mesh)
    findings = list(_check_file(mesh, ("meshes", index), folder, scene._source))
    if findings:
        raise SceneError(locate(finding, scene._source, scene) for finding in findings)
    assert mesh.file is not None
    return (folder / mesh.file).resolve()


def check_mesh(mesh: Mesh, path: ScenePath, scene: Scene, folder: Path | None) -> Iterator[Finding]:
    """Findings on ``mesh``; its file is looked for if ``folder`` or the scene's own is known."""
    inline = mesh.vertices is not None or mesh.faces is not None
    if mesh.file is not None and inline:
        message = "file is given, and vertices or faces as well"
        yield Finding((*path, "file"), "E504", message, "Keep one of them")
    elif mesh.file is not None:
        known_folder = folder or _folder(scene._source)
        if known_folder is not None:
            yield from _check_file(mesh, path, known_folder, scene._source)
    elif mesh.vertices is None or mesh.faces is None:
        message = f"the mesh '{mesh.name}' has neither a file nor vertices and faces"
        if inline:
            message = f"the mesh '{mesh.name}' has only one of vertices and faces"
        yield Finding(path, "E504", message, "Give a file, or vertices and faces")
    else:
        yield from _check_faces(mesh.faces, len(mesh.vertices), path)


def _check_faces(faces: list[list[int]], vertices: int, path: ScenePath) -> Iterator[Finding]:
    if not faces:
        yield Finding((*path, "faces"), "E508", "the mesh has no faces")
    for i, face in enumerate(faces):
        if max(face) >= vertices:
            message = f"row {i + 1} of faces names vertex {max(face)}, and there are {vertices}"
            hint = f"Vertices are counted from 0, so the last one is {vertices - 1}"
            yield Finding((*path, "faces"), "E508", message, hint if vertices else "")


def _check_file(
    mesh: Mesh, path: ScenePath, folder: Path, source: Source | None
) -> Iterator[Finding]:
    place = (*path, "file")
    assert mesh.file is not None
    if Path(mesh.file).suffix.lower() not in SUFFIXES:
        message = f"the mesh file '{mesh.file}' does not end in {either(SUFFIXES)}"
        yield Finding(place, "E507", message)
        return
    if not (source and source.allow_outside) and not _is_inside(folder / mesh.file, folder):
        message = f"the mesh file '{mesh.file}' lies outside the scene's folder"
        hint = "Move it beside the scene, or use --allow-outside"
        yield Finding(place, "E506", message, hint)
        return
    if not _exists(folder / mesh.file):
        message = f"there is no mesh file '{mesh.file}'"
        yield Finding(place, "E505", message, "Its path is relative to the scene's folder")


def _is_inside(file: Path, folder: Path) -> bool:
    """Whether ``file`` lies in ``folder`` after all links are followed; yes if they never end."""
    try:
        return file.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links in a circle; such a file does not exist
        return True


def _exists(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:  # a name longer than the system allows
        return False


def _folder(source: Source | None) -> Path | None:
    return source.path.parent if source else None
