"""Processes that are killed or asked to end while they write: what is left behind.

    python -m tests.soak.kills --kills 300 --signals 200

Each part returns how many of its processes were hit before they ended by themselves, and fails
where a file is neither the old one nor the new one, where frames are lost, or where a stray file
outlives the next run. Tests call the same functions with small numbers.
"""

from __future__ import annotations

import argparse
import random
import signal
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from impulse_core.recording import Recording, check_output, load_recording, unfinished_beside
from tests.processes import start_python

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"

WRITER = """
import sys
import numpy as np
from impulse_core.recording import Recording

frames, names = 400, tuple(f"body-{k}" for k in range(20))
def recording(step):
    return Recording(
        scene="s", fps=1.0, step=step, method="imp2", solver="direct",
        times=np.arange(frames), body_names=names, positions=np.random.rand(frames, 20, 3),
        orientations=np.tile([1.0, 0.0, 0.0, 0.0], (frames, 20, 1)))

for k in range(1, 1000):
    recording(float(k)).save(sys.argv[1])
    print(k, flush=True)
"""

GROWER = """
import sys
import numpy as np
from impulse_core.recording import GrowingFile
from impulse_core.recording.data import RecordingData

bodies, file = 30, GrowingFile(sys.argv[1])
for k in range(1_000_000):
    frames = np.arange(3 * k, 3 * k + 3, dtype=float)
    file.add(RecordingData(
        scene="s", fps=1.0, step=1.0, method="imp2", solver="direct", times=frames,
        body_names=tuple(f"body-{b}" for b in range(bodies)),
        positions=np.sqrt(frames)[:, None, None] + np.arange(3.0 * bodies).reshape(bodies, 3),
        orientations=np.tile([1.0, 0.0, 0.0, 0.0], (3, bodies, 1)),
        energy={"kinetic": frames}, events=[{"time": float(3 * k), "kind": "note"}]))
    assert not file.problem, file.problem
    print(3 * k + 3, flush=True)
"""

PENDULUM = """\
<scene version="1" name="pendulum">
  <settings duration="{duration}" fps="1000"/>
  <body name="bob" position="1 0 0" mass="1" inertia="0.1 0.1 0.1"/>
  <joint type="distance" name="rod" body1="world" body2="bob" anchor="0 0 0" anchor2="1 0 0"/>
</scene>
"""


def strays(folder: Path) -> list[Path]:
    """Temporary files."""
    return sorted(folder.glob(".*"))


def kill_writers(count: int, folder: Path, seed: int = 0) -> int:
    """Kill processes that write one file again and again, by SIGKILL at any moment.

    Afterwards the file is a whole one, the last that was said to be written or the next; and what
    is left beside it is gone when the same file is to be written again.
    """
    chance, landed = random.Random(seed), 0
    for number in range(count):
        output = folder / f"anim{number % 2}{chance.choice(['.json', '.npz'])}"
        with start_python("-c", WRITER, output) as process:
            assert process.stdout is not None
            said = process.stdout.readline()
            time.sleep(chance.uniform(0.0, 0.3))
            process.kill()
            said += process.stdout.read()
        landed += process.returncode == -signal.SIGKILL
        last = int(said.split()[-1])
        assert load_recording(output).step in {last, last + 1}
        assert len(strays(folder)) <= 1
        check_output(output)
        assert not strays(folder)
    return landed


def kill_growers(count: int, folder: Path, seed: int = 0) -> int:
    """Kill processes by SIGKILL while a file of frames grows, which this process reads meanwhile.

    At any moment there are whole frames only, never fewer than before, and in the end all that
    were said to be written.
    """
    chance, landed = random.Random(seed), 0
    for number in range(count):
        output, seen = folder / f"grows{number}.imprec", 0
        with start_python("-c", GROWER, output) as process:
            assert process.stdout is not None
            said = process.stdout.readline()
            until = time.monotonic() + chance.uniform(0.0, 0.5)
            while time.monotonic() < until:
                seen = _require_growth(output, seen)
            process.kill()
            said += process.stdout.read()
        landed += process.returncode == -signal.SIGKILL
        last = int(said.split()[-1])
        assert max(seen, last) <= _require_growth(output, seen) <= last + 3
        assert not strays(folder)
    return landed


def _require_growth(output: Path, seen: int) -> int:
    """How many frames there are: the right ones, and no fewer than were seen."""
    recording = load_recording(output)
    frames = np.arange(recording.frame_count, dtype=float)
    assert recording.frame_count >= max(seen, 3)
    assert recording.times.tolist() == frames.tolist()
    expected = np.sqrt(frames)[:, None, None] + np.arange(90.0).reshape(30, 3)
    assert recording.positions.tobytes() == expected.tobytes()
    assert [event["kind"] for event in recording.events][-1] == "unfinished"
    assert len(recording.events) == recording.frame_count // 3 + 1
    assert not recording.complete
    return recording.frame_count


