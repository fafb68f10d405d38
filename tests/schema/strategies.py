"""Hypothesis strategies for scenes, derived from the fields of the models."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from impulse_schema.fields import FieldSpec, element_spec
from impulse_schema.models import Element, Scene

texts = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"),
    min_size=1,
    max_size=12,
)
numbers = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
fractions = st.floats(min_value=0, max_value=1)


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
        return _number(model, field)
    return _lists(field)


def _number(model: type[Element], field: FieldSpec) -> st.SearchStrategy[float]:
    """Positive numbers pass every bound but that of a coefficient of restitution."""
    if field.name == "restitution":
        return fractions
    info = model.model_fields[field.name]
    bounds = f"{info.annotation!r} {info.metadata!r}"
    free = "Gt(" not in bounds and "Ge(" not in bounds
    return numbers if free else positive


def _lists(field: FieldSpec) -> st.SearchStrategy[list[Any]]:
    if field.name == "faces":
        return st.lists(st.lists(st.integers(0, 10**9), min_size=3, max_size=5), max_size=4)
    if field.name == "heights":
        return st.lists(st.lists(numbers, min_size=2, max_size=4), max_size=4)
    if field.name == "vertices":
        return st.lists(st.tuples(numbers, numbers, numbers), max_size=4)
    item = positive if field.name == "size" else numbers
    lengths = [(n, n) for n in field.counts] or [(2, 5)]
    return st.one_of(*(st.lists(item, min_size=low, max_size=high) for low, high in lengths))


scenes: st.SearchStrategy[Scene] = elements(Scene)  # type: ignore[assignment]
