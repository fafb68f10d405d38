"""Pages of the documentation for a browser, as the extension carries them.

They are the Markdown files of docs/ that those who use Blender need, with their pictures. Links to
other files become plain text: the zip holds no more than these.
"""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["PAGES", "write_pages"]

PAGES = ("blender*", "conventions", "errors", "files", "scene-format")
_FRAME = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>
body {{ max-width: 50em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif }}
img {{ max-width: 100% }} table {{ border-collapse: collapse }}
td, th {{ border: 1px solid #bbb; padding: .2em .5em; vertical-align: top; text-align: left }}
pre {{ background: #f2f2f2; padding: .7em; overflow: auto }} code {{ background: #f2f2f2 }}
</style>
{body}</html>
"""


def write_pages(source: Path, folder: Path, pages: Sequence[str] = PAGES) -> None:
    """Write the pages of the folder ``source`` with such names, and their pictures."""
    files = sorted({file for name in pages for file in source.glob(f"{name}.md")})
    names = {file.stem for file in files}
    reader = MarkdownIt("commonmark").enable("table")
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        tokens = reader.parse(file.read_text(encoding="utf-8"))
        for token in (child for outer in tokens for child in (outer, *(outer.children or ()))):
            if token.type == "image":
                _copy(source, folder, str(token.attrs["src"]))
        _name_headings(tokens)
        _lead_to_pages(tokens, names)
        body = reader.renderer.render(tokens, reader.options, {})
        title = html.escape(next(t.children[0].content for t in tokens if t.children))
        (folder / f"{file.stem}.html").write_text(
            _FRAME.format(title=title, body=body), encoding="utf-8"
        )


def _copy(source: Path, folder: Path, picture: str) -> None:
    (folder / picture).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source / picture, folder / picture)


def _name_headings(tokens: Sequence[Token]) -> None:
    """Give headings the names that links to them have: lower case, with hyphens."""
    for heading, text in pairwise(tokens):
        if heading.type == "heading_open":
            words = re.sub(r"[^\w\- ]", "", text.content.lower())
            heading.attrSet("id", words.replace(" ", "-"))


def _lead_to_pages(tokens: Sequence[Token], names: set[str]) -> None:
    """Let links lead to the pages, and be text where they lead to a file that is none."""
    for outer in tokens:
        closing: list[str] = []
        for token in outer.children or ():
            if token.type == "link_open":
                file, _, heading = str(token.attrs["href"]).partition("#")
                name = file.removesuffix(".md")
                closing.append("a")
                if name in names and name != file:
                    token.attrSet("href", f"{name}.html" + (f"#{heading}" if heading else ""))
                elif file and "://" not in file:
                    token.tag = closing[-1] = "span"
                    token.attrs.clear()
            elif token.type == "link_close":
                token.tag = closing.pop()
