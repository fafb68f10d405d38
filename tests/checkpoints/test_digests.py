"""Digests: of the numbers, and of nothing else."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from impulse_core.checkpoints import digest, model_digest

LOOSE = np.dtype([("mark", "i1"), ("place", "f8", (3,))], align=True)
TIGHT = np.dtype([("mark", "i1"), ("place", "f8", (3,))])


class Inner(NamedTuple):
    records: NDArray[Any]
    count: int


class Model(NamedTuple):
    inner: Inner
    gravity: NDArray[Any]
    size: float
    coupled: int | None
    flow: bool = True
    name: str = "crane"
    parts: tuple[Any, ...] = ()


def model(**changes: Any) -> Model:
    inner = Inner(np.zeros(2, dtype=LOOSE), 3)
    return Model(inner, np.array([0.0, 0.0, -9.81]), 1.0, None)._replace(**changes)


@given(bits=st.binary(min_size=32, max_size=32))
def test_what_lies_between_fields_does_not_count(bits: bytes) -> None:
    """Records with gaps, whatever is in them, have the digest of those without."""
    records = np.frombuffer(bits, dtype=LOOSE)
    packed = np.zeros(1, dtype=TIGHT)
    for name in TIGHT.names or ():
        packed[name] = records[name]

    assert digest({"a": records}) == digest({"a": packed})


def test_neither_do_place_and_order_in_memory() -> None:
    """Views with strides, other byte orders and other orders of names change nothing."""
    table = np.arange(6.0).reshape(2, 3)

    assert digest({"a": table.T.copy()}) == digest({"a": table.T})
    assert digest({"a": table}) == digest({"a": table.astype(">f8")})
    assert digest({"a": table, "b": table.T}) == digest({"b": table.T, "a": table})


def test_everything_else_counts() -> None:
    """Names, types, shapes, names of fields, the sign of zero, and one bit of any number."""
    zeros = np.zeros((2, 3))
    renamed = np.dtype([("mark", "i1"), ("where", "f8", (3,))])
    others: list[dict[str, Any]] = [
        {"a": zeros},
        {"b": zeros},
        {"a": zeros, "b": zeros},
        {"a": zeros.T},
        {"a": zeros.reshape(6)},
        {"a": zeros.astype("i8")},
        {"a": zeros.astype("f4")},
        {"a": -zeros},
        {"a": np.nextafter(zeros, 1.0)},
        {"a": np.zeros((0, 3))},
        {"a": np.zeros((3, 0))},
        {"a": np.zeros(2, dtype=TIGHT)},
        {"a": np.zeros(2, dtype=renamed)},
        {},
    ]

    assert len({digest(arrays) for arrays in others}) == len(others)


@given(array=st.lists(st.floats(width=64), min_size=1, max_size=4), place=st.integers(0, 255))
def test_one_bit(array: list[float], place: int) -> None:
    """Any bit of any number, those of what is no number included."""
    numbers = np.array(array)
    changed = numbers.copy()
    changed.view(np.uint8)[place // 8 % numbers.nbytes] ^= 1 << place % 8

    assert digest({"a": numbers}) != digest({"a": changed})


def test_models() -> None:
    """Each field of a model counts, in tuples within it too, by value and by what it is."""
    records = np.zeros(2, dtype=LOOSE)
    records["place"][1, 2] = 5e-324
    others = [
        model(),
        model(inner=Inner(records, 3)),
        model(inner=Inner(np.zeros(2, dtype=LOOSE), 4)),
        model(gravity=np.zeros(3)),
        model(size=1),
        model(size=np.nextafter(1.0, 2.0)),
        model(coupled=1),
        model(coupled=0),
        model(flow=1),
        model(name="crane2"),
        model(parts=(np.zeros(1),)),
        model(parts=((),)),
        model(parts=(None,)),
    ]

    assert len({model_digest(other) for other in others}) == len(others)
    assert model_digest(model()) == model_digest(model())


def test_what_has_no_digest() -> None:
    """Anything else is an error that says where it is."""
    with pytest.raises(TypeError, match=r"^\.parts\.0 is dict"):
        model_digest(model(parts=({},)))
    with pytest.raises(TypeError, match=r"^\.gravity: object"):
        model_digest(model(gravity=np.array([None])))
