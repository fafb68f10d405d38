"""Uses of parts: that there is such a part, which can be expanded and is not too large."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import partial

from impulse_schema.checks.names import joint_names
from impulse_schema.limits import MAX_COPIES, MAX_NESTED_USES
from impulse_schema.models import Scene, Use
from impulse_schema.models.element import MAX_NAME
from impulse_schema.parts.expansion import part_numbers, weight
from impulse_schema.problems import Finding, Hint
from impulse_schema.source import ScenePath
from impulse_schema.suggest import did_you_mean


class Uses:
    """Looks through the uses of a scene before any of them is expanded.

    Attributes:
        findings: What is wrong.
        refused: Paths of the uses that cannot be expanded.
        order: Numbers of the parts, each after those that it uses.
    """

    def __init__(self, scene: Scene, left_out: AbstractSet[str]) -> None:
        """``left_out`` names parts that exist and had to be left out of the scene."""
        self.findings: list[Finding] = []
        self.refused: set[ScenePath] = set()
        self.order: list[int] = []
        self._scene = scene
        self._left_out = left_out
        self._numbers = part_numbers(scene)
        self._depths: dict[int, int] = {}
        for number in range(len(scene.parts)):
            self._visit(number, [])
        self._look_up(scene.uses, (), [])
        self._measure()

    def of_part(self, number: int) -> Iterator[tuple[ScenePath, Use]]:
        """The uses in a part, with their paths."""
        for i, use in enumerate(self._scene.parts[number].uses):
            yield ("parts", number, "uses", i), use

    def of_scene(self) -> Iterator[tuple[ScenePath, Use]]:
        """The uses outside parts, with their paths."""
        for i, use in enumerate(self._scene.uses):
            yield ("uses", i), use

    def number_of(self, use: Use) -> int | None:
        """The number of the part of a use, None if there is none."""
        return self._numbers.get(use.part)

    def _refuse(self, path: ScenePath, code: str, message: str, hint: Hint, key: str = "") -> None:
        self.refused.add(path)
        self.findings.append(Finding((*path, key) if key else path, code, message, hint))

    def _visit(self, number: int, chain: list[int]) -> None:
        """Put a part into the order, after those that it uses."""
        if number in self._depths:
            return
        chain = [*chain, number]
        self._look_up(self._scene.parts[number].uses, ("parts", number), chain)
        inner = [
            self._depths[self._numbers[use.part]]
            for path, use in self.of_part(number)
            if path not in self.refused
        ]
        self._depths[number] = 1 + max(inner, default=0)
        self.order.append(number)

    def _look_up(self, uses: list[Use], prefix: ScenePath, chain: list[int]) -> None:
        """Visit the parts of ``uses``; ``chain`` leads to the part that holds them."""
        for i, use in enumerate(uses):
            path = (*prefix, "uses", i)
            number = self._numbers.get(use.part)
            if number is None:
                self._unknown(use.part, path)
            elif number in chain:
                names = [self._scene.parts[k].name for k in [*chain[chain.index(number) :], number]]
                message = f"the part '{use.part}' would hold itself: {' > '.join(names)}"
                self._refuse(path, "E309", message, "Leave one of these uses out", "part")
            elif len(chain) >= MAX_NESTED_USES:
                self._too_deep(path)
            else:
                self._visit(number, chain)
                if self._depths[number] + len(chain) > MAX_NESTED_USES and prefix:
                    self._too_deep(path)

    def _unknown(self, name: str, path: ScenePath) -> None:
        if name in self._left_out:
            self.refused.add(path)
            return
        known = [*self._numbers, *self._left_out]
        hint = partial(did_you_mean, name, known)
        self._refuse(path, "E308", f"there is no part '{name}'", hint, "part")

    def _too_deep(self, path: ScenePath) -> None:
        message = (
            f"parts use each other more than {MAX_NESTED_USES} levels deep, which is the limit"
        )
        self._refuse(path, "E310", message, "Nest them less")

    def _measure(self) -> None:
        """Refuse uses that make too much, or names that are too long."""
        self._sizes: dict[int, int] = {}
        self._longest: dict[int, int] = {}
        self._made = 0
        for number in self.order:
            part = self._scene.parts[number]
            words = [*(body.name for body in part.bodies), *joint_names(part)]
            words += [load.name for load in part.loads if load.name]
            words += [spring.name for spring in part.springs if spring.name]
            size, longest = self._add_up(self.of_part(number))
            self._sizes[number] = weight(part) + size
            self._longest[number] = max([longest, *map(len, words)])
        self._add_up(self.of_scene())
        if self._made > MAX_COPIES:
            self._refuse_all()

    def _refuse_all(self) -> None:
        """Expand nothing of a scene that would make too much, so that it is refused at once."""
        for number in self.order:
            self.refused |= {path for path, _ in self.of_part(number)}
        self.refused |= {path for path, _ in self.of_scene()}

    def _add_up(self, uses: Iterator[tuple[ScenePath, Use]]) -> tuple[int, int]:
        """Weight of what ``uses`` make, and letters of the longest name among it."""
        total = most = 0
        for path, use in uses:
            if path in self.refused:
                continue
            size = self._sizes[self._numbers[use.part]]
            letters = len(use.name) + 1 + self._longest[self._numbers[use.part]]
            if letters > MAX_NAME:
                message = (
                    f"a name of the copy would have {letters} characters, the limit is {MAX_NAME}"
                )
                self._refuse(path, "E310", message, "Choose shorter names")
                continue
            if self._made <= MAX_COPIES < self._made + size:
                self._refuse_size(path, size)
            self._made += size
            total += size
            most = max(most, letters)
        return total, most

    def _refuse_size(self, path: ScenePath, size: int) -> None:
        limit = f"{MAX_COPIES:,}".replace(",", " ")
        message = (
            f"the uses of parts make more than {limit} elements, which is the limit; this one"
            f" alone makes {_about(size)}"
        )
        self._refuse(path, "E310", message, "Use fewer or smaller parts")


def _about(number: int) -> str:
    return str(number) if number < 10**6 else f"about 1e{len(str(number)) - 1}"
