"""``check_mesh``: what keeps a mesh from being the surface of a solid, by name and place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.edges import EdgeUses, is_closed, odd_edges, sides_of
from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.geometry.polyhedron import LARGEST_COORDINATE, middle_of

__all__ = ["DefectKind", "MeshDefect", "check_mesh"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DefectKind = Literal[
    "empty",
    "non-finite",
    "missing-vertex",
    "open",
    "inconsistent",
    "non-manifold",
    "degenerate",
    "non-planar",
    "zero-volume",
    "inside-out",
]

# A face counts as degenerate if its area is below this part of its size squared; as not planar
# if a corner leaves the mean plane by more than this part of its size (vertices stored in single
# precision stay below it).
AREA_TOLERANCE = 1e-12
PLANE_TOLERANCE = 1e-5
# A closed surface has no volume if it encloses less than this part of area times extent.
VOLUME_TOLERANCE = 1e-12

_SHOWN = 3  # offenders a message spells out


@dataclass(frozen=True)
class MeshDefect:
    """One kind of defect of a mesh, with all its offenders.

    Attributes:
        kind: what it is.
        message: one sentence that says what is wrong and where; faces and vertices count from 0.
        remedy: one sentence that says what to do.
        count: number of offending edges, faces or vertices.
        fatal: True if mass properties of the mesh would be meaningless.
        faces: numbers of offending faces (for edges: of a face each belongs to).
        edges: offending edges as pairs of vertex numbers.
        flip_repairs: True if ``mesh.flipped()`` is the repaired mesh.
    """

    kind: DefectKind
    message: str
    remedy: str
    count: int
    fatal: bool = True
    faces: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    flip_repairs: bool = False

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}"


def check_mesh(mesh: PolygonMesh) -> list[MeshDefect]:
    """All defects of a mesh, those that make it useless first; an empty list for a sound solid.

    Looked for, in this order: no faces, vertices that are not finite, faces that refer to missing
    vertices; open edges, edges whose two faces disagree about the outside, edges of more than two
    faces; degenerate and non-planar faces (not fatal: the first contribute nothing, the second
    are cut into triangles around their mean corner); zero volume, shells turned inside out.

    Not looked for: surfaces that pass through themselves or through another shell.
    """
    if unusable := _unusable(mesh):
        return unusable
    defects = _edge_defects(mesh)
    from impulse_core.geometry.polygons import polygon_table  # compiled: only when needed

    centred = mesh.vertices - middle_of(mesh)
    areas, sizes, deviations, volumes = polygon_table(centred, mesh.corners, mesh.offsets)
    if not defects:
        defects += _volume_defects(mesh, areas, volumes)
    defects += _degenerate_faces(mesh, areas, sizes)
    defects += _non_planar_faces(mesh, areas, sizes, deviations)
    return defects


# ---------------------------------------------------------------------------------------
# Numbers that cannot be used at all
# ---------------------------------------------------------------------------------------


def _unusable(mesh: PolygonMesh) -> list[MeshDefect]:
    if mesh.face_count == 0 or len(mesh.corners) == 0:
        return [MeshDefect("empty", "The mesh has no faces.", "Give it a closed surface.", 0)]
    defects = []
    bad_vertices = np.flatnonzero(~(np.abs(mesh.vertices) <= LARGEST_COORDINATE).all(axis=1))
    if len(bad_vertices):
        listed = _listed(f"vertex {i} is {_place(mesh.vertices[i])}" for i in bad_vertices[:_SHOWN])
        defects.append(
            MeshDefect(
                "non-finite",
                f"{_count(bad_vertices, 'vertex has', 'vertices have')} coordinates that are not"
                f" finite or beyond {LARGEST_COORDINATE:g} m: {listed}{_rest(len(bad_vertices))}.",
                "Give every vertex three finite coordinates, in a unit that fits.",
                len(bad_vertices),
            )
        )
    vertex_count = len(mesh.vertices)
    bad_corners = np.flatnonzero((mesh.corners < 0) | (mesh.corners >= vertex_count))
    if len(bad_corners):
        faces = np.searchsorted(mesh.offsets, bad_corners, side="right") - 1
        listed = _listed(
            f"face {face} names vertex {mesh.corners[corner]}"
            for face, corner in zip(faces[:_SHOWN], bad_corners[:_SHOWN], strict=True)
        )
        defects.append(
            MeshDefect(
                "missing-vertex",
                f"Faces refer to vertices that do not exist: {listed}{_rest(len(bad_corners))}.",
                f"There are {vertex_count} vertices, numbered from 0 to {vertex_count - 1}.",
                len(bad_corners),
                faces=_numbers(np.unique(faces)),
            )
        )
    return defects


# ---------------------------------------------------------------------------------------
# Edges
# ---------------------------------------------------------------------------------------


def _edge_defects(mesh: PolygonMesh) -> list[MeshDefect]:
    begin, end, face = sides_of(mesh)
    if is_closed(begin, end, len(mesh.vertices)):
        return []
    odd = odd_edges(begin, end, face, len(mesh.vertices))
    defects = []
    if np.any(chosen := odd.uses == 1):
        defects.append(_open_edges(mesh, odd, chosen, begin, end))
    if np.any(chosen := odd.uses == 2):
        listed = _listed(
            f"{_edge(mesh, odd, i)} is used in the same direction by faces"
            f" {odd.faces[i, 0]} and {odd.faces[i, 1]}"
            for i in np.flatnonzero(chosen)[:_SHOWN]
        )
        count = int(np.count_nonzero(chosen))
        defects.append(
            _edge_defect(
                "inconsistent",
                f"Neighbouring faces disagree about which side is outside: {listed}{_rest(count)}.",
                "Make all faces counter-clockwise seen from outside (in Blender: Recalculate"
                " Outside).",
                odd,
                chosen,
            )
        )
    if np.any(chosen := odd.uses > 2):
        listed = _listed(
            f"{_edge(mesh, odd, i)} belongs to {odd.uses[i]} faces"
            for i in np.flatnonzero(chosen)[:_SHOWN]
        )
        count = int(np.count_nonzero(chosen))
        defects.append(
            _edge_defect(
                "non-manifold",
                f"{_count(chosen, 'edge belongs', 'edges belong')} to more than two faces:"
                f" {listed}{_rest(count)}.",
                "Remove inner faces; give solids that only touch along an edge vertices of"
                " their own.",
                odd,
                chosen,
            )
        )
    return defects


def _open_edges(
    mesh: PolygonMesh, odd: EdgeUses, chosen: NDArray[np.bool_], begin: Ints, end: Ints
) -> MeshDefect:
    count = int(np.count_nonzero(chosen))
    listed = _listed(
        f"{_edge(mesh, odd, i)} of face {odd.faces[i, 0]}" for i in np.flatnonzero(chosen)[:_SHOWN]
    )
    remedy = "Close the surface: fill the hole or delete the loose face."
    if _welding_closes(mesh, begin, end):
        remedy = (
            "Vertices at the same place are not shared between faces: merge them (in Blender:"
            " Merge by Distance), then the surface is closed."
        )
    return _edge_defect(
        "open",
        f"The surface is open: {_count(chosen, 'edge belongs', 'edges belong')} to one face only:"
        f" {listed}{_rest(count)}.",
        remedy,
        odd,
        chosen,
    )


def _welding_closes(mesh: PolygonMesh, begin: Ints, end: Ints) -> bool:
    from impulse_core.geometry.weld import weld

    distinct, number = weld(mesh.vertices)
    return len(distinct) < len(number) and is_closed(number[begin], number[end], len(distinct))


def _edge_defect(
    kind: DefectKind, message: str, remedy: str, odd: EdgeUses, chosen: NDArray[np.bool_]
) -> MeshDefect:
    edges = tuple((low, high) for low, high in odd.ends[chosen].tolist())
    return MeshDefect(
        kind, message, remedy, len(edges), faces=_numbers(odd.faces[chosen, 0]), edges=edges
    )


# ---------------------------------------------------------------------------------------
# Faces
# ---------------------------------------------------------------------------------------


def _degenerate_faces(mesh: PolygonMesh, areas: Floats, sizes: Floats) -> list[MeshDefect]:
    counts = np.diff(mesh.offsets)
    following = np.roll(mesh.corners, -1)
    filled = counts > 0
    following[mesh.offsets[1:][filled] - 1] = mesh.corners[mesh.offsets[:-1][filled]]
    face_of_corner = np.repeat(np.arange(mesh.face_count), counts)
    repeats = np.zeros(mesh.face_count, dtype=bool)
    repeats[face_of_corner[mesh.corners == following]] = True
    few = counts < 3
    flat = areas <= AREA_TOLERANCE * sizes**2
    faces = np.flatnonzero(few | repeats | flat)
    if len(faces) == 0:
        return []

    def reason(face: int) -> str:
        if few[face]:
            return f"face {face} has {counts[face]} corners"
        if repeats[face]:
            return f"face {face} {mesh.face(face).tolist()} repeats a vertex"
        return f"face {face} at {_place(mesh.vertices[mesh.face(face)[0]])} has no area"

    return [
        MeshDefect(
            "degenerate",
            f"{_count(faces, 'face is', 'faces are')} degenerate:"
            f" {_listed(reason(face) for face in faces[:_SHOWN])}{_rest(len(faces))}.",
            "They add nothing to the mass; dissolve them to be rid of this message.",
            len(faces),
            fatal=False,
            faces=_numbers(faces),
        )
    ]


def _non_planar_faces(
    mesh: PolygonMesh, areas: Floats, sizes: Floats, deviations: Floats
) -> list[MeshDefect]:
    bent = (deviations > PLANE_TOLERANCE * sizes) & (areas > AREA_TOLERANCE * sizes**2)
    faces = np.flatnonzero(bent)
    if len(faces) == 0:
        return []
    listed = _listed(
        f"face {face} at {_place(mesh.vertices[mesh.face(face)[0]])}, size {sizes[face]:.3g} m,"
        f" is off by {deviations[face]:.3g} m"
        for face in faces[:_SHOWN]
    )
    return [
        MeshDefect(
            "non-planar",
            f"{_count(faces, 'polygon is', 'polygons are')} not planar (a corner leaves the mean"
            f" plane by more than {PLANE_TOLERANCE:g} of the size): {listed}{_rest(len(faces))}.",
            "Each counts as triangles around its mean corner; triangulate the mesh to say"
            " which surface is meant.",
            len(faces),
            fatal=False,
            faces=_numbers(faces),
        )
    ]


# ---------------------------------------------------------------------------------------
# Volume: of all, and shell by shell
# ---------------------------------------------------------------------------------------


def _volume_defects(mesh: PolygonMesh, areas: Floats, volumes: Floats) -> list[MeshDefect]:
    """Defects of a closed, consistently oriented surface."""
    from impulse_core.geometry.nesting import find_shells

    extent = float(np.linalg.norm(np.ptp(mesh.vertices[mesh.corners], axis=0)))
    shells = find_shells(mesh, volumes)
    smallest = VOLUME_TOLERANCE * float(areas.sum()) * extent
    if np.all(np.abs(shells.volumes) <= smallest):
        return [
            MeshDefect(
                "zero-volume",
                f"The surface encloses no volume ({float(volumes.sum()):.3g} m^3).",
                "Give the solid a thickness.",
                mesh.face_count,
            )
        ]
    wrong = np.flatnonzero((shells.volumes < 0.0) != (shells.depths % 2 == 1))
    wrong = wrong[np.abs(shells.volumes[wrong]) > smallest]
    if len(wrong) == 0:
        return []
    if len(wrong) == len(shells.volumes):
        return [
            MeshDefect(
                "inside-out",
                f"The mesh is turned inside out: its volume is {float(volumes.sum()):.6g} m^3.",
                "Fixable: flip all faces (in Blender: Recalculate Outside).",
                mesh.face_count,
                faces=tuple(range(mesh.face_count)),
                flip_repairs=True,
            )
        ]
    return [_wrong_shell(shells.faces_of(shell), int(shells.depths[shell])) for shell in wrong]


def _wrong_shell(faces: Ints, depth: int) -> MeshDefect:
    shell = f"The shell of {len(faces)} faces that begins with face {faces[0]}"
    if depth % 2 == 0:
        message = f"{shell} is turned inside out."
        remedy = "Flip its faces."
    else:
        message = f"{shell} lies inside another shell and faces outwards, so it would count twice."
        remedy = "Flip its faces if it is a cavity, delete it if it is not."
    return MeshDefect("inside-out", message, remedy, len(faces), faces=_numbers(faces))


# ---------------------------------------------------------------------------------------
# Wording
# ---------------------------------------------------------------------------------------


def _edge(mesh: PolygonMesh, odd: EdgeUses, i: int) -> str:
    low, high = odd.ends[i]
    return f"edge {low}-{high} from {_place(mesh.vertices[low])} to {_place(mesh.vertices[high])}"


def _place(point: Floats) -> str:
    return f"({point[0]:.6g}, {point[1]:.6g}, {point[2]:.6g})"


def _listed(parts: Iterable[str]) -> str:
    return "; ".join(parts)


def _rest(count: int) -> str:
    return f"; and {count - _SHOWN} more" if count > _SHOWN else ""


def _count(offenders: NDArray[Any], singular: str, plural: str) -> str:
    """'1 edge belongs', '3 edges belong'; of a mask the true elements count."""
    is_mask = offenders.dtype == np.bool_
    count = int(np.count_nonzero(offenders)) if is_mask else len(offenders)
    return f"{count} {singular if count == 1 else plural}"


def _numbers(values: Ints) -> tuple[int, ...]:
    return tuple(values.tolist())
