"""Model, State, Structure and Workspace: the documented fields and shapes are the real ones."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import impulse_core.model as model_module
from impulse_core.invariants import Tally, new_tally
from impulse_core.model import TAYLOR_ORDER
from impulse_schema.models import Body, Load, SpringDamper
from tests.core.gears import coupling
from tests.core.probes import Probe
from tests.core.scenes import chain, four_bar

SHAPE = re.compile(r"shape \(([^()]*)\)")
ENDS = {"anchor": (0.0, 0.0, 3.0), "anchor2": (0.0, 0.0, 1.0)}
NAMES = ("Structure", "Model", "Couplings", "State", "Workspace")
RECORDS = (
    *("Body", "Joint", "Axis", "AxisStage", "Load", "Term", "TermStage", "BodyPlace"),
    *("JointPlace", "JointDirections", "TermDirections", "Reaction", "ForceLaw"),
)


def documented_classes():
    """Fields and docstrings of the named tuples in model.py, in the order they are written."""
    tree = ast.parse(Path(model_module.__file__).read_text(encoding="utf-8"))
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            fields = {}
            last = None
            for line in node.body:
                if isinstance(line, ast.AnnAssign):
                    last = line.target.id
                    fields[last] = ""
                elif isinstance(line, ast.Expr) and last is not None:
                    fields[last] = line.value.value
            found[node.name] = fields
    return found


CLASSES = documented_classes()


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
    }


def sizes(probe):
    """What the letters of the documented shapes stand for."""
    return {
        "n": probe.model.dynamic,
        "k": len(probe.state.interval),
        "b": len(probe.model.bodies),
        "m": len(probe.model.joints),
        "l": len(probe.model.loads),
        "a": len(probe.model.axes),
        "K": len(probe.structure.column_start) - 1,
        "E": len(probe.structure.entry_row),
        "q": len(probe.model.couplings.joint),
        "t": len(probe.model.couplings.terms),
        "r": len(probe.model.counted_joint),
        "TAYLOR_ORDER": TAYLOR_ORDER,
    }


@pytest.mark.parametrize("name", CLASSES)
def test_every_field_is_documented(name):
    """Each field of model.py is followed by a docstring, and the fields are those of the class."""
    declared = getattr(model_module, name)
    fields = declared.dtype.names if name in RECORDS else declared._fields
    assert tuple(CLASSES[name]) == fields
    assert all(CLASSES[name].values())


def test_records_are_those_of_the_arrays(probe):
    """The type of each array of records is the declared one; numbers are doubles or integers of
    eight bytes, without gaps.
    """
    model, work = probe.model, probe.work
    places, now, terms = probe.structure, work.now, model.couplings.terms
    arrays = (
        *(model.bodies, model.joints, model.axes, work.axes, model.loads, terms, work.terms),
        *(places.bodies, places.joints, now.joints, now.terms, work.reactions, work.laws),
    )
    for name, array in zip(RECORDS, arrays, strict=True):
        declared = getattr(model_module, name).dtype
        assert array.dtype == declared
        assert array.flags.c_contiguous
        numbers = [declared[field].base for field in declared.names]
        assert all(kind in (np.int64, np.float64) for kind in numbers)
        assert sum(declared[field].itemsize for field in declared.names) == declared.itemsize


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
    annotations = getattr(model_module, name).__annotations__
    for field, value in zip(holder._fields, holder, strict=True):
        if isinstance(value, np.ndarray):
            kind = str(annotations[field])
            if "Records" in kind:
                continue
            assert value.dtype == (np.int64 if "Ints" in kind else np.float64), field
            assert value.flags.c_contiguous, field


def test_tally_fields():
    """Every field of the tally is documented as one number unless it says its shape."""
    tree = ast.parse(Path(model_module.__file__).with_name("invariants.py").read_text("utf-8"))
    (node,) = [n for n in tree.body if isinstance(n, ast.ClassDef)]
    texts = [line.value.value for line in node.body[1:] if isinstance(line, ast.Expr)]
    joints, counted = 17, 11
    for value, text in zip(new_tally(joints, counted), texts, strict=True):
        stated = SHAPE.search(text)
        known = (
            stated.group(1).replace("m", str(joints)).replace("r", str(counted)) if stated else "1"
        )
        parts = known.split(",")
        assert value.shape == tuple(int(part) for part in parts if part.strip())
    assert len(texts) == len(Tally._fields)
