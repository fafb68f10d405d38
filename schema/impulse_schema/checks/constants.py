"""Constants: names that expressions can use."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_schema.checks.names import check_unique
from impulse_schema.constants import name_problem
from impulse_schema.models import Scene
from impulse_schema.problems import Finding


def check_constants(scene: Scene) -> Iterator[Finding]:
    """Findings on the names of constants."""
    yield from check_unique("constant", [c.name for c in scene.constants], ("constants",))
    for i, constant in enumerate(scene.constants):
        if problem := name_problem(constant.name):
            message = f"a constant cannot be called '{constant.name}', which {problem}"
            hint = "Choose another name, such as period"
            yield Finding(("constants", i, "name"), "E715", message, hint)
