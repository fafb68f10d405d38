"""The file of a state: to the last bit, or an error that has a name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.typing import NDArray

from impulse_core.checkpoints import (
    DamagedStateError,
    NewerStateError,
    NotAStateError,
    OtherFieldsError,
    OtherModelError,
    OtherOptionsError,
    StateFileError,
    digest,
    read_state,
    state_file,
    write_state,
)

DIGESTS = {"model_digest": "ab" * 32, "options_digest": "cd" * 32}
LOOSE = np.dtype([("mark", "i1"), ("place", "f8", (3,)), ("on", "?")], align=True)
NESTED = np.dtype([("law", LOOSE, (2,)), ("count", "u4")], align=True)


def arrays() -> dict[str, NDArray[Any]]:
    """Every kind of array: records with gaps, records in records, empty ones, a single number."""
    bodies = np.zeros(4, dtype=LOOSE)
    bodies.view(np.uint8)[:] = 0xEE  # also between the fields
    bodies["on"] = [True, False, True, False]
    bodies["place"] = np.sqrt(np.arange(12.0)).reshape(4, 3)
    bodies["place"][0] = [-0.0, np.inf, np.nan]
    laws = np.zeros((2, 3), dtype=NESTED)
    laws["law"]["place"][1, 2, 1] = [1.0, 2.0, 3.0]
    return {
        "bodies": bodies,
        "laws": laws,
        "none": np.zeros((0, 3)),
        "no records": np.zeros(0, dtype=LOOSE),
        "time": np.array(0.1),
        "turns": np.array([-1, 2**62]),
        "across": np.arange(6.0).reshape(2, 3).T,
        "swapped": np.arange(3.0).astype(">f8"),
    }


KINDS = {name: array.dtype for name, array in arrays().items()}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("state") / "run.state"
    write_state(path, arrays(), **DIGESTS)
    return path


def same_numbers(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether types, shapes and all bits of numbers are the same."""
    return a.shape == b.shape and digest({"": a}) == digest({"": b})


@pytest.mark.parametrize("expected", [None, KINDS])
def test_round_trip(written: Path, expected: Any) -> None:
    """Every bit of every field comes back, in arrays that may be written to."""
    found = read_state(written, **DIGESTS, expected=expected)

    assert list(found) == list(arrays())
    for name, array in arrays().items():
        assert same_numbers(found[name], array), name
        assert found[name].flags.writeable
        assert found[name].dtype == (array.dtype if expected else array.dtype.newbyteorder("="))


