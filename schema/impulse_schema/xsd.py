"""The XML schema (XSD 1.0), generated from the models.

It is for editors and for other programs. It knows every element, attribute, enumeration and
number of components, and lets children stand in any order; what only the checks can see
(references, ranges, combinations) it lets pass, so it never refuses a sound scene.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from impulse_schema.bounds import bounds_text
from impulse_schema.fields import ElementSpec, FieldSpec, all_elements
from impulse_schema.models import Scene

_BASE_TYPES = {
    "number": "xs:double",
    "integer": "xs:integer",
    "boolean": "Boolean",
    "text": "xs:string",
    "choice": "xs:string",
    "version": "xs:string",
}


def xsd() -> str:
    """The XSD of scene files, as text."""
    return "\n".join(_schema()) + "\n"


def _schema() -> Iterator[str]:
    specs = list(all_elements(Scene))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<!-- Generated from the models by python -m impulse_schema.generate. -->"
    yield '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
    yield '  <xs:element name="scene" type="Scene"/>'
    yield from _boolean_type()
    yield from _number_list_types(specs)
    for spec in specs:
        yield from _element_type(spec)
    yield "</xs:schema>"


def _boolean_type() -> Iterator[str]:
    yield '  <xs:simpleType name="Boolean">'
    yield '    <xs:restriction base="xs:boolean">'
    yield '      <xs:pattern value="true|false"/>'
    yield "    </xs:restriction>"
    yield "  </xs:simpleType>"


def _number_list_types(specs: list[ElementSpec]) -> Iterator[str]:
    """Lists of numbers: of any length, and of each length that occurs."""
    for name, item in (("Numbers", "xs:double"), ("Integers", "xs:integer")):
        yield f'  <xs:simpleType name="{name}">'
        yield f'    <xs:list itemType="{item}"/>'
        yield "  </xs:simpleType>"
    fields = [field for spec in specs for field in spec.fields.values()]
    counts = {count for field in fields if field.kind == "numbers" for count in field.counts}
    for count in sorted(counts):
        yield f'  <xs:simpleType name="Numbers{count}">'
        yield '    <xs:restriction base="Numbers">'
        yield f'      <xs:length value="{count}"/>'
        yield "    </xs:restriction>"
        yield "  </xs:simpleType>"


def _element_type(spec: ElementSpec) -> Iterator[str]:
    yield f'  <xs:complexType name="{spec.model.__name__}">'
    yield from _documentation(inspect.cleandoc(spec.model.__doc__ or ""), "    ")
    if spec.children:
        yield '    <xs:choice minOccurs="0" maxOccurs="unbounded">'
        for tag, field in spec.children.items():
            yield f'      <xs:element name="{tag}" type="{_child_type(field)}">'
            yield from _documentation(_description(field, field.unit), "        ")
            yield "      </xs:element>"
        yield "    </xs:choice>"
    for key, field in spec.attributes.items():
        yield from _attribute(key, field)
    yield "  </xs:complexType>"


def _child_type(field: FieldSpec) -> str:
    if field.model is not None:
        return field.model.__name__
    if field.kind == "rows":
        return "Integers" if field.whole else "Numbers"
    return "xs:string"


def _attribute(key: str, field: FieldSpec) -> Iterator[str]:
    in_degrees = key != field.key
    use = ' use="required"' if field.required and not field.angle else ""
    unit = field.unit.replace("rad", "deg") if in_degrees else field.unit
    inline = field.choices or len(field.counts) > 1
    type_ = "" if inline else f' type="{_attribute_type(field)}"'
    yield f'    <xs:attribute name="{key}"{type_}{use}>'
    yield from _documentation(_description(field, unit), "      ")
    if inline:
        yield from _inline_type(field)
    yield "    </xs:attribute>"


def _attribute_type(field: FieldSpec) -> str:
    if field.kind == "numbers":
        return f"Numbers{field.counts[0]}" if field.counts else "Numbers"
    return _BASE_TYPES[field.kind]


def _inline_type(field: FieldSpec) -> Iterator[str]:
    yield "      <xs:simpleType>"
    if field.choices:
        yield f'        <xs:restriction base="{_BASE_TYPES[field.kind]}">'
        for choice in field.choices:
            yield f'          <xs:enumeration value="{choice}"/>'
        yield "        </xs:restriction>"
    else:
        members = " ".join(f"Numbers{count}" for count in field.counts)
        yield f'        <xs:union memberTypes="{members}"/>'
    yield "      </xs:simpleType>"


def _description(field: FieldSpec, unit: str) -> str:
    if not field.has_bounds:
        return field.description
    bounds = bounds_text(field.unit, field.sign)
    if unit != field.unit:
        return f"{field.description} [{unit}; in radians {bounds}]"
    return f"{field.description} [{bounds}{f' {unit}' if unit else ''}]"


def _documentation(text: str, indent: str) -> Iterator[str]:
    text = text.replace("``", "").replace("&", "&amp;").replace("<", "&lt;")
    lines = text.split("\n")
    yield f"{indent}<xs:annotation>"
    if len(lines) == 1:
        yield f"{indent}  <xs:documentation>{text}</xs:documentation>"
    else:
        yield f"{indent}  <xs:documentation>"
        yield from (f"{indent}    {line}".rstrip() for line in lines)
        yield f"{indent}  </xs:documentation>"
    yield f"{indent}</xs:annotation>"
