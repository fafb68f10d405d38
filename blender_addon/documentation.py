# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the pages of the documentation are: in the extension itself, so that they open offline."""

from pathlib import Path

HERE = Path(__file__).parent


def url(page: str, heading: str = "") -> str:
    """The address of a page, such as "blender", and of a heading on it, such as "joints".

    A zip holds the pages for a browser; a checkout has their sources.
    """
    packed = HERE / "docs" / f"{page}.html"
    file = packed if packed.exists() else HERE.parent / "docs" / f"{page}.md"
    return file.absolute().as_uri() + (f"#{heading}" if heading else "")
