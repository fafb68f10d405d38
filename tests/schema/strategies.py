"""Hypothesis strategies for scenes, derived from the fields of the models."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from impulse_schema.bounds import BOUNDS, bounds_of
from impulse_schema.fields import FieldSpec, element_spec
from impulse_schema.models import Element, Scene

texts = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"),
    min_size=1,
    max_size=12,
)
fractions = st.floats(min_value=0, max_value=1).map(lambda x: x if x >= BOUNDS[""].least else 0.0)


def elements(model: type[Element]) -> st.SearchStrategy[Element]:
    """Elements that the model itself accepts; how they fit together is left to chance."""
    fields = element_spec(model).fields.values()
    required = {f.key: _values(model, f) for f in fields if f.required}
    optional = {f.key: _values(model, f) for f in fields if not f.required}
    return st.fixed_dictionaries(required, optional=optional).map(model.model_validate)


def _values(model: type[Element], field: FieldSpec) -> st.SearchStrategy[Any]:
    if field.kind == "elements":
        assert field.model is not None
        return st.lists(st.deferred(lambda: elements(field.model)), max_size=2)
    if field.kind == "element":
        assert field.model is not None
        return elements(field.model)
    if field.choices:
        return st.sampled_from(field.choices)
    if field.kind == "boolean":
        return st.booleans()
    if field.kind == "text":
        return texts.map(str.strip).filter(bool) if field.name == "description" else texts
    if field.kind == "number":
        return numbers(field)
    return _lists(field)


def numbers(field: FieldSpec) -> st.SearchStrategy[float]:
    """Numbers that the bounds of a field's unit allow, to their ends."""
    if field.name == "restitution":
        return fractions
    least, most = bounds_of(field.unit)
    positive = st.floats(least, most)
    return {
        "any": st.floats(-most, most),
        "positive": positive,
        "non-negative": st.one_of(st.just(0.0), positive),
    }[field.sign]


def _lists(field: FieldSpec) -> st.SearchStrategy[list[Any]]:
    if field.name == "faces":
        return st.lists(st.lists(st.integers(0, 10**9), min_size=3, max_size=5), max_size=4)
    item = numbers(field)
    if field.name == "heights":
        return st.lists(st.lists(item, min_size=2, max_size=4), max_size=4)
    if field.name == "vertices":
        return st.lists(st.tuples(item, item, item), max_size=4)
    lengths = [(n, n) for n in field.counts] or [(2, 5)]
    return st.one_of(*(st.lists(item, min_size=low, max_size=high) for low, high in lengths))


scenes: st.SearchStrategy[Scene] = elements(Scene)  # type: ignore[assignment]
