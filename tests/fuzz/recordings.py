"""Animation files: right ones, wrong ones, and archives that are none."""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

import numpy as np

from impulse_core.recording import chunked_file, json_file, npz_file
from impulse_core.recording.chunks import END, FRAMES, HEADER, MARK, ChunkReader, ChunkWriter
from tests.fuzz import odd
from tests.fuzz.damage import damaged
from tests.recording.recordings import turning

_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_TYPES = (
    "<f8", ">f8", "<f4", "<f2", "<i8", "<u8", "|b1", "<c16", "<M8[s]", "<m8", "|S8", "<U3", "|V8",
    "|O", "<f16", "[('a', '<f8')]", "<U100000", "", "f", "(", "x" * 9000, "<U-1", "é",
)  # fmt: skip


def recording_file(rng: Random) -> tuple[str, bytes]:
    """Suffix and content of a file; a few are as they should be."""
    name = rng.choice(list(_originals()))
    chance = rng.random()
    if chance < 0.4:
        return ".json", _json(rng, name)
    if chance < 0.5:
        return ".imprec", _chunks(rng, name)
    return ".npz", _npz(rng, name)


@cache
def _originals() -> dict[str, tuple[bytes, bytes, bytes]]:
    """Of each recording its JSON, its archive and its chunks."""
    contacts = {
        "frame": np.array([0, 1]),
        "body1": np.array([0, 1]),
        "body2": np.array([1, 0]),
        **{name: np.ones((2, 3)) for name in ("point", "normal", "force")},
    }
    recordings = {
        "turning": turning(4),
        "touching": turning(2, contacts=contacts),
        "empty": turning(0, (), joints={}),
        "single": turning(1, ("a",), joints={"j": {"angle": np.zeros(1)}}),
    }
    return {
        name: tuple(kind.encode(recording) for kind in (json_file, npz_file, chunked_file))
        for name, recording in recordings.items()
    }


# --------------------------------------------------------------------------------------
# JSON
# --------------------------------------------------------------------------------------


def _json(rng: Random, name: str) -> bytes:
    data = _originals()[name][0]
    chance = rng.random()
    if chance < 0.6:
        content = _changed(rng, json.loads(data))
        data = json.dumps(content, ensure_ascii=rng.random() < 0.8).encode("utf-8", "surrogatepass")
    if chance > 0.55:
        data = damaged(rng, data)
    return data


