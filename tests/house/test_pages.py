"""The pages that the extension carries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shipping.pages import write_pages

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder as it lies in the zip."""
    folder = tmp_path_factory.mktemp("pages")
    write_pages(ROOT / "docs", folder)
    return folder


def links(page: Path, attribute: str) -> list[str]:
    return re.findall(rf'{attribute}="([^"]*)"', page.read_text(encoding="utf-8"))


def test_every_link_leads_somewhere(pages: Path) -> None:
    """Links lead to pages and headings that are there, or to the network; pictures are there."""
    for page in pages.glob("*.html"):
        for link in [*links(page, "href"), *links(page, "src")]:
            if "://" in link:
                continue
            file, _, heading = link.partition("#")
            target = pages / file if file else page
            assert target.is_file(), f"{page.name}: {link}"
            assert not heading or heading in links(target, "id"), f"{page.name}: {link}"


def test_links_to_other_files_become_text(tmp_path: Path) -> None:
    """What leads out of the pages stays as words."""
    (tmp_path / "blender.md").write_text(
        "# Title\n\n[a](blender-b.md#the-end) [out](../README.md) [web](https://example.org/)\n"
    )
    (tmp_path / "blender-b.md").write_text("# B\n\n## The *end*\n\n| x |\n| --- |\n| 1 |\n")

    write_pages(tmp_path, tmp_path / "made")

    page = (tmp_path / "made/blender.html").read_text()
    assert '<a href="blender-b.html#the-end">a</a>' in page
    assert "<span>out</span>" in page
    assert '<a href="https://example.org/">web</a>' in page
    assert "<title>Title</title>" in page
    assert "<td>1</td>" in (tmp_path / "made/blender-b.html").read_text()
