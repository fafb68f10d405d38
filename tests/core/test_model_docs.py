"""Model, State, Structure and Workspace: the documented fields and shapes are the real ones."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from impulse_core.model import TAYLOR_ORDER, model, new_tally, state, structure, tally, workspace
from impulse_schema.models import Body, Load, SpringDamper
from tests.core.gears import coupling
from tests.core.probes import Probe
from tests.core.scenes import chain, four_bar

SHAPE = re.compile(r"shape \(([^()]*)\)")
ENDS = {"anchor": (0.0, 0.0, 3.0), "anchor2": (0.0, 0.0, 1.0)}
FILES = (model, state, structure, tally, workspace)
NAMES = ("Structure", "Model", "Couplings", "State", "Workspace", "Tally")


def documented_classes():
    """Fields and docstrings of the classes of impulse_core.model, in the order they are written."""
    found = {}
    for file in FILES:
        for node in ast.parse(Path(file.__file__).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = {}
                last = None
                for line in node.body:
                    if isinstance(line, ast.AnnAssign):
                        last = line.target.id
                        found[node.name][last] = ""
                    elif isinstance(line, ast.Expr) and last is not None:
                        found[node.name][last] = line.value.value
    return found


CLASSES = documented_classes()
DECLARED = {name: getattr(file, name) for file in FILES for name in CLASSES if hasattr(file, name)}
RECORDS = [name for name in CLASSES if hasattr(DECLARED[name], "dtype")]


@pytest.fixture(scope="module")
def probe():
    scene = four_bar()
    scene.bodies += chain(2, ["ball", "fixed"]).bodies
    scene.joints += chain(2, ["ball", "fixed"]).joints
    scene.bodies += [Body(name=name, motion="kinematic") for name in ("lift", "platform")]
    scene.loads = [Load(body="left", force=(1.0, 0.0, 0.0)) for _ in range(4)]
    scene.joints.append(coupling("gear", **{f"pin-{k}": 1.0 for k in range(3)}))
    for k in range(7):
        scene.springs.append(SpringDamper(body2="left", stiffness=1.0 + k, **ENDS))
    return Probe(scene)


def instances(probe):
    return {
        "Structure": probe.structure,
        "Model": probe.model,
        "Couplings": probe.model.couplings,
        "State": probe.state,
        "Workspace": probe.work,
        "Tally": new_tally(len(probe.model.joints)),
    }


def sizes(probe):
    """What the letters of the documented shapes stand for."""
    return {
        "n": probe.model.dynamic,
        "k": len(probe.state.kinematic),
        "b": len(probe.model.bodies),
        "m": len(probe.model.joints),
        "l": len(probe.model.loads),
        "a": len(probe.model.axes),
        "K": len(probe.structure.column_start) - 1,
        "E": len(probe.structure.entry_row),
        "q": len(probe.model.couplings.joint),
        "t": len(probe.model.couplings.terms),
        "r": len(probe.model.counted),
        "e": probe.model.signals.depth,
        "TAYLOR_ORDER": TAYLOR_ORDER,
    }


@pytest.mark.parametrize("name", CLASSES)
def test_every_field_is_documented(name):
    """Each field is followed by a docstring, and the fields are those of the class."""
    declared = DECLARED[name]
    fields = declared.dtype.names if name in RECORDS else declared._fields
    assert tuple(CLASSES[name]) == fields
    assert all(CLASSES[name].values()), [f for f, text in CLASSES[name].items() if not text]


@pytest.mark.parametrize("name", NAMES)
def test_records_are_those_of_the_arrays(probe, name):
    """Where the docstring of an array names a record, or says of whose rows it is, it is of that
    type; all numbers are doubles or integers of eight bytes, without gaps.
    """
    seen = 0
    for field, value in zip(CLASSES[name], instances(probe)[name], strict=True):
        if getattr(value, "dtype", np.dtype(float)).names is None:
            continue
        (record,) = set(re.findall(r"\w+", CLASSES[name][field])) & set(RECORDS)
        declared = DECLARED[record].dtype
        assert value.dtype == declared
        assert value.flags.c_contiguous
        assert all(declared[number].base in (np.int64, np.float64) for number in declared.names)
        assert sum(declared[number].itemsize for number in declared.names) == declared.itemsize
        seen += 1
    assert seen > 0


@pytest.mark.parametrize(
    ("name", "field"), [(name, field) for name in NAMES for field in CLASSES[name]]
)
def test_documented_shapes_are_the_real_ones(probe, name, field):
    """The shape in a field's docstring is that of the array of a compiled scene."""
    value = getattr(instances(probe)[name], field)
    stated = SHAPE.search(CLASSES[name][field])
    if stated is None:
        assert not isinstance(value, np.ndarray) or value.ndim == 1
        return
    letters = [part.strip() for part in stated.group(1).split(",") if part.strip()]
    known = sizes(probe)
    expected = tuple(eval(part, {"__builtins__": {}}, known) for part in letters)

    assert value.shape == expected


def test_letters_stand_for_different_sizes(probe):
    """The scene of these tests tells the letters apart, so a swapped shape shows."""
    known = sizes(probe)

    assert len({known[letter] for letter in "nkbmKE"}) == 6
    assert known["l"] == 4


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_of_the_annotated_type(probe, name):
    """Floats are float64 and Ints int64, C-ordered, as kernels are compiled for."""
    holder = instances(probe)[name]
    annotations = DECLARED[name].__annotations__
    for field, value in zip(holder._fields, holder, strict=True):
        if isinstance(value, np.ndarray):
            kind = str(annotations[field])
            if "Records" in kind:
                continue
            assert value.dtype == (np.int64 if "Ints" in kind else np.float64), field
            assert value.flags.c_contiguous, field
