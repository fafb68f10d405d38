"""Recordings that are damaged or made to do harm: a sentence, or a recording, nothing else."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from impulse_core.recording import Recording, RecordingError, json_file, load_recording, npz_file

from .recordings import parts, turning


def decode_json(data: bytes) -> Recording:
    return Recording(**json_file.decode(data))


def decode_npz(data: bytes) -> Recording:
    return Recording(**npz_file.decode(data))


CONTACTS = {
    "frame": [1, 3],
    "body1": [0, 0],
    "body2": [1, 1],
    "point": np.zeros((2, 3)),
    "normal": np.tile([0.0, 0.0, 1.0], (2, 1)),
    "force": np.ones((2, 3)),
}
SAMPLE = turning(contacts=CONTACTS)


def content_of(recording: Recording, tmp_path: Path, suffix: str) -> bytes:
    """The bytes of its file."""
    path = tmp_path / f"content{suffix}"
    recording.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The sample in both formats."""
    folder = tmp_path_factory.mktemp("sample")
    return {suffix: content_of(SAMPLE, folder, suffix) for suffix in (".json", ".npz")}


def members(data: bytes) -> dict[str, bytes]:
    """The unpacked members of a zip file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(content: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file of these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", how) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return stream.getvalue()


def with_head(array: bytes, head: str) -> bytes:
    """A .npy array with another head."""
    text = head.encode("latin1")
    return array[:8] + len(text).to_bytes(2, "little") + text + array[128:]


def with_header(saved: dict[str, bytes], **changes: Any) -> bytes:
    """The sample as .npz with other values in its JSON header."""
    content = members(saved[".npz"])
    stream = io.BytesIO()
    header = json.loads(str(np.load(io.BytesIO(content["header.npy"]))))
    np.save(stream, np.array(json.dumps(header | changes)))
    return packed(content | {"header.npy": stream.getvalue()})


def with_times(saved: dict[str, bytes], head: str) -> bytes:
    """The sample as .npz with another head of the first array."""
    content = members(saved[".npz"])
    return packed(content | {"times.npy": with_head(content["times.npy"], head)})


SHAPE = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"


@pytest.mark.parametrize(
    "head",
    [
        "{'descr': '''",  # a text that does not end
        "{",
        "(" * 5000,
        "9" * 5000,
        SHAPE % "(5,",
        SHAPE % "(-1,)",
        SHAPE % "(10**30,)",
        SHAPE % f"({10**30},)",
        SHAPE % "(4611686018427387904, 4)",
        SHAPE % f"({'1, ' * 70})",
        SHAPE.replace("<f8", "|O") % "(5,)",
        SHAPE.replace("<f8", "<f4") % "(10,)",
        SHAPE.replace("<f8", "|V0") % "(5,)",
        SHAPE.replace("<f8", "<U0") % "(5,)",
        SHAPE.replace("'<f8'", "[('a', '<f8'), ('a', '<f8')]") % "(5,)",
        SHAPE.replace("'<f8'", "('<f8', (10**9,))") % "(5,)",
        "\0" * 118,
    ],
)
def test_heads_of_arrays(saved: dict[str, bytes], head: str) -> None:
    """A head of an array that says what it should not is damage, whatever NumPy raises on it."""
    with pytest.raises(RecordingError):
        decode_npz(with_times(saved, head))


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 6, 99])
def test_other_ways_of_packing(saved: dict[str, bytes], how: int) -> None:
    """Only what NumPy writes is unpacked."""
    data = bytearray(packed(members(saved[".npz"])))
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = -1
        while (place := data.find(mark, place + 1)) >= 0:
            data[place + offset : place + offset + 2] = how.to_bytes(2, "little")

    with pytest.raises(RecordingError, match="packed in a way"):
        decode_npz(bytes(data))


def test_an_array_that_is_there_twice(saved: dict[str, bytes]) -> None:
    """Two arrays of one name are refused, for readers could differ in which they take."""
    stream = io.BytesIO(saved[".npz"])
    with (
        zipfile.ZipFile(stream, "a") as archive,
        pytest.warns(UserWarning, match="Duplicate name"),
    ):
        archive.writestr("times.npy", members(saved[".npz"])["times.npy"])

    with pytest.raises(RecordingError, match="times: is there twice"):
        decode_npz(stream.getvalue())


@pytest.mark.parametrize("name", ["times.npy", "header.npy", "contact_point.npy"])
def test_a_file_that_fills_the_memory(
    saved: dict[str, bytes], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file that would unpack to a large one is refused by what its directory says."""
    monkeypatch.setattr(npz_file, "_ALWAYS_UNPACKED", 2**20)
    zeros = with_head(members(saved[".npz"])["times.npy"], SHAPE % f"({2**18},)") + b"\0" * 2**21
    data = packed(members(saved[".npz"]) | {name: zeros})

    with pytest.raises(RecordingError, match=r"would unpack from 0\.\d+ to 2 MB"):
        decode_npz(data)


