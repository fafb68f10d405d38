"""Writers for the mesh readers' tests: bytes of OBJ, STL and PLY files."""

import numpy as np


def obj_bytes(mesh, corner="{0}"):
    """``corner`` is a format of the vertex number from 1, as '{0}/{0}'."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += ["f " + " ".join(corner.format(i + 1) for i in face) for face in mesh.faces()]
    return ("\n".join(lines) + "\n").encode()


def triangles_of(mesh):
    """Corner points of a triangle mesh, shape (F, 3, 3)."""
    return mesh.vertices[mesh.corners.reshape(-1, 3)]


def stl_text(mesh):
    lines = ["solid test"]
    for triangle in triangles_of(mesh).tolist():
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += [f"      vertex {x!r} {y!r} {z!r}" for x, y, z in triangle]
        lines += ["    endloop", "  endfacet"]
    return ("\n".join([*lines, "endsolid test"]) + "\n").encode()


def stl_binary(mesh, header=b"binary"):
    triangles = triangles_of(mesh)
    records = np.zeros(
        len(triangles), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]
    )
    records["corners"] = triangles
    return header.ljust(80, b"\0") + np.uint32(len(triangles)).tobytes() + records.tobytes()


def ply_bytes(mesh, form, real="double", index="int", count="uchar", extras=False):
    """``extras``: more properties around the needed ones, and an element between them."""
    header = ["ply", f"format {form} 1.0", "comment a test"]
    header += [f"element vertex {len(mesh.vertices)}"]
    header += ["property uchar red"] * extras
    header += [f"property {real} {axis}" for axis in "xyz"]
    header += ["element edge 2", "property int v1", "property list uchar short w"] * extras
    header += [f"element face {mesh.face_count}"]
    header += ["property short flags"] * extras
    header += [f"property list {count} {index} vertex_indices"]
    header += ["property list uchar float texcoord"] * extras
    header += ["end_header", ""]
    rows = [
        ([("uchar", 200)] * extras) + [(real, x) for x in vertex]
        for vertex in mesh.vertices.tolist()
    ]
    edges = [[("int", 7), ("uchar", length), *[("short", 3)] * length] for length in (1, 2)]
    rows += edges * extras
    for face in mesh.faces():
        row = [("short", -1)] * extras + [(count, len(face))] + [(index, i) for i in face]
        rows.append(row + [("uchar", 2), ("float", 0.5), ("float", 0.25)] * extras)
    if form == "ascii":
        body = "\n".join(" ".join(repr(value) for _, value in row) for row in rows) + "\n"
        return ("\n".join(header) + body).encode()
    order = "<" if "little" in form else ">"
    body = b"".join(
        np.array(value, order + DTYPES[kind]).tobytes() for r in rows for kind, value in r
    )
    return "\n".join(header).encode() + body


DTYPES = {
    "uchar": "u1", "short": "i2", "int": "i4", "uint": "u4", "float": "f4", "double": "f8"
}  # fmt: skip
