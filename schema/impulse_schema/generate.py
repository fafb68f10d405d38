"""Writes what is generated from the models: ``python -m impulse_schema.generate``.

The schemas go into the package; in a checkout, the reference page goes into docs/.
"""

from __future__ import annotations

import json
from pathlib import Path

from impulse_schema.json_schema import json_schema
from impulse_schema.reference import reference_page
from impulse_schema.xsd import xsd

FOLDER = Path(__file__).parent / "generated"
DOCS = Path(__file__).parents[2] / "docs"


def generated_files() -> dict[Path, str]:
    """The path and the text of each generated file."""
    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False)
    return {
        FOLDER / "scene.xsd": xsd(),
        FOLDER / "scene.schema.json": schema + "\n",
        DOCS / "scene-format.md": reference_page(),
    }


def main() -> None:
    for path, text in generated_files().items():
        if path.parent.is_dir():
            path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
