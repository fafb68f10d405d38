"""Writes docs/python.md from the docstrings of the public names (make docs).

What is public is what ``__all__`` of the PACKAGES names. Generators that
read the sources do not find it: the names of the core are loaded when first used, from modules that
are not public.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import impulse_cli.studies
import impulse_core
import impulse_schema

PACKAGES = (impulse_core, impulse_schema, impulse_cli.studies)
PAGE = Path(__file__).with_name("python.md")
_WIDEST = 88  # of a signature on one line

_INTRODUCTION = """\
# Impulse from Python

Generated from the docstrings by `make docs`; do not edit.

Scenes come from a file or are built from the models of `impulse_schema`; `impulse_core` simulates
them:

```python
import impulse_core as ic
from impulse_schema import Body, Geometry, Joint, Scene

ball = Geometry(shape="sphere", radius=0.1)
bob = Body(name="bob", position=(1, 0, 0), mass=1, geometry=[ball])
rod = Joint(type="distance", body2="bob", anchor=(0, 0, 0), anchor2=(1, 0, 0))
scene = Scene(version=1, bodies=[bob], joints=[rod])

recording = ic.simulate(scene, duration=2.0, method="imp8")
print(recording.positions[-1, 0], recording.energy["total"][-1])
recording.save("pendulum.npz")
```

Units are SI, quaternions (w, x, y, z): [conventions.md](conventions.md). `Floats` is a NumPy array
of float64. Everything else that can be imported may change without notice.
"""
_MODELS = """\
### Models

A scene is made of these pydantic models. Their fields are the keys of the scene format, which
[scene-format.md](scene-format.md) lists with unit, default and meaning; in Python, a key that is
written `from` in a file is `from_`.

| Model | What it is |
| --- | --- |
"""


def page() -> str:
    """The page as Markdown."""
    return "\n".join([_INTRODUCTION, *(line for package in PACKAGES for line in _package(package))])


def _package(package: ModuleType) -> Iterator[str]:
    name = package.__name__
    public = {key: getattr(package, key) for key in package.__all__}
    models = {key: value for key, value in public.items() if _is_model(value)}
    elsewhere = {key for key in public if package is impulse_schema and key in impulse_core.__all__}
    yield f"## {name}\n"
    if elsewhere:
        yield f"{_listed(sorted(elsewhere))} are those of `impulse_core`.\n"
    if models:
        rows = [f"| `{key}` | {_summary(model)} |" for key, model in models.items()]
        yield _MODELS + "\n".join(rows) + "\n"
    others = public.keys() - models.keys() - elsewhere
    for key in sorted(others, key=lambda key: (_kind(public[key]), key)):
        yield f"### {key}\n"
        yield from _entry(key, public[key])


def _kind(value: Any) -> int:
    """Functions first, then classes, then errors."""
    return isinstance(value, type) + (isinstance(value, type) and issubclass(value, Exception))


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, impulse_schema.Element)


def _listed(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _entry(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, type):
        yield _code(_class_signature(key, value))
        yield from _docstring(value)
        for name, method in vars(value).items():
            if isinstance(method, FunctionType) and not name.startswith("_") and method.__doc__:
                yield f"#### {key}.{name}\n"
                yield _code(_signature(name, method))
                yield from _docstring(method)
    elif callable(value):
        yield _code(_signature(key, value))
        yield from _docstring(value)
    else:
        rows = "".join(f"    {name!r}: {item!r},\n" for name, item in value.items())
        yield _code(f"{key} = {{\n{rows}}}")


def _code(text: str) -> str:
    """A block of Python, with the quotes that ruff gives it in Markdown too."""
    return "```python\n{}\n```\n".format(text.replace("'", '"'))


def _class_signature(name: str, kind: type) -> str:
    base = kind.__bases__[0]
    if "__init__" not in vars(kind):
        return f"class {name}({base.__name__})"
    shown = issubclass(base, Exception)  # other bases are no names that a reader could use
    return _signature(name, kind, f"  # {_article(base.__name__)}" if shown else "")


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'AEIOU' else 'a'} {word}"


def _signature(name: str, function: Any, remark: str = "") -> str:
    signature = inspect.signature(function)
    parameters = [_parameter(p) for p in signature.parameters.values() if p.name != "self"]
    kinds = [p.kind for p in signature.parameters.values() if p.name != "self"]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    result = signature.return_annotation
    returned = f" -> {result}" if isinstance(result, str) and result != "None" else ""
    line = f"{name}({', '.join(parameters)}){returned}{remark}"
    if len(line) <= _WIDEST:
        return line
    inner = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{name}(\n{inner}){returned}{remark}"


def _parameter(parameter: inspect.Parameter) -> str:
    text = f"{parameter.name}: {parameter.annotation}"
    if parameter.default is parameter.empty:
        return text
    default = repr(parameter.default)
    return f"{text} = {'...' if default == '<factory>' else default}"


_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises):\n((?:(?: .*)?\n)+)", re.MULTILINE)


def _docstring(value: Any) -> Iterator[str]:
    """Text and sections of a docstring in Google's style."""
    text = _markdown(inspect.getdoc(value) or "") + "\n"
    sections = list(_SECTION.finditer(text))
    end = sections[0].start() if sections else len(text)
    yield text[:end].strip() + "\n"
    for section in sections:
        title, body = section[1], textwrap.dedent(section[2])
        if title == "Returns":
            yield f"**Returns** {_one_line(body)}\n"
            continue
        yield f"**{'Arguments' if title == 'Args' else title}**\n"
        items = re.split(r"^(?=\S)", body, flags=re.MULTILINE)
        yield "".join(_item(item) for item in items if item)


def _item(text: str) -> str:
    name, _, meaning = text.partition(":")
    return f"- `{name}`: {_one_line(meaning)}\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _summary(model: type) -> str:
    return _one_line(_markdown(inspect.getdoc(model) or "").partition("\n\n")[0])


def _markdown(text: str) -> str:
    return re.sub(r":\w+:(`\w+`)", r"\1", text).replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