def test_arrays_that_are_no_part_are_not_unpacked(
    saved: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a recording does not have is left in the file, however large it is."""
    monkeypatch.setattr(npz_file, "_ALWAYS_UNPACKED", 2**20)
    content = members(saved[".npz"]) | {"more.npy": b"\0" * 2**21}

    assert np.array_equal(decode_npz(packed(content)).positions, SAMPLE.positions)


def test_bodies_at_rest_can_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is never refused, also where it shrinks as far as a file made to do harm."""
    monkeypatch.setattr(npz_file, "_ALWAYS_UNPACKED", 2**16)
    names = tuple(map(str, range(50)))
    resting = turning(
        frames=100,
        names=names,
        positions=np.zeros((100, 50, 3)),
        orientations=np.tile([1.0, 0.0, 0.0, 0.0], (100, 50, 1)),
    )
    resting.save(tmp_path / "rest.npz")

    assert parts(load_recording(tmp_path / "rest.npz")) == parts(resting)


STRANGE: list[Any] = [None, True, -1, 1.5, "", "x", [], {}, [[]], [{}], [["pin"]], [["pin", []]]]


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize(
    "key",
    [
        *("bodies", "energy", "momentum", "joint_names", "joints", "joint_vectors", "events"),
        *("fps", "step", "scene", "complete", "version", "diagnostics"),
    ],
)
def test_headers_of_another_kind(saved: dict[str, bytes], key: str, value: Any) -> None:
    """Names that are no text, lists that are none, numbers that are text: named, or harmless."""
    try:
        decode_npz(with_header(saved, **{key: value}))
    except RecordingError as error:
        assert error.message  # noqa: PT017  # either is right


@pytest.mark.parametrize("key", ["fps", "step", "version"])
@pytest.mark.parametrize("digits", [400, 4299, 5000])
def test_numbers_of_many_digits(saved: dict[str, bytes], key: str, digits: int) -> None:
    """A number with more digits than any has is refused, in both formats."""
    content = json.loads(saved[".json"])
    content[key] = "NUMBER"
    text = json.dumps(content).replace('"NUMBER"', "9" * digits)

    with pytest.raises(RecordingError):
        decode_json(text.encode())


def test_many_keys_that_are_there_twice(saved: dict[str, bytes]) -> None:
    """Two hundred thousand keys, of which one is there twice, take no time to speak of."""
    keys = ", ".join(f'"{k}": 0' for k in range(200_000))
    with pytest.raises(RecordingError, match="199999: is there twice"):
        decode_json(f'{{{keys}, "199999": 0}}'.encode())


@pytest.mark.parametrize("length", [1e154, 1e200, 1e308])
def test_quaternions_beyond_all_bounds(tmp_path: Path, length: float) -> None:
    """They do not have length one, which is said without a warning of NumPy."""
    with pytest.raises(RecordingError, match="does not have length one"):
        turning(orientations=np.full((5, 2, 4), length))


def anything() -> st.SearchStrategy[Any]:
    """A value of JSON."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([10**400, -(10**25)]),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from([1e308, -1e308, 5e-324]),
        st.text(max_size=5),
        st.just("\ud800"),
    )
    return st.recursive(
        leaves, lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner))
    )


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a value of JSON."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return [path, *(place for key, item in items for place in places(item, (*path, key)))]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_json_with_anything_anywhere(saved: dict[str, bytes], data: st.DataObject) -> None:
    """Any value, at any place of a JSON animation, is named or harmless."""
    content = json.loads(saved[".json"])
    *way, last = data.draw(st.sampled_from(places(content)[1:]))
    place = content
    for key in way:
        place = place[key]
    place[last] = data.draw(anything())
    try:
        loaded = decode_json(json.dumps(content).encode())
    except RecordingError as error:
        assert error.message  # noqa: PT017
    else:
        assert loaded.frame_count == len(loaded.positions)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    suffix=st.sampled_from([".json", ".npz"]),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=3))),
    end=st.one_of(st.none(), st.floats(0, 1)),
)
def test_bytes_that_were_changed(
    saved: dict[str, bytes],
    suffix: str,
    changes: list[tuple[float, bytes]],
    end: float | None,
) -> None:
    """Bytes that were changed, lost or added, and files that were cut off."""
    content = bytearray(saved[suffix])
    for where, what in changes:
        place = int(where * len(content))
        content[place : place + 1] = what
    if end is not None:
        del content[int(end * len(content)) :]
    try:
        (decode_json if suffix == ".json" else decode_npz)(bytes(content))
    except RecordingError as error:
        assert error.message  # noqa: PT017


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["header", "times", "positions", "energy", "contact_frame", "more"]),
    array=st.sampled_from(["<f8", "<i8", "<u8", ">f8", "<c16", "|b1", "<U3", "|S4", "<M8[s]"]),
    shape=st.lists(st.integers(0, 6), max_size=4),
    fill=st.sampled_from([0, 1, 255, 127, 128]),
)
def test_other_arrays(
    saved: dict[str, bytes], name: str, array: str, shape: list[int], fill: int
) -> None:
    """Arrays of any kind and shape, full of any bytes."""
    dtype = np.dtype(array)
    bits = bytes([fill]) * (dtype.itemsize * int(np.prod(shape)))
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.frombuffer(bits, dtype).reshape(shape))
    data = packed(members(saved[".npz"]) | {f"{name}.npy": stream.getvalue()})
    try:
        decode_npz(data)
    except RecordingError as error:
        assert error.message  # noqa: PT017