@st.composite
def any_arrays(draw: st.DrawFn) -> NDArray[Any]:
    """An array of numbers or of records of numbers, with any bits."""
    numbers = st.sampled_from(["?", "i1", "u2", "<i4", ">i4", "i8", "f4", "f8", "c16"])
    shapes = st_numpy.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)

    @st.composite
    def records(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> np.dtype[Any]:
        kinds = draw(st.lists(st.tuples(inner, shapes), min_size=1, max_size=3))
        fields = [(f"f{k}", kind, shape) for k, (kind, shape) in enumerate(kinds)]
        return np.dtype(fields, align=draw(st.booleans()))

    kind = draw(st.recursive(numbers.map(np.dtype), records, max_leaves=4))
    assume(kind.itemsize > 0)
    shape = draw(shapes)
    array = np.zeros(shape, dtype=kind)
    if not array.size:
        return array
    bits = draw(st.binary(min_size=array.nbytes, max_size=array.nbytes))
    return np.frombuffer(bits, dtype=kind).reshape(shape)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(found=st.dictionaries(st.text(max_size=5), any_arrays(), max_size=3))
def test_any_arrays(tmp_path_factory: pytest.TempPathFactory, found: dict[str, Any]) -> None:
    """Whatever the records and their bits: what is read is what was written."""
    path = tmp_path_factory.mktemp("any") / "s"
    write_state(path, found, **DIGESTS)

    again = read_state(path, **DIGESTS)

    assert digest(again) == digest(found)
    for name, array in found.items():
        assert same_numbers(again[name], array)
    read_state(path, **DIGESTS, expected={name: array.dtype for name, array in found.items()})


def test_same_state_same_bytes(tmp_path: Path, written: Path) -> None:
    """What lies between fields does not reach the file."""
    other = arrays()
    other["bodies"] = np.zeros(4, dtype=LOOSE)
    for name in LOOSE.names or ():
        other["bodies"][name] = arrays()["bodies"][name]

    write_state(tmp_path / "s", other, **DIGESTS)

    assert (tmp_path / "s").read_bytes() == written.read_bytes()


def test_truncated_anywhere(written: Path, tmp_path: Path) -> None:
    """Cut off at any byte, it is said to be damaged; an empty file is none."""
    data, path = written.read_bytes(), tmp_path / "cut"
    for length in range(1, len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(DamagedStateError, match="is damaged or truncated"):
            read_state(path, **DIGESTS)
    path.write_bytes(b"")
    with pytest.raises(NotAStateError):
        read_state(path, **DIGESTS)
    path.write_bytes(data + b"\0")
    with pytest.raises(DamagedStateError):
        read_state(path, **DIGESTS)


def test_any_bit_flipped(written: Path, tmp_path: Path) -> None:
    """One bit anywhere, also in the version: damaged. In the mark: not a state."""
    data, path = written.read_bytes(), tmp_path / "flipped"
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1 << (place * 5 % 8)
        path.write_bytes(damaged)
        with pytest.raises(NotAStateError if place < 8 else DamagedStateError):
            read_state(path, **DIGESTS)


def test_a_newer_version(written: Path, tmp_path: Path) -> None:
    """A later layout is named as such, whatever follows its number."""
    path = tmp_path / "newer"
    path.write_bytes(state_file._beginning(2) + b"anything")

    with pytest.raises(NewerStateError, match=r"for a newer Impulse \(version 2"):
        read_state(path, **DIGESTS)


def test_another_scene_or_other_options(written: Path) -> None:
    """The state of something else is refused by what differs."""
    with pytest.raises(OtherModelError, match="of another scene"):
        read_state(written, **DIGESTS | {"model_digest": "ef" * 32})
    with pytest.raises(OtherOptionsError, match="with other options"):
        read_state(written, **DIGESTS | {"options_digest": "ef" * 32})


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("bodies", [("mark", "i1"), ("place", "f8", (3,))], "field 'on' that is not known"),
        ("bodies", [*LOOSE.descr[:1], ("spin", "f8")], "has no field 'spin'"),
        ("bodies", [("mark", "i1"), ("place", "f8", (4,)), ("on", "?")], "f8 3 instead of f8 4"),
        ("bodies", [("mark", "i2"), ("place", "f8", (3,)), ("on", "?")], "i1 instead of i2"),
        ("bodies", [("mark", "i1"), ("on", "?"), ("place", "f8", (3,))], "another order or place"),
        ("bodies", "f8", "has no content"),
        ("time", "i8", "has a content of f8 instead of i8"),
        ("laws", [("law", [("mark", "i1")], (2,)), ("count", "u4")], "'law.place' that is not"),
        ("more", "f8", "holds no 'more'"),
    ],
)
def test_other_fields(written: Path, name: str, kind: Any, message: str) -> None:
    """A state whose records have other fields is refused by the name of the first."""
    with pytest.raises(OtherFieldsError, match=message):
        read_state(written, **DIGESTS, expected=KINDS | {name: np.dtype(kind)})


def test_an_array_that_is_not_known(written: Path) -> None:
    """An array beyond those that are expected is refused too."""
    fewer = {name: kind for name, kind in KINDS.items() if name != "turns"}
    with pytest.raises(OtherFieldsError, match="holds 'turns', which"):
        read_state(written, **DIGESTS, expected=fewer)


def test_other_files(tmp_path: Path) -> None:
    """A missing file, a folder and a file of another kind are told apart."""
    with pytest.raises(StateFileError, match="cannot be read: no such file"):
        read_state(tmp_path / "none", **DIGESTS)
    with pytest.raises(StateFileError, match="it is a folder"):
        read_state(tmp_path, **DIGESTS)
    np.savez(tmp_path / "a.npz", a=np.zeros(3))
    with pytest.raises(NotAStateError, match="is not a state"):
        read_state(tmp_path / "a.npz", **DIGESTS)


def test_nothing_is_pickled(tmp_path: Path) -> None:
    """Arrays of objects, texts, times or numbers of no fixed size are refused before writing."""
    for kind in ("O", "U3", "S2", "M8[s]", "V3", [("a", "f8"), ("b", "O")]):
        with pytest.raises(TypeError, match=r"^x: .* not a number"):
            write_state(tmp_path / "s", {"x": np.zeros(1, dtype=kind)}, **DIGESTS)
    assert not list(tmp_path.iterdir())


def test_the_old_file_stays(written: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Where the new one cannot be written, the old one is as it was and nothing is beside it."""
    path = tmp_path / "s"
    write_state(path, arrays(), **DIGESTS)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StateFileError, match="no space left"):
        write_state(path, {}, **DIGESTS)

    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
