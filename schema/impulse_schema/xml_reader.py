"""Scene XML to the plain data that the models validate, by the standard library's expat.

Each element becomes a dict and each attribute a Python value. What cannot be read is noted as a
finding and left out; reading goes on, so that one pass reports everything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from xml.parsers import expat

from impulse_schema.fields import ElementSpec, FieldSpec, element_spec
from impulse_schema.limits import MAX_DEPTH
from impulse_schema.models import Scene
from impulse_schema.numbers import CONVERTERS, read_rows
from impulse_schema.problems import Finding, Hint
from impulse_schema.source import ScenePath
from impulse_schema.suggest import did_you_mean


class UnreadableError(Exception):
    """The file cannot be read to its end; ``offset`` is where that shows."""

    def __init__(self, code: str, message: str, hint: str, offset: int | None) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.offset = code, message, hint, offset


@dataclass
class XmlContent:
    """What an XML file holds: data for the models, findings, and the places of elements."""

    raw: dict[str, Any]
    findings: list[Finding]
    layout: XmlLayout


def read_xml(data: bytes) -> XmlContent:
    """Parse ``data``, UTF-8 without a byte order mark; raises UnreadableError."""
    return _Reader(data).read()


class _Node:
    """Where an element begins, and its child elements by field key."""

    __slots__ = ("children", "offset")

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.children: dict[str, list[_Node]] = {}


@dataclass(slots=True)
class _Frame:
    """An element that is open."""

    tag: str
    spec: ElementSpec
    raw: dict[str, Any]
    node: _Node
    steps: ScenePath  # from the parent: () for the root, (key,) or (key, index)
    texts: list[str] = field(default_factory=list)
    text_field: FieldSpec | None = None  # set in an element that only holds text


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.findings: list[Finding] = []
        self.stack: list[_Frame] = []
        self.root: _Frame | None = None
        self.skipped = 0  # depth inside an unknown element

    def read(self) -> XmlContent:
        self.parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.StartDoctypeDeclHandler = self.doctype
        try:
            parser.Parse(self.data, True)
        except expat.ExpatError as error:
            reason = _not_well_formed(error, empty=self.root is None)
            offset = max(0, parser.ErrorByteIndex)  # -1 in an empty file
            raise UnreadableError(*reason, offset) from None
        assert self.root is not None  # expat insists on a root element
        layout = XmlLayout(self.data, self.root.node)
        return XmlContent(self.root.raw, self.findings, layout)

    # Handlers of expat ----------------------------------------------------------------

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.skipped:
            self.skipped += 1
            self._check_depth()
            return
        if not self.stack:
            self._start_root(tag, attributes)
            return
        self._check_depth()
        parent = self.stack[-1]
        field = None if parent.text_field else parent.spec.children.get(tag)
        node = _Node(self.parser.CurrentByteIndex)
        if field is None:
            self._refuse_element(parent, tag, node)
            return
        siblings = parent.node.children.setdefault(field.key, [])
        siblings.append(node)
        if field.kind == "elements":
            steps: ScenePath = (field.key, len(siblings) - 1)
        elif len(siblings) > 1:
            self._note((field.key,), "E104", f"<{tag}> is given twice", "Keep one of them")
            self.skipped = 1
            return
        else:
            steps = (field.key,)
        if field.in_text:
            frame = _Frame(tag, parent.spec, {}, node, steps, text_field=field)
            self.stack.append(frame)
            for name in attributes:
                self._note(
                    (name,), "E102", f"<{tag}> has no attribute '{name}'", "It holds text only"
                )
            return
        assert field.model is not None
        frame = _Frame(tag, element_spec(field.model), {}, node, steps)
        self.stack.append(frame)
        self._read_attributes(frame, attributes)
        if field.kind == "elements":
            parent.raw.setdefault(field.key, []).append(frame.raw)
        else:
            parent.raw[field.key] = frame.raw

    def end(self, tag: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        frame = self.stack[-1]
        if frame.text_field is not None:
            self._end_text(frame, frame.text_field)
        elif frame.texts:
            stray = "".join(frame.texts).strip()
            if stray:
                self._note((), "E105", f"<{tag}> holds the text '{_short(stray)}'", "Remove it")
        self.stack.pop()

    def text(self, text: str) -> None:
        if not self.skipped and self.stack and (self.stack[-1].text_field or not text.isspace()):
            self.stack[-1].texts.append(text)

    def doctype(self, *_: object) -> None:
        raise UnreadableError(
            "E006",
            "the file has a DOCTYPE, which a scene must not have",
            "Remove the DOCTYPE and any entities it declares",
            self.parser.CurrentByteIndex,
        )

    # Parts ----------------------------------------------------------------------------

    def _start_root(self, tag: str, attributes: dict[str, str]) -> None:
        if tag != "scene":
            raise UnreadableError(
                "E009",
                f"the root element is <{tag}>, not <scene>",
                'A scene begins with <scene version="1">',
                self.parser.CurrentByteIndex,
            )
        node = _Node(self.parser.CurrentByteIndex)
        self.root = _Frame(tag, element_spec(Scene), {}, node, ())
        self.stack.append(self.root)
        own = {
            name: text
            for name, text in attributes.items()
            if not name.startswith(("xmlns", "xsi:"))  # where an editor finds the XSD
        }
        self._read_attributes(self.root, own)

    def _read_attributes(self, frame: _Frame, attributes: dict[str, str]) -> None:
        known = frame.spec.attributes
        for name, text in attributes.items():
            field = known.get(name)
            if field is None:
                message = f"<{frame.tag}> has no attribute '{name}'"
                self._note((name,), "E102", message, _attribute_hint(frame.spec, name))
                continue
            try:
                frame.raw[name] = CONVERTERS[field.kind](text)
            except ValueError as error:
                message, hint = error.args
                self._note((name,), "E201", f"{name}: {message}", hint)
                frame.raw[name] = text

    def _end_text(self, frame: _Frame, field: FieldSpec) -> None:
        text = "".join(frame.texts)
        parent = self.stack[-2]
        if field.kind != "rows":
            parent.raw[field.key] = None if frame.node.children else text  # reported already
            return
        try:
            parent.raw[field.key] = read_rows(text, whole=field.whole)
        except ValueError as error:
            message, hint = error.args
            self._note((), "E201", f"{field.key}: {message}", hint)
            parent.raw[field.key] = None

    def _refuse_element(self, parent: _Frame, tag: str, node: _Node) -> None:
        parent.node.children.setdefault(tag, []).append(node)
        known = [] if parent.text_field else list(parent.spec.children)
        hint: Hint = f'Write it as an attribute: <{parent.tag} {tag}="...">'
        if tag not in parent.spec.attributes or not known:
            hint = partial(did_you_mean, tag, known)
        self._note((tag,), "E101", f"<{parent.tag}> has no element <{tag}>", hint)
        self.skipped = 1

    def _check_depth(self) -> None:
        if len(self.stack) + self.skipped > MAX_DEPTH:
            raise UnreadableError(
                "E007",
                f"elements are nested deeper than {MAX_DEPTH} levels, which is the limit",
                "A scene needs five",
                self.parser.CurrentByteIndex,
            )

    def _note(self, steps: ScenePath, code: str, message: str, hint: Hint) -> None:
        path = tuple(step for frame in self.stack for step in frame.steps) + steps
        self.findings.append(Finding(path, code, message, hint))


def _attribute_hint(spec: ElementSpec, name: str) -> Hint:
    if name in spec.children:
        return f"Write it as a child element: <{name}>"
    if name.endswith("_deg") and name.removesuffix("_deg") in spec.attributes:
        return f"'{name.removesuffix('_deg')}' is not an angle, so it has no twin in degrees"
    return partial(did_you_mean, name, spec.attributes)


def _not_well_formed(error: expat.ExpatError, *, empty: bool) -> tuple[str, str, str]:
    text = expat.ErrorString(error.code) or "not well-formed"
    names = expat.errors
    if text == names.XML_ERROR_NO_ELEMENTS:
        if empty:
            hint = 'Begin with <scene version="1"> and end with </scene>'
            return "E005", "the file is empty or ends before <scene>", hint
        return "E005", "the file ends before </scene>", "It seems to be cut off"
    if text in (names.XML_ERROR_UNCLOSED_TOKEN, names.XML_ERROR_UNCLOSED_CDATA_SECTION):
        return "E005", "the file ends in the middle of an element", "It seems to be cut off"
    if text == names.XML_ERROR_UNDEFINED_ENTITY:
        return (
            "E006",
            "the file uses an entity, and a scene must not",
            "Write the character itself; only &lt; &gt; &amp; &quot; and &apos; are known",
        )
    return "E005", f"the file is not well-formed XML: {text}", ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else text[:37] + "..."


# --------------------------------------------------------------------------------------
# Places
# --------------------------------------------------------------------------------------

_TAG_START = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"""\s+([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')""")


class XmlLayout:
    """Places of elements, noted while reading; those of attributes are looked up in the text."""

    def __init__(self, data: bytes, root: _Node) -> None:
        self._data = data
        self._root = root
        self._attributes: dict[int, dict[bytes, int]] = {}

    def offset(self, path: ScenePath) -> int | None:
        node, rest = self._descend(path)
        attribute = self._attribute(node, rest)
        return node.offset if attribute is None else attribute

    def has(self, path: ScenePath) -> bool:
        node, rest = self._descend(path)
        return not rest or (len(rest) == 1 and self._attribute(node, rest) is not None)

    def _descend(self, path: ScenePath) -> tuple[_Node, ScenePath]:
        """The last element on the way along ``path``, and the steps that remain."""
        node = self._root
        position = 0
        while position < len(path):
            children = node.children.get(str(path[position]))
            if not children:
                break
            step = path[position + 1] if position + 1 < len(path) else None
            if isinstance(step, int) and step < len(children):
                node = children[step]
                position += 2
            else:
                node = children[-1]
                position += 1
        return node, path[position:]

    def _attribute(self, node: _Node, rest: ScenePath) -> int | None:
        """Where the attribute that ``rest`` begins with stands in the tag of ``node``."""
        if not rest:
            return None
        key = str(rest[0]).encode(errors="replace")
        places = self._places_in_tag(node)
        found = [places[name] for name in (key, key + b"_deg") if name in places]
        return min(found, default=None)

    def _places_in_tag(self, node: _Node) -> dict[bytes, int]:
        """Place of each attribute; a tag is looked through once."""
        if node.offset not in self._attributes:
            places = self._attributes[node.offset] = {}
            start = _TAG_START.match(self._data, node.offset)
            end = start.end() if start else node.offset
            while match := _ATTRIBUTE.match(self._data, end):
                places[match[1]] = match.start(1)
                end = match.end()
        return self._attributes[node.offset]
