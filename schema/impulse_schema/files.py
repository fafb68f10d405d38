"""Scene files: loading with every problem at once, saving in one piece."""

from __future__ import annotations

import gc
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from impulse_schema.checks import examine
from impulse_schema.json_reader import read_json
from impulse_schema.json_writer import scene_to_json
from impulse_schema.limits import MAX_BYTES
from impulse_schema.models import NEWEST_VERSION, Scene
from impulse_schema.partial_validation import validate_partially
from impulse_schema.problems import Finding, Problem, SceneError, first_problems
from impulse_schema.source import LineTable, Source
from impulse_schema.translate import translate
from impulse_schema.versions import newer_version
from impulse_schema.xml_reader import UnreadableError, read_xml
from impulse_schema.xml_writer import scene_to_xml

_READERS: dict[str, Callable[[bytes], Any]] = {".xml": read_xml, ".json": read_json}


def load_scene(
    path: str | os.PathLike[str], *, allow_outside: bool = False, keep_parts: bool = False
) -> Scene:
    """Read a scene file, .xml or .json, and check it.

    Args:
        path: The file.
        allow_outside: Whether mesh files may lie outside the scene's folder.
        keep_parts: Whether ``<part>`` and ``<use>`` stay as they were written, as for another file;
            else every use is replaced by its copy (:func:`expand_parts`).

    Returns:
        The scene; it remembers where its elements stand in the file, for :func:`problem_at`.

    Raises:
        SceneError: If anything is wrong; it holds all problems, in the order of the file.
    """
    with _garbage_collection_paused():
        return _load(Path(path), allow_outside, keep_parts)


def _load(path: Path, allow_outside: bool, keep_parts: bool) -> Scene:
    data = _read_bytes(path)
    try:
        content = _READERS[path.suffix.lower()](data)
    except UnreadableError as error:
        raise SceneError([_unreadable(path, data, error)]) from None
    source = Source(path, data, content.layout, allow_outside=allow_outside)
    scene, findings = _build(content.raw, content.findings, source, keep_parts)
    if findings or scene is None:
        raise SceneError(first_problems(findings, source, content.raw))
    return scene


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """A scene is many small objects and no cycles, and looking for those takes half the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _build(
    raw: dict[str, Any], findings: list[Finding], source: Source, keep_parts: bool
) -> tuple[Scene | None, list[Finding]]:
    """The scene that ``raw`` describes, or None, and everything that is wrong with it."""
    if newer := newer_version(raw.get("version"), NEWEST_VERSION):
        message = (
            f"the file is version {newer}, written for a newer Impulse; this one reads up to"
            f" version {NEWEST_VERSION}"
        )
        return None, [Finding(("version",), "E010", message, "Use a newer Impulse")]
    try:
        scene = Scene.model_validate(raw)
        more: list[Finding] = []
    except ValidationError as error:
        more = list(translate(error.errors(include_url=False), raw))
    known = {_without_unit(finding) for finding in findings}
    findings = findings + [f for f in more if _without_unit(f) not in known]
    if not findings:
        scene._source = source
        findings, expanded = examine(scene)
        return scene if keep_parts else expanded, findings
    return None, findings + validate_partially(raw, findings, source)


def _without_unit(finding: Finding) -> tuple[str | int, ...]:
    """The path of a finding, the same for ``lower`` and ``lower_deg``."""
    *parents, last = finding.path or ("",)
    return (*parents, str(last).removesuffix("_deg"))


def _read_bytes(path: Path) -> bytes:
    """The file's content, UTF-8 without a byte order mark."""
    if path.suffix.lower() not in _READERS:
        raise _wrong_suffix(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise _file_error(path, "E001", "this is a folder", "Name a scene file in it")
        if not stat.S_ISREG(status.st_mode):
            raise _file_error(path, "E001", "this is not a regular file")
        if status.st_size > MAX_BYTES:
            raise _file_error(
                path,
                "E003",
                f"the file has {status.st_size / 1e6:.0f} MB, the limit is"
                f" {MAX_BYTES / 1e6:.0f} MB",
                "Keep large meshes in files of their own",
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise _file_error(path, "E001", "there is no such file") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise _file_error(path, "E001", f"the file cannot be read: {reason}") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        place = LineTable(data).place(error.start)
        raise SceneError(
            [
                Problem(
                    "E004",
                    (),
                    "the file is not UTF-8 text",
                    "Save it as UTF-8",
                    str(path),
                    place.line,
                    place.column,
                )
            ]
        ) from None
    return data


def _wrong_suffix(path: Path) -> SceneError:
    kind = f"'{path.suffix}'" if path.suffix else "no suffix"
    return _file_error(path, "E002", f"a scene file ends in .xml or .json, this one has {kind}")


def _file_error(path: Path, code: str, message: str, hint: str = "") -> SceneError:
    return SceneError([Problem(code, (), message, hint, str(path))])


def _unreadable(path: Path, data: bytes, error: UnreadableError) -> Problem:
    place = None if error.offset is None else LineTable(data).place(error.offset)
    line, column = place or (None, None)
    return Problem(error.code, (), error.message, error.hint, str(path), line, column)


# --------------------------------------------------------------------------------------
# Saving
# --------------------------------------------------------------------------------------


def save_scene(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a scene file, .xml or .json; a file that is there is replaced in one step.

    Raises:
        SceneError: If the suffix is unknown, or the file cannot be written, or a mesh file of a
            scene that was loaded elsewhere would not be found from the new folder. What was
            there before is then still there.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise _wrong_suffix(path)
    _check_meshes_stay(scene, path)
    data = scene_to_xml(scene) if suffix == ".xml" else scene_to_json(scene).encode()
    try:
        _replace(path, data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise _file_error(path, "E011", f"the file cannot be written: {reason}") from None


def _check_meshes_stay(scene: Scene, path: Path) -> None:
    """Mesh paths are relative to the scene's folder, so a scene cannot move without them."""
    source = scene._source
    if source is None or source.path.resolve().parent == path.resolve().parent:
        return
    missing = [
        mesh.file for mesh in scene.meshes if mesh.file and not (path.parent / mesh.file).exists()
    ]
    if missing:
        raise _file_error(
            path,
            "E505",
            f"the mesh file '{missing[0]}' would not be found from here",
            f"Write into {source.path.parent}, or copy the mesh files first",
        )


def _replace(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path``, then put it in its place, so that no half file is seen."""
    import tempfile  # takes 10 ms to import, and most runs write no scene

    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(None, "this is a folder")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(None, "it is write-protected")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~umask)
        temporary.replace(target)
    except BaseException:
        temporary.unlink()
        raise
