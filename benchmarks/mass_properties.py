"""Mass properties of a mesh with one million triangles: read, check, integrate.

    python benchmarks/mass_properties.py [--triangles N] [--formats ply,stl,obj]

Prints the seconds of each stage, the compile time of the kernels apart, and how far the result
is from the same integrals summed in extended precision.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry import (
    MassProperties,
    PolygonMesh,
    check_mesh,
    polyhedron_mass_properties,
    read_mesh,
)

Result = TypeVar("Result")
REPETITIONS = 5


def bumpy_sphere(triangles: int) -> PolygonMesh:
    """A closed, sphere-like, non-convex surface of about ``triangles`` faces, off the origin."""
    rows = max(4, round((triangles / 4) ** 0.5))
    columns = 2 * rows
    polar, azimuth = np.meshgrid(
        np.pi * np.arange(1, rows + 1) / (rows + 1),
        2 * np.pi * np.arange(columns) / columns,
        indexing="ij",
    )
    radius = 1.0 + 0.1 * np.sin(6 * azimuth) * np.sin(5 * polar) ** 2
    points = np.stack(
        [
            radius * np.sin(polar) * np.cos(azimuth),
            radius * np.sin(polar) * np.sin(azimuth),
            radius * np.cos(polar),
        ],
        axis=-1,
    )
    middle = np.array([3.0, -2.0, 1.0])
    vertices = middle + np.vstack([points.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
    north, south = len(vertices) - 2, len(vertices) - 1
    number = np.arange(rows * columns).reshape(rows, columns)
    right = np.roll(number, -1, axis=1)
    upper, lower = number[:-1].ravel(), number[1:].ravel()
    upper_right, lower_right = right[:-1].ravel(), right[1:].ravel()
    faces = np.vstack(
        [
            np.c_[upper, lower, lower_right],
            np.c_[upper, lower_right, upper_right],
            np.c_[np.full(columns, north), number[0], right[0]],
            np.c_[right[-1], number[-1], np.full(columns, south)],
        ]
    )
    return PolygonMesh.from_rows(vertices, faces)


def write_ply(mesh: PolygonMesh, path: Path) -> None:
    """Binary PLY, double precision."""
    faces = mesh.corners.reshape(-1, 3)
    records = np.zeros(len(faces), [("count", "u1"), ("corners", "<i4", 3)])
    records["count"], records["corners"] = 3, faces
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(mesh.vertices)}\n"
        "property double x\nproperty double y\nproperty double z\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    path.write_bytes(header.encode() + mesh.vertices.astype("<f8").tobytes() + records.tobytes())


def write_stl(mesh: PolygonMesh, path: Path) -> None:
    """Binary STL, single precision."""
    faces = mesh.corners.reshape(-1, 3)
    records = np.zeros(
        len(faces), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]
    )
    records["corners"] = mesh.vertices[faces]
    path.write_bytes(bytes(80) + np.uint32(len(faces)).tobytes() + records.tobytes())


def write_obj(mesh: PolygonMesh, path: Path) -> None:
    """OBJ, with all digits."""
    with path.open("w", encoding="ascii") as file:
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in mesh.vertices.tolist())
        faces = (mesh.corners.reshape(-1, 3) + 1).tolist()
        file.writelines(f"f {a} {b} {c}\n" for a, b, c in faces)


WRITERS: dict[str, Callable[[PolygonMesh, Path], None]] = {
    "ply": write_ply,
    "stl": write_stl,
    "obj": write_obj,
}


def timed(call: Callable[[], Result], repetitions: int = REPETITIONS) -> tuple[Result, float]:
    """Result and median seconds of a call."""
    seconds = []
    for _ in range(repetitions):
        start = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - start)
    return result, statistics.median(seconds)


def extended_precision(mesh: PolygonMesh) -> tuple[float, NDArray[np.float64]]:
    """Volume and inertia about the centre, of triangles, summed as tetrahedra in long double."""
    points = mesh.vertices.astype(np.longdouble)
    a, b, c = (points - points.mean(axis=0))[mesh.corners.reshape(-1, 3)].transpose(1, 0, 2)
    determinant = np.sum(a * np.cross(b, c), axis=1)
    volume = determinant.sum() / 6
    total = a + b + c
    center = (determinant[:, None] * total).sum(axis=0) / (24 * volume)
    second = np.zeros((3, 3), dtype=np.longdouble)
    for i in range(3):
        for j in range(3):
            products = total[:, i] * total[:, j] + sum(p[:, i] * p[:, j] for p in (a, b, c))
            second[i, j] = (determinant * products).sum() / 120
    second -= volume * np.outer(center, center)
    inertia = np.trace(second) * np.eye(3) - second
    return float(volume), inertia.astype(np.float64)


def deviation(body: MassProperties, mesh: PolygonMesh) -> float:
    """Largest relative difference of volume and inertia from the extended sums."""
    volume, inertia = extended_precision(mesh)
    return max(
        abs(body.volume - volume) / volume,
        float(np.max(np.abs(body.inertia - inertia)) / np.max(np.abs(inertia))),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triangles", type=int, default=1_000_000)
    parser.add_argument("--formats", default="ply,stl,obj")
    options = parser.parse_args()

    _, compile_seconds = timed(lambda: _touch_kernels(bumpy_sphere(64)), repetitions=1)
    mesh = bumpy_sphere(options.triangles)
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
    print(f"{mesh.face_count} triangles, {len(mesh.vertices)} vertices")
    print(
        f"first use of the kernels (compiling, or loading from the cache): {compile_seconds:.2f} s"
    )
    print(f"{'format':8}{'MB':>8}{'read s':>10}{'check s':>10}{'integrate s':>13}{'error':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.formats.split(","):
            path = Path(folder) / f"sphere.{name}"
            WRITERS[name](mesh, path)
            read, read_seconds = timed(lambda path=path: read_mesh(path), repetitions=3)
            defects, check_seconds = timed(lambda read=read: check_mesh(read))
            body, seconds = timed(lambda read=read: polyhedron_mass_properties(read))
            if defects:
                raise SystemExit(f"{name}: " + " ".join(map(str, defects)))
            print(
                f"{name:8}{path.stat().st_size / 1e6:8.1f}{read_seconds:10.3f}"
                f"{check_seconds:10.3f}{seconds:13.3f}{deviation(body, read):11.1e}"
            )


def _touch_kernels(mesh: PolygonMesh) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_stl(mesh, Path(folder) / "small.stl")
        read_mesh(Path(folder) / "small.stl")
    check_mesh(mesh)
    polyhedron_mass_properties(mesh)


if __name__ == "__main__":
    main()
