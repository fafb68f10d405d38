"""The documentation and the code agree."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import runpy
from pathlib import Path

import pytest

from impulse_core.joints.table import JOINT_PARTS, parts_of
from impulse_schema import load_scene

ROOT = Path(__file__).resolve().parents[2]
ALGORITHM = (ROOT / "docs" / "algorithm.md").read_text(encoding="utf-8")
PYTHON_PAGE = ROOT / "docs" / "python.md"
SOURCES = sorted((ROOT / "impulse_core").rglob("*.py"))
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "sample_scenes").rglob("*.md")]
)


def defined_equations() -> list[int]:
    return [int(number) for number in re.findall(r"\\tag\{(\d+)\}", ALGORITHM)]


def cited_equations() -> dict[int, list[str]]:
    """Equation numbers cited in the core, with the files that cite them."""
    cited: dict[int, list[str]] = {}
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        for numbers in re.findall(
            r"\((?:docs/algorithm\.md|docs), (?:equations? )?([\d ,and]+)\)", text
        ):
            for number in re.findall(r"\d+", numbers):
                cited.setdefault(int(number), []).append(source.name)
    return cited


def test_every_cited_equation_exists():
    """A number that the core cites is the tag of an equation of docs/algorithm.md."""
    cited = cited_equations()

    assert len(cited) >= 15, "the pattern no longer finds the citations"
    assert {n: files for n, files in cited.items() if n not in defined_equations()} == {}


def test_equation_numbers_are_unique():
    """Numbers run from 1 without gaps, each once."""
    assert sorted(defined_equations()) == list(range(1, len(defined_equations()) + 1))


def test_catalogue_lists_every_joint_type():
    """The table of joints names exactly the types the core builds, with the rows they remove."""
    rows = re.findall(r"^\| `([\w-]+)` \| .* \| (\d) \|$", ALGORITHM, flags=re.MULTILINE)

    assert {name: int(removes) for name, removes in rows} == {
        name: parts_of(name).rows for name in [*JOINT_PARTS, "coupling"]
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every relative link and picture of a page exists."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)

    broken = [
        target
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


def test_files_named_in_docstrings_exist():
    """Pages that the code refers to are there."""
    for source in SOURCES:
        for name in re.findall(r"docs/[\w/-]+\.md", source.read_text(encoding="utf-8")):
            assert (ROOT / name).is_file(), f"{source.name} refers to {name}"


def test_the_example_is_the_same_scene_in_xml_and_json(tmp_path):
    """Both texts of conventions.md are valid and give equal models."""
    text = (ROOT / "docs" / "conventions.md").read_text(encoding="utf-8")
    (tmp_path / "a.xml").write_text(re.search(r"```xml\n(.*?)```", text, re.DOTALL)[1])
    (tmp_path / "a.json").write_text(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])

    assert load_scene(tmp_path / "a.xml") == load_scene(tmp_path / "a.json")


def test_report_keys_are_documented(tmp_path):
    """docs/files.md names every key of a recording and of its report, and no other."""
    import impulse_core

    scene = load_scene(ROOT / "sample_scenes" / "spinning" / "heavy-top.xml")
    impulse_core.simulate(scene, duration=0.01).save(tmp_path / "a.json")
    written = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    first_columns = re.findall(r"^\| ([^|]+) \|", page, flags=re.MULTILINE)
    named = {key for column in first_columns for key in re.findall(r"`(\w+)`", column)}

    assert named == written.keys() | written["diagnostics"].keys()


def test_python_of_the_readme_runs(tmp_path, monkeypatch):
    """The Python example of the README works as it stands, from the checkout."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_scenes").symlink_to(ROOT / "sample_scenes")

    exec(compile(example, "README.md", "exec"), {})
    assert (tmp_path / "pendulum.npz").is_file()


def test_python_page_is_up_to_date():
    """docs/python.md holds what the docstrings say; make docs renews it."""
    written = runpy.run_path(str(ROOT / "docs" / "python_page.py"))

    assert PYTHON_PAGE.read_text(encoding="utf-8") == written["page"]()


@pytest.mark.parametrize("package", ["impulse_core", "impulse_schema", "impulse_cli.studies"])
def test_every_public_name_is_on_the_python_page(package):
    """Each has a docstring of its own and its place: a heading, or a row among the models."""
    page = PYTHON_PAGE.read_text(encoding="utf-8")
    module = importlib.import_module(package)

    for name in module.__all__:
        value = getattr(module, name)
        assert f"\n### {name}\n" in page or f"\n| `{name}` | " in page, name
        assert not callable(value) or inspect.getdoc(value), name
    assert "- ``" not in page
    assert ": \n" not in page, "an item without a meaning"


def test_python_of_the_python_page_runs(tmp_path, monkeypatch):
    """The example at the top builds a scene from the models, simulates it and saves the motion."""
    page = PYTHON_PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    exec(compile(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], "python.md", "exec"), {})
    assert (tmp_path / "pendulum.npz").is_file()
