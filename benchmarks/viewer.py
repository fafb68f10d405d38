"""What the page of ``impulse view`` costs: publishing, and the way to the first picture.

    python benchmarks/viewer.py

A client of the websocket stands for the browser: it takes all that is sent and draws nothing.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import viser
from websockets.sync.client import connect

from impulse_cli.viewer.address import ANY_PORT, Address, open_server
from impulse_cli.viewer.player import Player
from impulse_cli.viewer.stage import Stage
from impulse_core.recording import Recording
from impulse_schema import Body, Geometry, Scene

ROOT = Path(__file__).resolve().parents[1]
BODIES = 500
SECONDS = 5.0
RATE = 30.0
SHAPES = (
    Geometry(shape="box", size=(0.2, 0.3, 0.1)),
    Geometry(shape="sphere", radius=0.1),
    Geometry(shape="capsule", radius=0.05, height=0.2),
)


def heap() -> Player:
    """Many bodies of three kinds that all move and turn."""
    random = np.random.default_rng(5)
    frames = 61
    turns = random.normal(size=(frames, BODIES, 4))
    recording = Recording(
        scene="heap",
        fps=RATE,
        step=0.01,
        method="imp2",
        solver="direct",
        times=np.arange(frames) / RATE,
        body_names=tuple(f"b{k}" for k in range(BODIES)),
        positions=random.normal(size=(frames, BODIES, 3)),
        orientations=turns / np.linalg.norm(turns, axis=2, keepdims=True),
    )
    bodies = [
        Body(name=name, mass=1.0, geometry=[SHAPES[k % 3]])
        for k, name in enumerate(recording.body_names)
    ]
    return Player(recording, Scene(version=1, bodies=bodies))


def publishing() -> tuple[float, float, float]:
    """Share of a core, pictures received in a second, and kilobytes of each."""
    address = Address("127.0.0.1", ANY_PORT)
    server = open_server(address, "bench")
    player = heap()
    stage = Stage(server, player.scene)
    url = address.url.replace("http", "ws").rstrip("/")
    ended = threading.Event()
    # In another process, so that its time is not counted.
    reader = subprocess.Popen(
        [sys.executable, __file__, "--read", url], stdout=subprocess.PIPE, text=True
    )
    assert reader.stdout is not None
    reader.stdout.readline()  # it is connected
    cpu, begun = time.process_time(), time.monotonic()
    number = 0
    while time.monotonic() - begun < SECONDS:
        stage.draw(player.frame())
        number += 1
        ended.wait(max(0.0, begun + number / RATE - time.monotonic()))
    share = (time.process_time() - cpu) / (time.monotonic() - begun)
    reader.terminate()
    received = [int(word) for word in reader.stdout.readline().split()]
    reader.wait()
    server.stop()
    return share, received[0] / SECONDS, received[1] / max(received[0], 1) / 1e3


def read(url: str) -> None:
    """Take what is sent until the process is told to end; count messages and bytes."""
    import signal

    with connect(url, subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as connection:  # type: ignore[list-item]
        while True:  # what is there already
            try:
                connection.recv(timeout=0.3)
            except TimeoutError:
                break
        print("connected", flush=True)
        counts = [0, 0]

        def tell(*_: object) -> None:
            print(*counts, flush=True)
            sys.exit()

        signal.signal(signal.SIGTERM, tell)
        while True:
            counts[1] += len(connection.recv())
            counts[0] += 1


def first_picture(scene: Path) -> tuple[float, float]:
    """From the start of the command to its address, and to all that a first picture needs [s]."""
    begun = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "impulse_cli",
        "view",
        str(scene),
        "--no-browser",
        "--port",
        "0",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    told = time.monotonic() - begun
    where = url.replace("http", "ws").rstrip("/")
    with connect(where, subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as connection:  # type: ignore[list-item]
        content = b""
        while b"BatchedMeshes" not in content and len(content) < 1000:
            content = bytes(connection.recv(decode=False))
    seen = time.monotonic() - begun
    process.terminate()
    process.wait()
    return told, seen


def main() -> None:
    """Print the figures."""
    share, rate, size = publishing()
    print(f"{BODIES} bodies: {100 * share:.1f} % of a core, {rate:.1f} pictures/s of {size:.1f} kB")
    scene = ROOT / "sample_scenes" / "walking" / "walking-machine.xml"
    first_picture(scene)  # kernels and files are warm now
    times = [first_picture(scene) for _ in range(3)]
    told, seen = np.min(times, axis=0)
    print(f"walking machine: address after {told:.2f} s, first picture sent after {seen:.2f} s")


if __name__ == "__main__":
    if "--read" in sys.argv:
        read(sys.argv[-1])
    else:
        main()
