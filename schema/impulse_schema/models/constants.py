"""Named numbers."""

from __future__ import annotations

from pydantic import Field

from impulse_schema.models.element import Element, Name


class Constant(Element):
    """A number with a name that the expressions of motors can use, such as ``period``."""

    name: Name = Field(
        description="A word of letters, digits and _, unique among constants; not t, pi, e, phase,"
        " or a function."
    )
    value: float = Field(description="What it stands for, in the units of the file.")
