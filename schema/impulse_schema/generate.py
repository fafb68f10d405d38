"""Writes the generated schema files: ``python -m impulse_schema.generate``."""

from __future__ import annotations

import json
from pathlib import Path

from impulse_schema.json_schema import json_schema
from impulse_schema.xsd import xsd

FOLDER = Path(__file__).parent / "generated"


def generated_files() -> dict[str, str]:
    """The name and the text of each generated file."""
    return {
        "scene.xsd": xsd(),
        "scene.schema.json": json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n",
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in generated_files().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