def kill_runs(count: int, folder: Path, seed: int = 0, seconds: float = 3.0) -> int:
    """Kill ``impulse run`` by SIGKILL at any moment, also while it writes.

    The output is the old one; what the run had computed is beside it, and its beginning the same.
    """
    chance, landed = random.Random(seed), 0
    scene, output = folder / "scene.xml", folder / "anim.json"
    scene.write_text(PENDULUM.format(duration=5), encoding="utf-8")
    with start_python("-m", "impulse_cli", "run", scene, "-o", output) as finished:
        finished.communicate()
    assert finished.returncode == 0
    whole = load_recording(output).positions.tobytes()
    for _ in range(count):
        with start_python("-m", "impulse_cli", "run", scene, "-o", output) as process:
            time.sleep(chance.uniform(0.0, seconds))
            process.kill()
        landed += process.returncode == -signal.SIGKILL
        assert load_recording(output).positions.tobytes() == whole
        check_output(output)
        for left in unfinished_beside(output):
            frames = load_recording(left)
            assert frames.frame_count >= 1
            assert whole.startswith(frames.positions.tobytes())
            left.unlink()
        assert not strays(folder)
    return landed


def signal_runs(count: int, folder: Path, seed: int = 0, seconds: float = 1.5) -> int:
    """Ask ``impulse run`` to end at any moment after its first step: the frames are kept."""
    chance, landed = random.Random(seed), 0
    scene = folder / "scene.xml"
    scene.write_text(PENDULUM.format(duration=20), encoding="utf-8")
    for number in range(count):
        output = folder / f"anim{chance.choice(['.json', '.npz'])}"
        output.unlink(missing_ok=True)
        words = ("run", scene, "-o", output, "--progress", "json")
        with start_python("-m", "impulse_cli", *words) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if '"simulating"' in line:
                    break
            time.sleep(chance.uniform(0.0, seconds))
            if process.poll() is None:
                process.send_signal((signal.SIGINT, signal.SIGTERM)[number % 2])
            _, errors = process.communicate(timeout=120)
        # A signal in the last moments of Python itself ends the process by that signal.
        assert process.returncode in {0, 130, -signal.SIGTERM, -signal.SIGINT}, errors
        landed += process.returncode != 0
        recording = load_recording(output)
        assert recording.frame_count >= 1, errors
        assert recording.complete == (recording.frame_count == 20_001), errors
        assert not strays(folder)
    return landed


def kill_long_runs(count: int, folder: Path, seed: int = 0, seconds: float = 3.0) -> int:
    """Kill a run with checkpoints again and again, by SIGKILL at any moment, and resume it.

    At any moment its file holds the beginning of the run that nobody killed, and in the end all of
    it, with the same hash of the state.
    """
    chance, landed, resumed = random.Random(seed), 0, 0
    scene = SAMPLES / "walking" / "walking-machine.xml"
    words = ("-m", "impulse_cli", "run", scene, "--duration", "60", "--contacts", "-o")
    with start_python(*words, folder / "whole.imprec") as process:
        _, errors = process.communicate()
    assert process.returncode == 0, errors
    whole = load_recording(folder / "whole.imprec")
    output, positions = folder / "cut.imprec", whole.positions.tobytes()
    for _ in range(count):
        with start_python(*words, output, "--checkpoint", "0.05", "--resume") as process:
            time.sleep(chance.uniform(0.0, seconds))
            process.kill()
            _, errors = process.communicate()
        assert process.returncode in {0, -signal.SIGKILL}, errors
        landed += process.returncode != 0
        if output.exists():
            cut = load_recording(output)
            assert positions.startswith(cut.positions.tobytes())
            resumed += 0 < cut.frame_count < whole.frame_count
            if cut.complete:
                _require_same(cut, whole)
                output.unlink()
    with start_python(*words, output, "--resume") as process:
        _, errors = process.communicate()
    assert process.returncode == 0, errors
    _require_same(load_recording(output), whole)
    for aside in folder.glob(".*.imprec"):  # of runs that were killed before their first checkpoint
        assert positions.startswith(load_recording(aside).positions.tobytes())
    assert resumed or count < 5
    return landed


def _require_same(found: Recording, whole: Recording) -> None:
    """All frames, contacts, events and the state at the end are the same to the last bit."""
    for name in ("times", "positions", "orientations"):
        assert getattr(found, name).tobytes() == getattr(whole, name).tobytes()
    for name, values in whole.contacts.items():
        assert found.contacts[name].tobytes() == values.tobytes()
    assert found.complete
    assert found.events == whole.events
    for name in ("state_sha256", "step_count", "energy_j", "contacts", "max_joint_error_m"):
        assert found.diagnostics[name] == whole.diagnostics[name]


def main() -> None:
    """Run all parts and print how many hit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--signals", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for part, count in (
        (kill_writers, given.kills // 3),
        (kill_growers, given.kills // 3),
        (kill_runs, given.kills - 2 * (given.kills // 3)),
        (kill_long_runs, 2 * (given.kills // 3)),
        (signal_runs, given.signals),
    ):
        began = time.monotonic()
        with TemporaryDirectory() as folder:
            landed = part(count, Path(folder), given.seed)
        took = time.monotonic() - began
        print(f"{part.__name__}: {landed} of {count} hit, in {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