def _changed(rng: Random, content: Any) -> Any:
    """A few parts exchanged for anything, left out, repeated or renamed."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        holder, key = _somewhere(rng, content)
        if holder is None:
            continue
        change = rng.random()
        if change < 0.5:
            holder[key] = odd.anything(rng)
        elif change < 0.65:
            del holder[key]
        elif change < 0.75 and isinstance(holder, list):
            holder.insert(key, holder[key])
        elif change < 0.85 and isinstance(holder, dict):
            holder[odd.text(rng)] = holder.pop(key)
        elif isinstance(holder[key], list) and holder[key]:
            holder[key] = holder[key][: rng.randrange(len(holder[key]))]
        else:
            holder[key] = [holder[key]] * rng.choice((0, 1, 2, 1000))
    return content


def _somewhere(rng: Random, content: Any) -> tuple[Any, Any]:
    """A list or dict anywhere in ``content``, and an index or key of it."""
    holder, key = None, None
    while isinstance(content, (dict, list)) and content:
        holder = content
        key = (
            rng.choice(list(content)) if isinstance(content, dict) else rng.randrange(len(content))
        )
        content = holder[key]
        if rng.random() < 0.35:
            break
    return holder, key


# --------------------------------------------------------------------------------------
# Chunks
# --------------------------------------------------------------------------------------


def _chunks(rng: Random, name: str) -> bytes:
    """A file that is damaged, or whose checksums fit what they should not hold."""
    data = _originals()[name][2]
    if rng.random() < 0.4:
        return damaged(rng, data)
    writer, chunks = ChunkWriter(), [MARK]
    for kind, content in ChunkReader(data):
        chunks += [
            writer.chunk(_kind(rng, kind), _content(rng, kind, bytes(content)))
            for _ in range(rng.choice((1, 1, 1, 1, 0, 2)))
        ]
    return b"".join(chunks)


def _kind(rng: Random, kind: bytes) -> bytes:
    return kind if rng.random() < 0.9 else rng.choice((HEADER, FRAMES, END, b"", b"\xff" * 8))


def _content(rng: Random, kind: bytes, content: bytes) -> bytes:
    if rng.random() < 0.4:
        return content
    if kind == FRAMES or rng.random() < 0.3:
        return damaged(rng, content)
    return json.dumps(_changed(rng, json.loads(content))).encode("utf-8", "surrogatepass")


# --------------------------------------------------------------------------------------
# Archives
# --------------------------------------------------------------------------------------


def _npz(rng: Random, name: str) -> bytes:
    data = _originals()[name][1]
    chance = rng.random()
    if chance < 0.7:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {entry: archive.read(entry) for entry in archive.namelist()}
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            _change_member(rng, members)
        data = _archive(rng, members)
    if chance > 0.6:
        data = damaged(rng, data)
    return _swollen() if 0.5 < chance < 0.503 else data


@cache
def _swollen() -> bytes:
    """An archive that unpacks to a thousand times its size."""
    content = _npy(np.zeros((4 * 10**6, 3, 3)))  # 288 MB
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("header.npy", content)
    return stream.getvalue()


def _change_member(rng: Random, members: dict[str, bytes]) -> None:
    if not members:
        return
    name = rng.choice(list(members))
    change = rng.random()
    if change < 0.1:
        del members[name]
    elif change < 0.2:
        members[rng.choice((odd.text(rng), f"contact_{odd.text(rng)}.npy", "a.npy"))] = members[
            name
        ]
    elif change < 0.3:
        members[name] = members[rng.choice(list(members))]
    elif change < 0.45:
        members[name] = damaged(rng, members[name])
    elif change < 0.65 and "header.npy" in members:
        with suppress(Exception):  # whatever NumPy raises of a header that a change has spoiled
            text = json.dumps(_changed(rng, _header(members["header.npy"])))
            members["header.npy"] = _npy(np.array(text))
    elif change < 0.8:
        members[name] = _forged(rng, members[name])
    else:
        members[name] = _npy(_array(rng))


def _header(member: bytes) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of heads that look as if Python 2 had written them
            return json.loads(str(np.load(io.BytesIO(member))))
    except (ValueError, EOFError, OSError, SyntaxError):
        return {}


def _npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _array(rng: Random) -> Any:
    shape = rng.choice(((), (0,), (1,), (4,), (4, 2), (4, 2, 3), (4, 2, 4), (2, 3), (0, 0, 3)))
    fill = rng.choice((0.0, 1.0, np.nan, np.inf, -1e308, 1e200, 5e-324))
    kind = rng.choice(
        ("f8", "f4", ">f8", "i8", "u8", "i1", "?", "c16", "S4", "U4", "M8[s]", "m8[s]")
    )
    with np.errstate(all="ignore"):
        if kind[0] in "SUMm":
            return np.zeros(shape, kind)
        return np.full(shape, 1 if kind[0] in "iu" else fill).astype(kind)


def _forged(rng: Random, member: bytes) -> bytes:
    """An array whose own head says something else."""
    shape = rng.choice(
        ("()", "(4,)", "(4, 2, 3)", "(-1,)", "(10**9,)", f"({10**12},)", f"({2**63},)", "(0,) * 99",
         f"({2**32}, {2**32})", "(4.0,)", "(True,)", "4", "'4'", "(", "None", "(1,) * 1",
         f"({'1,' * 70})")
    )  # fmt: skip
    kind = rng.choice((*_TYPES[:5], *_TYPES))
    head = f"{{'descr': {kind!r}, 'fortran_order': {rng.choice(('False', 'True', '0', 'x'))}, "
    head += f"'shape': {shape}, }}"
    if rng.random() < 0.1:
        head = rng.choice(
            ("{}", "", "{", "(" * 300, "1", "[]", "{1: 2}", "\x00", "'" * 3, "-" * 5000)
        )
    version = rng.choice((b"\x01\x00", b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x00"))
    text = head.encode("latin-1", "replace") + b"\n"
    if version == b"\x01\x00":
        length = struct.pack("<H", min(len(text), 65535))
    else:
        length = struct.pack("<I", rng.choice((len(text), len(text), 2**31)))
    return b"\x93NUMPY" + version + length + text + member[128:]


def _archive(rng: Random, members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", rng.choice(_COMPRESSIONS)) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(_member_name(name))
            info.compress_type = archive.compression
            archive.writestr(info, content)
    return stream.getvalue()


def _member_name(name: str) -> str:
    """What zipfile can write."""
    name = name.encode("utf-8", "replace").decode()[:60_000]
    return name or "?"
