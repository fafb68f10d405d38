"""The tab of all that can be changed while it is simulated: what of the scene, and its values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from impulse_cli.viewer.acting import Tell, by_user

if TYPE_CHECKING:
    import viser

    from impulse_cli.viewer.live import LiveSource
    from impulse_schema import Element, Scene
    from impulse_schema.parameters import Parameter

__all__ = ["ChangingPanel"]

_LISTS = ("materials", "material_pairs", "constants", "bodies", "joints", "springs", "loads")
# What has a meaning at the start only, or makes it another machine.
_PAST = {
    "settings": {"duration", "fps", "assemble", "record_contacts"},
    "bodies": {"position", "orientation", "velocity", "angular_velocity", "keyframes"},
    "joints": {"type", "body1", "body2", "anchor", "anchor2", "axis", "axis2"},
    "springs": {"body1", "body2", "anchor", "anchor2"},
}
_LONGEST = 200  # letters of a value that is shown


class ChangingPanel:
    """Values of one element of the scene at a time; there are too many to show them all."""

    def __init__(
        self, server: viser.ViserServer, source: Callable[[], LiveSource], tell: Tell
    ) -> None:
        self._server, self._source, self._tell = server, source, tell
        self._what: Any = server.gui.add_dropdown("Of", tuple(_elements(source().scene)))
        self._container: Any = server.gui.add_folder(None)
        self._inputs: list[Any] = []
        self._what.on_update(by_user(lambda _: self._show(), tell))
        self._show()

    def take_over(self) -> None:
        """Show the same element of another scene, if it has it."""
        elements = tuple(_elements(self._source().scene))
        kept = self._what.value
        self._what.options = elements
        self._what.value = kept if kept in elements else elements[0]
        self._show()

    def _show(self) -> None:
        for handle in self._inputs:
            handle.remove()
        self._inputs = []
        field, number = _elements(self._source().scene)[self._what.value]
        with self._container:
            if field == "joints":
                self._add_targets(number)
            known = self._source().parameters()
            of_it = [parameter for parameter in known if _is_of(parameter, field, number)]
            # What belongs to its motors, limits, springs or solids is looked for most.
            for parameter in sorted(of_it, key=lambda parameter: len(parameter.path) < 5):
                self._add(parameter)

    def _add_targets(self, number: int) -> None:
        scene = self._source().scene
        for motor in range(len(scene.joints[number].motors)):
            handle: Any = self._server.gui.add_number(
                f"target now of motor {motor}",
                initial_value=0.0,
                step=0.01,
                hint="In place of what the scene says, from now on: rad or m of a servo, rad/s or"
                " m/s of a velocity motor, N or N m of a force motor.",
            )

            def set_target(_: Any, motor: int = motor, handle: Any = handle) -> None:
                self._source().set_target(number, motor, float(handle.value))

            handle.on_update(by_user(set_target, self._tell))
            self._inputs.append(handle)

    def _add(self, parameter: Parameter) -> None:
        handle = self._input(parameter)
        if handle is None:
            return

        accepted = handle.value

        def change(_: Any) -> None:
            nonlocal accepted
            try:
                self._source().change(parameter.text, _given(handle.value, parameter))
            except Exception:
                handle.value = accepted
                raise
            accepted = handle.value

        handle.on_update(by_user(change, self._tell))
        self._inputs.append(handle)

    def _input(self, parameter: Parameter) -> Any:
        gui, value = self._server.gui, _shown(parameter)
        label = ".".join(str(step) for step in parameter.path[2:] or parameter.path[1:])
        if parameter.path[0] == "settings":
            label = str(parameter.path[-1])
        hint = (
            f"{parameter.description} [{parameter.unit}]"
            if parameter.unit
            else (parameter.description)
        )
        if parameter.choices and parameter.value is not None:
            return gui.add_dropdown(
                label, tuple(map(str, parameter.choices)), initial_value=value, hint=hint
            )
        if isinstance(value, bool):
            return gui.add_checkbox(label, initial_value=value, hint=hint)
        if parameter.kind == "numbers" and isinstance(value, tuple) and len(value) == 3:
            return gui.add_vector3(
                label, initial_value=value, step=_step(max(map(abs, value))), hint=hint
            )
        if isinstance(value, float):
            return gui.add_number(label, initial_value=value, step=_step(abs(value)), hint=hint)
        if parameter.kind == "rows" or len(value) > _LONGEST:
            return None
        return gui.add_text(label, initial_value=value, hint=hint)


def _elements(scene: Scene) -> dict[str, tuple[str, int]]:
    """What can be chosen: its name on the page, and its list and number; settings first."""
    return {"settings": ("settings", 0), **dict(_items(scene))}


def _items(scene: Scene) -> Iterator[tuple[str, tuple[str, int]]]:
    from impulse_schema import joint_names

    for field in _LISTS:
        items: list[Element] = getattr(scene, field)
        names = (
            joint_names(scene)
            if field == "joints"
            else [getattr(item, "name", None) for item in items]
        )
        kind = field.removesuffix("s").replace("bodie", "body").replace("_", " ")
        for number, name in enumerate(names):
            shown = name if name is not None and list(names).count(name) == 1 else str(number)
            yield f"{kind} {shown}", (field, number)


def _is_of(parameter: Parameter, field: str, number: int) -> bool:
    path = parameter.path
    if path[0] != field or _PAST.get(field, set()) & set(path):
        return False
    return field == "settings" or path[1] == number


def _shown(parameter: Parameter) -> Any:
    """A value as an input shows it; as text what is not given, or has no input of its own."""
    value = parameter.value
    if parameter.kind == "number" and value is not None:
        # An input of numbers shows neither very small nor very large ones.
        return float(value) if value == 0 or 1e-4 <= abs(value) < 1e6 else f"{value:.12g}"
    if parameter.kind == "boolean" and value is not None:
        return bool(value)
    if parameter.kind == "numbers" and value is not None and len(value) == 3:
        return tuple(float(each) for each in value)
    if isinstance(value, (tuple, list)) and parameter.kind != "rows":
        return " ".join(str(each) for each in value)
    return "" if value is None else str(value)


def _given(value: Any, parameter: Parameter) -> Any:
    """What an input holds, as the scene has it."""
    if not isinstance(value, str) or parameter.kind in ("text", "choice"):
        return None if value == "" else value
    try:
        numbers = [float(word) for word in value.replace(",", " ").split()]
    except ValueError:
        return value  # what the scene says to that
    if parameter.kind == "numbers":
        return tuple(numbers) or None
    return numbers[0] if numbers else None


def _step(size: float) -> float:
    """How far an arrow changes a number: about a hundredth, or what shows all its digits."""
    return 10.0 ** (math.floor(math.log10(size)) - 2) if size > 0.0 else 0.001
