"""Writes the sample scenes that are computed rather than written by hand (make samples).

A file is only touched when its content changes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from impulse_cli.experiments.scenes.chains import chain_with_both_ends_fixed, hanging_chain
from impulse_cli.experiments.scenes.trees import hub, tree
from impulse_schema import Scene, scene_to_xml

HERE = Path(__file__).resolve().parent
FOLDERS = ("mechanisms", "machines", "trials", "contact", "walking")
sys.path[:0] = [str(HERE / folder) for folder in FOLDERS]

from contacts import contacts, large  # noqa: E402
from walking_machine import walking_machines  # noqa: E402

from machines import machines  # noqa: E402
from mechanisms import mechanisms  # noqa: E402
from trials import trials  # noqa: E402


def scenes() -> dict[str, Scene]:
    """Every generated scene by its path below this folder."""
    return {
        "trees/tree-127.xml": tree(127),
        "trees/hub-127.xml": hub(127),
        "chains/hanging-chain.xml": hanging_chain(),
        "chains/chain-8-loop.xml": chain_with_both_ends_fixed(),
        **mechanisms(),
        **machines(),
        **trials(),
        **contacts(),
        **walking_machines(),
    }


def main() -> None:
    for name, scene in (scenes() | large()).items():
        write(HERE / name, scene)


def write(path: Path, scene: Scene) -> None:
    """Write a scene where the file does not hold it yet."""
    text = scene_to_xml(scene)
    current = path.exists() and path.read_bytes() == text
    if not current:
        path.write_bytes(text)
    print(f"{path.relative_to(HERE.parent)}: {'as it was' if current else 'written'}")


if __name__ == "__main__":
    main()
