"""Installs the zip in a Blender with a window, and looks whether a machine moves in it.

    BLENDER=/path/to/blender python -m tests.window [-o FOLDER] [--zip ZIP]

Where no screen is named by DISPLAY, a virtual one is started (Xvfb). The kernel cache and Blender's
own settings are empty folders, so that all is as after a first installation. Pictures, the log and
the numbers stay in FOLDER (build/window). BLENDER may be a script that starts Blender elsewhere, as
in a container, where the folder of this project has to be in the same place.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 1200.0  # of the whole session
SCREEN = ":97"
# What the tutorial shows of the screen: the 3D view with its sidebar; pixels.
VIEW = (0, 40, 1330, 800)
SHOWN_WIDTH = 900
PYTHON = "import sys; print('python', '%d.%d' % sys.version_info[:2])"
# What must hold of the numbers of a session.
MOST = {
    "installed, to an example that moves [s]": 30.0,
    "clicks for it": 5,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Try the extension in a Blender with a window.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "window")
    parser.add_argument("--zip", type=Path, help="the extension; default that of make extension")
    parser.add_argument(
        "--tutorial", action="store_true", help="take the pictures of docs/first-walker.md instead"
    )
    parser.add_argument(
        "--repository", action="store_true", help="install from the index beside the zip instead"
    )
    parser.add_argument(
        "--large", action="store_true", help="look how long large scenes block the window instead"
    )
    options = parser.parse_args()
    blender = os.environ.get("BLENDER")
    if not blender:
        sys.exit("Name a Blender: make test-window BLENDER=/path/to/blender")
    output = options.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    environment = os.environ | {
        "BLENDER_USER_RESOURCES": str(output / "user"),
        "IMPULSE_CACHE_DIR": str(output / "kernels"),
    }
    with screen(environment):
        archive = options.zip or zip_for(blender, environment)
        script = "tutorial.py" if options.tutorial else "session.py"
        if options.repository:
            script = "repository.py"
        if options.large:
            script = "large.py"
        run(blender, script, archive.resolve(), output, environment)
    code = conclude(output)
    if options.tutorial and code == 0:
        keep_pictures(output)
    return code


@contextmanager
def screen(environment: dict[str, str]):
    """A screen to draw on: that of DISPLAY, else a virtual one where there can be one."""
    if environment.get("DISPLAY") or not shutil.which("Xvfb"):
        yield
        return
    environment["DISPLAY"] = SCREEN
    size = ["-screen", "0", "1600x1000x24", "+extension", "GLX"]
    server = subprocess.Popen(["Xvfb", SCREEN, *size], stderr=subprocess.DEVNULL)
    try:
        time.sleep(2.0)
        yield
    finally:
        server.terminate()
        server.wait()


def zip_for(blender: str, environment: dict[str, str]) -> Path:
    """The zip of make extension for the Python of that Blender."""
    command = [blender, "--background", "--factory-startup", "--python-expr", PYTHON]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    said = [line for line in done.stdout.splitlines() if line.startswith("python ")]
    if not said:
        sys.exit(f"{blender} does not start:\n{done.stdout}{done.stderr}")
    found = sorted((ROOT / "dist").glob(f"impulse-linux-*-python{said[0].split()[1]}.zip"))
    if not found:
        sys.exit(f"There is no zip for {said[0]} in dist; build it with make extension.")
    return found[-1]


def run(
    blender: str, script: str, archive: Path, output: Path, environment: dict[str, str]
) -> None:
    """One session, whose output goes into a log."""
    script = str(ROOT / "tests" / "window" / script)
    command = [
        *(blender, "--factory-startup", "--window-geometry", "0", "0", "1600", "1000"),
        "--enable-event-simulate",  # what the mouse does is told by the script
        *("--python-exit-code", "1", "--python", script, "--", str(archive), str(output)),
    ]
    with (output / "blender.log").open("w") as log:
        try:
            subprocess.run(
                command, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False,
                timeout=MOST_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            log.write(f"\nTraceback: no end after {MOST_SECONDS} s\n")


def conclude(output: Path) -> int:
    """Print the numbers and what went wrong; the exit code."""
    log = (output / "blender.log").read_text(encoding="utf-8", errors="replace")
    place = output / "result.json"
    if not place.exists():
        print(log[-5000:], "\nBlender ended before the last step.", sep="\n")
        return 1
    result = json.loads(place.read_text(encoding="utf-8"))
    print(f"Blender {result['blender']}: {result.get('answer', '')}")
    wrong = list(result["wrong"])
    for name, value in result["numbers"].items():
        print(f"  {name}: {value:.3g}")
        if value > MOST.get(name, float("inf")):
            wrong.append(f"{name}: {value:.3g} instead of at most {MOST[name]:g}")
    if "Traceback" in log:
        wrong.append(f"There is a traceback in {output / 'blender.log'}:\n{traces(log)}")
    compiled = list((output / "kernels").rglob("*.nbi"))
    if compiled:
        wrong.append(f"{len(compiled)} kernels were compiled that the zip should carry.")
    print(*wrong, sep="\n")
    print(f"Pictures are in {output}.")
    return 1 if wrong else 0


def keep_pictures(output: Path) -> None:
    """The pictures of the tutorial, small, in the documentation."""
    from PIL import Image

    folder = ROOT / "docs" / "images" / "first-walker"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(output.glob("[01][0-9]-*.png")):
        picture = Image.open(path).convert("RGB").crop(VIEW)
        picture.thumbnail((SHOWN_WIDTH, SHOWN_WIDTH))
        picture.save(folder / f"{path.stem}.webp", quality=60, method=6)


def traces(log: str) -> str:
    """The first traceback of a log."""
    return log[log.index("Traceback") :][:2000]


if __name__ == "__main__":
    sys.exit(main())
