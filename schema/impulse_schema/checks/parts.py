"""Parts: each is checked once, as a scene of its own, however often it is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from impulse_schema.checks.bounds import check_bounds
from impulse_schema.checks.contents import check_contents
from impulse_schema.checks.names import Broken, Names, check_names_of_content, check_unique
from impulse_schema.checks.uses import Uses
from impulse_schema.checks.vectors import check_unit_quaternion
from impulse_schema.models import Scene, Use
from impulse_schema.parts.expansion import Expander, Expansion
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath


@dataclass
class CheckedParts:
    """What is wrong with parts and uses, and the scene without the uses that cannot be expanded.

    Attributes:
        findings: Paths are those of the scene as it was written.
        expansion: Of the others.
        open_uses: Names of the uses of the scene that were left out.
    """

    findings: list[Finding]
    expansion: Expansion
    open_uses: set[str]


def check_parts(scene: Scene, broken: Broken) -> CheckedParts:
    """Check the parts and uses of a scene, and expand what can be expanded.

    Parts come after those that they use, so that a mistake is reported where it stands, once: a
    part that has one is not expanded.
    """
    uses = Uses(scene, broken.names.get("parts", frozenset()))
    findings = [*uses.findings, *_check_written(scene)]
    unsound = set(broken.parts) | {int(f.path[1]) for f in findings if f.path[0] == "parts"}
    left_out = uses.refused | {_use_of(finding.path) for finding in findings}
    names = Names.of(scene, broken.names)
    expander = Expander(scene, left_out)  # which goes by what is left out at the time
    for number in uses.order:
        inner = dict(uses.of_part(number))
        left_out |= {p for p, use in inner.items() if uses.number_of(use) in unsound}
        open_uses = {use.name for path, use in inner.items() if path in left_out}
        part, expansion = scene.parts[number], expander.part(number)
        known = names.of_part(part.name, expansion.scene, broken.parts.get(number, {}), open_uses)
        found = [written(finding, expansion) for finding in _check_part(expansion.scene, known)]
        findings += found
        if found or open_uses:
            unsound.add(number)
    outer = dict(uses.of_scene())
    left_out |= {path for path, use in outer.items() if uses.number_of(use) in unsound}
    open_uses = {use.name for path, use in outer.items() if path in left_out}
    return CheckedParts(findings, expander.scene(), open_uses)


def _use_of(path: ScenePath) -> ScenePath:
    """The use that ``path`` leads into, if any, as a path."""
    return path[:4] if path[0] == "parts" else path[:2]


def _check_part(scene: Scene, names: Names) -> Iterator[Finding]:
    """Findings on what a part holds, as a scene of its own."""
    yield from check_names_of_content(scene)
    yield from check_contents(scene, names)


def _check_written(scene: Scene) -> Iterator[Finding]:
    """Names of parts and uses, numbers of both and poses of uses."""
    yield from check_unique("part", [part.name for part in scene.parts], ("parts",))
    yield from _check_uses(scene.uses, ())
    for i, part in enumerate(scene.parts):
        yield from check_bounds(part, ("parts", i))
        yield from _check_uses(part.uses, ("parts", i))
    for i, use in enumerate(scene.uses):
        yield from check_bounds(use, ("uses", i))


def _check_uses(uses: list[Use], prefix: ScenePath) -> Iterator[Finding]:
    yield from check_unique("use", [use.name for use in uses], (*prefix, "uses"))
    for i, use in enumerate(uses):
        yield from check_unit_quaternion(use.orientation, (*prefix, "uses", i, "orientation"))


def written(finding: Finding, expansion: Expansion) -> Finding:
    """A finding on an expanded scene as one on the scene that was written."""
    path, uses = expansion.origins.of(finding.path)
    return finding._replace(path=path, uses=finding.uses or uses)
