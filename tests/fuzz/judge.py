"""Runs the command line on a case, in this process, and says how that ended.

Good ends are "good", "refused" (exit 1, with a sentence for each problem that names the file) and
"failed" (exit 3, the frames so far kept). All others are faults of the program:

    fault      exit 70, or an exception that even the command line did not catch
    exit       an exit code that has no place here
    silent     refused without a sentence that names the file
    memory     more was asked for than there is
    number     an output holds NaN or infinity
    notation   XML and JSON of a scene are not the same scene
    bits       the frame rate changed the motion
    warning    Python warned of something, which a user sees as a piece of source code
"""

from __future__ import annotations

import io
import json
import math
import re
import sys
import traceback
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from impulse_cli.main import execute
from impulse_core import load_recording, load_scene

__all__ = ["GOOD_ENDS", "Verdict", "judge"]

GOOD_ENDS = ("good", "refused", "failed")
_INTERNAL = 70
_ENTRY = re.compile(r'File ".*/((?:impulse|tests)\w*/[^"]*)", line \d+, in (\S+)')


class Verdict(NamedTuple):
    """How a case ended, a line that tells one cause from another, and what was printed."""

    outcome: str
    signature: str = ""
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        return self.outcome not in GOOD_ENDS


class _EndError(Exception):
    """The case has its verdict before all was tried."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


class _Said(NamedTuple):
    code: int
    out: str
    err: str


def judge(kind: str, path: Path) -> Verdict:
    """Try everything that the program does with a file of this kind; outputs lie beside it."""
    try:
        return Verdict(_TRIALS[kind](path))
    except _EndError as end:
        return end.verdict


def _judge_scene(path: Path) -> str:
    """Validate; of every fourth that is good, ask for the facts and the other notation."""
    outcome = _validate(path)
    if outcome == "good" and _one_in(4, path):
        _strict_json(_call("info", "--json", path).out, "info")
        other = path.with_name("converted.json" if path.suffix == ".xml" else "converted.xml")
        _call("convert", path, other)
        if load_scene(path) != load_scene(other):
            raise _EndError(Verdict("notation", "XML and JSON differ"))
    return outcome


def _validate(path: Path) -> str:
    said = _call("validate", "--json", path)
    files = _strict_json(said.out, "validate")["files"]
    problems = files[0]["problems"]
    if bool(problems) != (said.code == 1):
        raise _EndError(Verdict("exit", f"validate ends with {said.code}", said.out))
    for problem in problems:
        if not (problem["message"] and problem["file"] == str(path)):
            raise _EndError(Verdict("silent", f"problem {problem['code']}", said.out))
    return "refused" if problems else "good"


def _judge_mesh(path: Path) -> str:
    """Mass properties; with every second file also a scene that has a body of this shape."""
    said = _call("mass", "--json", path, "--density", "1000", codes=(0, 1))
    if said.out:
        _strict_json(said.out, "mass")
    outcome = "good" if said.code == 0 else "refused"
    if said.code and not said.out:
        _require_sentence(path, said)
    if not _one_in(2, path):
        return outcome
    shape = "mesh" if _one_in(4, path) else "convex_hull"
    body = {"name": "a", "density": 1000, "geometry": [{"shape": shape, "mesh": "m"}]}
    scene = {"version": 1, "meshes": [{"name": "m", "file": path.name}], "bodies": [body]}
    around = path.with_name("around.json")
    around.write_text(json.dumps(scene))
    _validate(around)
    return outcome


def _judge_recording(path: Path) -> str:
    """Tables of what animations hold, and parts of them; now and then a picture."""
    _call("convert", path, path.with_name("part.npz"), "--start", "0.03", codes=(0, 1))
    table = path.with_name("table.csv")
    said = _call("plot", path, "energy", "momentum", "positions", "-o", table, codes=(0, 1))
    if said.code:
        _require_sentence(path, said)
        return "refused"
    if any(not _is_finite(cell) for cell in re.split(r"[,\n]", table.read_text())):
        raise _EndError(Verdict("number", "plot writes a number that is not finite"))
    for quantity in ("angle", "contact_force"):
        _call("plot", path, quantity, "-o", table, codes=(0, 1))
    if _one_in(64, path):
        _call("plot", path, "positions", "-o", path.with_name("picture.svg"), codes=(0, 1))
    return "good"


def _one_in(count: int, path: Path) -> bool:
    """Whether more is tried on this file; always the same answer for the same content."""
    return zlib.crc32(path.read_bytes()) % count == 0


def _is_finite(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:  # a title, or nothing
        return True


def _judge_run(path: Path) -> str:
    """A run; whatever its end, the recording and the report can be read and hold numbers."""
    if _validate(path) == "refused":
        return "refused"
    output, report = path.with_name("out.json"), path.with_name("report.json")
    for file in (output, report):
        file.unlink(missing_ok=True)
    said = _run(path, output, report)
    if said.code == 1:
        _require_sentence(path, said)
        return "refused"
    recording = load_recording(output)
    measured = _strict_json(report.read_text(), "report")
    if said.code == 3:
        if recording.complete or not any(e["kind"] == "failure" for e in recording.events):
            raise _EndError(
                Verdict("silent", "failed, but the recording does not say so", said.err)
            )
        return "failed"
    _require_same_bits(path, output, report, measured)
    return "good"


def _run(path: Path, output: Path, report: Path, *options: str) -> _Said:
    words = ("run", path, "-o", output, "--report", report, "--progress", "none", *options)
    return _call(*words, codes=(0, 1, 3))


def _require_same_bits(path: Path, output: Path, report: Path, measured: dict[str, Any]) -> None:
    """Every fourth scene is run at another frame rate."""
    if not _one_in(4, path):
        return
    said = _run(path, output, report, "--fps", "333")
    again = _strict_json(report.read_text(), "report") if said.code == 0 else {}
    if again.get("state_sha256") != measured["state_sha256"]:
        raise _EndError(Verdict("bits", "the frame rate changes the motion", said.err))


_TRIALS = {
    "scene": _judge_scene,
    "mesh": _judge_mesh,
    "recording": _judge_recording,
    "run": _judge_run,
}


# --------------------------------------------------------------------------------------
# One command
# --------------------------------------------------------------------------------------


def _call(*words: str | Path, codes: tuple[int, ...] = (0, 1)) -> _Said:
    """What a command says and its exit code; faults end the case."""
    arguments = [str(word) for word in words]
    with _captured() as (out, err), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        code = _execute(arguments)
    said = _Said(code, _text(out), _text(err))
    if code == _INTERNAL:
        raise _EndError(Verdict("fault", _cause(said.err), said.err))
    if "not enough memory" in said.err:
        raise _EndError(Verdict("memory", f"{words[0]} runs out of memory", said.err))
    if code not in codes:
        raise _EndError(Verdict("exit", f"{words[0]} ends with {code}", said.err))
    if warned:
        first = warned[0]
        place = "/".join(Path(first.filename).parts[-2:])
        detail = f"{first.filename}:{first.lineno}: {first.message}\n"
        raise _EndError(Verdict("warning", f"{first.category.__name__} in {place}", detail))
    return said


def _execute(arguments: list[str]) -> int:
    """The exit code; an exception that the command line lets through is a fault as well."""
    try:
        return execute(arguments)
    except Exception as error:
        trace = "".join(traceback.format_exception(error))
        raise _EndError(Verdict("fault", _cause(trace), trace)) from None


@contextmanager
def _captured() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Standard output and error as of a program whose terminal takes UTF-8 only."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = streams
    try:
        yield streams[0], streams[1]
    finally:
        sys.stdout, sys.stderr = before


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def _cause(trace: str) -> str:
    """The exception and the innermost function of ours, as a traceback has them."""
    entries = _ENTRY.findall(trace)
    lines = trace.rstrip().splitlines()
    kinds = [line.partition(":")[0] for line in lines if re.match(r"[A-Za-z_][\w.]*(:|$)", line)]
    place = " ".join(entries[-1]) if entries else "?"
    return f"{kinds[-1] if kinds else '?'} in {place}"


def _require_sentence(path: Path, said: _Said) -> None:
    if path.name not in said.err:
        raise _EndError(Verdict("silent", "refused without naming the file", said.err))


def _strict_json(text: str, what: str) -> Any:
    def refuse(constant: str) -> Any:
        raise _EndError(Verdict("number", f"{what} writes {constant}", text))

    return json.loads(text, parse_constant=refuse)
