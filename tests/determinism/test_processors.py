"""What a scene is compiled to has the same bits on every processor.

NumPy and the library that multiplies its matrices choose their instructions when they are loaded.
They are told here to choose as on other processors.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

import numpy as np
import pytest

from impulse_core.compile import compile_scene
from impulse_core.geometry.products import length
from impulse_schema import Body, Friction, Joint, Keyframe, Scene, SceneError, load_scene
from tests.fuzz.machines import machine
from tests.processes import said_by

OTHERS = {
    "an old one": {"OPENBLAS_CORETYPE": "Nehalem"},
    "AVX2": {"OPENBLAS_CORETYPE": "Haswell"},
    "no vectors": {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3"},
}
DRAWN = 60
SAY = "from tests.determinism.test_processors import say_digests; say_digests()"
SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"


def say_digests():
    """Print what becomes of samples, random machines and random keyframes."""
    for path in sorted(SAMPLES.glob("*/*.xml")):
        if path.stat().st_size < 200_000:
            print(path.stem, digest_of(load_scene(path)))
    for seed in range(DRAWN):
        print("drawn", digest_of(Scene.model_validate(machine(Random(seed)), strict=False)))
        print("led", digest_of(led(np.random.default_rng(seed))))


def digest_of(scene):
    """Of all that the kernels read, or why the scene is refused."""
    try:
        compiled = compile_scene(scene)
    except SceneError as error:
        return str(error).replace("\n", " ")
    digest = hashlib.sha256()
    for array in arrays_of((compiled.model, compiled.shapes, compiled.state)):
        digest.update(array.tobytes())
    return digest.hexdigest()


def arrays_of(compiled):
    """All arrays and numbers in nested tuples."""
    if isinstance(compiled, np.ndarray):
        yield compiled
    elif isinstance(compiled, float):
        yield np.float64(compiled)
    elif isinstance(compiled, tuple):
        for part in compiled:
            yield from arrays_of(part)


def led(rng):
    """A body that is led through random poses, and an arm on a hinge that lies anyhow."""
    count = int(rng.integers(2, 7))
    turns = rng.normal(size=(count, 4))
    keys = [
        Keyframe(time=0.3 * k, position=tuple(rng.normal(size=3)), orientation=tuple(q))
        for k, q in enumerate(turns / np.linalg.norm(turns, axis=1, keepdims=True))
    ]
    moments = rng.uniform(1.0, 1.9, 3) * 10.0 ** rng.uniform(-3, 2)
    axis = rng.normal(size=3)
    return Scene(
        version=1,
        name="led",
        bodies=[
            Body(name="led", motion="kinematic", keyframes=keys),
            Body(name="arm", mass=2.0, inertia=tuple(moments), position=tuple(rng.normal(size=3))),
        ],
        joints=[
            Joint(
                name="hinge",
                type="hinge",
                body1="world",
                body2="arm",
                anchor=tuple(rng.normal(size=3)),
                axis=tuple(axis / length(axis)),
                frictions=[Friction(force=0.1)],
            )
        ],
    )


@pytest.fixture(scope="module")
def here():
    lines = said_by(SAY).splitlines()
    compiled = [line for line in lines if len(line.split()[-1]) == 64]
    assert len(compiled) > DRAWN + 30
    return lines


@pytest.mark.parametrize("environment", OTHERS.values(), ids=OTHERS)
def test_scenes_are_compiled_to_the_same_bits(here, environment):
    """All samples, random machines, and random keyframes."""
    assert said_by(SAY, **environment).splitlines() == here
