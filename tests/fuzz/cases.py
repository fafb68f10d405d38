"""The four kinds of cases, made from numbers: the same number is the same case for ever.

Numbers below zero are the files of the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from impulse_schema.xml_reader import read_xml
from tests.fuzz.damage import damaged
from tests.fuzz.machines import machine
from tests.fuzz.meshes import mesh_file
from tests.fuzz.recordings import recording_file
from tests.fuzz.trees import as_json, as_xml, changed

CORPUS = Path(__file__).parent / "corpus"
_SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
_LARGEST_SAMPLE = 4000  # bytes; the larger ones have the same elements


class Case(NamedTuple):
    """A file to be tried."""

    suffix: str
    data: bytes


def make(kind: str, number: int) -> Case:
    """The case of this kind with this number."""
    if number < 0:
        file = corpus(kind)[number]
        return Case(file.suffix, file.read_bytes())
    return KINDS[kind](Random(f"{kind} {number}"))


@cache
def corpus(kind: str) -> list[Path]:
    """Small files of this kind, each of which once ended badly."""
    return sorted((CORPUS / kind).iterdir())


def scene_case(rng: Random) -> Case:
    """A scene that was changed somewhere, in the data or in the text."""
    chance = rng.random()
    scene = machine(rng) if chance < 0.5 else rng.choice(_scenes())
    if chance < 0.9:
        scene = changed(rng, scene)
    case = _written(rng, scene)
    if chance > 0.85:
        return Case(case.suffix, damaged(rng, case.data))
    return case


def run_case(rng: Random) -> Case:
    """A scene of a few steps, which most often can be run."""
    chance = rng.random()
    scene = machine(rng) if chance < 0.8 else rng.choice(_scenes())
    if chance < 0.6 or chance > 0.8:
        scene = changed(rng, scene, times=rng.choice((1, 1, 2)), gently=True)
    settings = scene.get("settings")
    settings = dict(settings) if isinstance(settings, dict) else {}
    step = settings.get("step", 0.01)
    if isinstance(step, float) and 0.0 < step < math.inf:
        settings["duration"] = step * rng.choice((1, 3, 8, 20))
        settings["fps"] = rng.choice((0.3, 1.0, 1.0, 2.7)) / step
    return _written(rng, {**scene, "settings": settings})


def mesh_case(rng: Random) -> Case:
    """A mesh file."""
    return Case(*mesh_file(rng))


def recording_case(rng: Random) -> Case:
    """An animation file."""
    return Case(*recording_file(rng))


KINDS: dict[str, Callable[[Random], Case]] = {
    "scene": scene_case,
    "mesh": mesh_case,
    "recording": recording_case,
    "run": run_case,
}


def _written(rng: Random, scene: dict[str, Any]) -> Case:
    if rng.random() < 0.5:
        return Case(".xml", as_xml(scene))
    indent = 1 if rng.random() < 0.05 else None
    return Case(".json", as_json(scene, indent, ascii_only=rng.random() < 0.8))


@cache
def _scenes() -> list[dict[str, Any]]:
    """Scenes to begin with."""
    files = sorted(_SAMPLES.glob("*/*.xml"))
    small = [file for file in files if file.stat().st_size <= _LARGEST_SAMPLE]
    return [read_xml(file.read_bytes()).raw for file in small]
