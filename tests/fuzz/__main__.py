"""python -m tests.fuzz KIND=COUNT...: many cases, for hours if need be; goes on where it was."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from tests.fuzz.cases import KINDS
from tests.fuzz.driver import Result, fuzz, pieces

_PIECE = {"run": 50}  # cases that a worker is given at once
_ORDINARY_PIECE = 500
_PAUSE = 60.0  # s between two lines that say how far it is


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("wanted", nargs="+", metavar="KIND=COUNT", type=_kind_and_count)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/fuzz"))
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    results = [
        _fuzz(kind, given.first, count, given.output, given.workers) for kind, count in given.wanted
    ]
    return 1 if any(result.faults for result in results) else 0


def _kind_and_count(text: str) -> tuple[str, int]:
    kind, _, count = text.partition("=")
    if kind not in KINDS:
        raise ValueError(kind)
    return kind, int(count)


def _fuzz(kind: str, first: int, count: int, output: Path, workers: int) -> Result:
    """Judge what earlier runs into the same folder have left, and say how it stands."""
    log = output / f"{kind}.jsonl"
    total, done = _done_before(log)
    left = [p for p in pieces(first, count, _PIECE.get(kind, _ORDINARY_PIECE)) if p not in done]
    before, began, told = total.seconds, time.monotonic(), time.monotonic()

    def tell(piece: range, result: Result) -> None:
        nonlocal told
        total.add({"ends": result.ends, "faults": result.faults})
        total.seconds = before + time.monotonic() - began
        line = {
            "piece": [piece.start, piece.stop],
            "ends": result.ends,
            "faults": result.faults,
            "seconds": total.seconds,
        }
        with log.open("a") as file:
            print(json.dumps(line), file=file)
        if time.monotonic() - told > _PAUSE:
            told = time.monotonic()
            print(f"{kind}: {total}", flush=True)

    fuzz(kind, left, output, workers=workers, tell=tell)
    print(f"{kind}: {total}", flush=True)
    return total


def _done_before(log: Path) -> tuple[Result, set[range]]:
    """What earlier runs into the same folder have done."""
    total, done = Result(), set()
    for line in log.read_text().splitlines() if log.exists() else []:
        answer = json.loads(line)
        total.add(answer)
        total.seconds = answer["seconds"]
        done.add(range(*answer["piece"]))
    return total, done


if __name__ == "__main__":
    sys.exit(main())
