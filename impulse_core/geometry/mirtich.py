"""Volume integrals of a polyhedron by Mirtich's algorithm, as compiled kernels.

The divergence theorem turns the ten integrals of 1, x, y, z, x^2, y^2, z^2, xy, yz, zx over the
volume into integrals over the faces; each face is projected onto the coordinate plane in which
its shadow is largest; Green's theorem turns the integrals over the shadow into sums over its
edges. Polygons may have any number of corners and need not be convex.

Source: B. Mirtich, "Fast and Accurate Computation of Polyhedral Mass Properties", Journal of
Graphics Tools 1(2), 1996. The symbols are the paper's: axes alpha, beta span the projection,
gamma is the axis projected away; P projection integrals, F face integrals, T volume integrals.
"""

from __future__ import annotations

import numpy as np

from impulse_core.algebra import cross, dot, norm, vec3_at
from impulse_core.geometry.polygons import PLANE_TO_ROUND_OFF, plane_of
from impulse_core.jit import array_kernel

__all__ = ["volume_integrals"]


@array_kernel
def volume_integrals(vertices, corners, offsets):
    """The ten volume integrals, shape (10,): 1, x, y, z, x^2, y^2, z^2, xy, yz, zx.

    ``vertices`` should be given relative to a point near the solid: the integrals are about the
    origin, and what a far origin adds would have to cancel again.
    """
    integrals = np.zeros(10)
    lost = np.zeros(10)
    triangle = np.zeros((3, 3))
    three = np.array([0, 1, 2])
    for f in range(len(offsets) - 1):
        start, end = offsets[f], offsets[f + 1]
        mean, area, size, deviation = plane_of(vertices, corners, start, end)
        if deviation <= PLANE_TO_ROUND_OFF * size:
            _add_face(vertices, corners, start, end, area, integrals, lost)
            continue
        for k in range(start, end):
            following = k + 1 if k + 1 < end else start
            for axis in range(3):
                triangle[0, axis] = mean[axis]
                triangle[1, axis] = vertices[corners[k], axis]
                triangle[2, axis] = vertices[corners[following], axis]
            edge1 = vec3_at(triangle, 1) - mean
            edge2 = vec3_at(triangle, 2) - mean
            _add_face(triangle, three, 0, 3, 0.5 * cross(edge1, edge2), integrals, lost)
    return integrals + lost


@array_kernel
def _add_face(vertices, corners, start, end, area, integrals, lost):
    """Adds n_i times the face integrals of one planar polygon to the volume integrals."""
    if not (norm(area) > 0.0):
        return
    n = area * (1.0 / norm(area))
    c = 0
    if abs(n.y) > abs(n[c]):
        c = 1
    if abs(n.z) > abs(n[c]):
        c = 2
    a = (c + 1) % 3
    b = (a + 1) % 3
    na, nb, nc = n[a], n[b], n[c]
    f = _face_integrals(
        _projection_integrals(vertices, corners, start, end, a, b),
        na,
        nb,
        nc,
        -dot(n, vec3_at(vertices, corners[start])),
    )
    fa, fb, fc, faa, fbb, fcc, faaa, fbbb, fccc, faab, fbbc, fcca = f
    _add(integrals, lost, 0, n.x * (fa if a == 0 else (fb if b == 0 else fc)))
    _add(integrals, lost, 1 + a, na * faa / 2.0)
    _add(integrals, lost, 1 + b, nb * fbb / 2.0)
    _add(integrals, lost, 1 + c, nc * fcc / 2.0)
    _add(integrals, lost, 4 + a, na * faaa / 3.0)
    _add(integrals, lost, 4 + b, nb * fbbb / 3.0)
    _add(integrals, lost, 4 + c, nc * fccc / 3.0)
    _add(integrals, lost, 7 + a, na * faab / 2.0)
    _add(integrals, lost, 7 + b, nb * fbbc / 2.0)
    _add(integrals, lost, 7 + c, nc * fcca / 2.0)


@array_kernel
def _add(sums, lost, i, term):
    """Neumaier's compensated sum: what a million rounded additions lose is kept beside it."""
    total = sums[i] + term
    if abs(sums[i]) >= abs(term):
        lost[i] += (sums[i] - total) + term
    else:
        lost[i] += (term - total) + sums[i]
    sums[i] = total


@array_kernel
def _projection_integrals(vertices, corners, start, end, axis_a, axis_b):
    """P of 1, a, b, aa, ab, bb, aaa, aab, abb, bbb over the shadow in the alpha-beta plane."""
    p1 = pa = pb = paa = pab = pbb = paaa = paab = pabb = pbbb = 0.0
    a0 = vertices[corners[end - 1], axis_a]
    b0 = vertices[corners[end - 1], axis_b]
    for k in range(start, end):
        a1 = vertices[corners[k], axis_a]
        b1 = vertices[corners[k], axis_b]
        da = a1 - a0
        db = b1 - b0
        a0_2 = a0 * a0
        a0_3 = a0_2 * a0
        b0_2 = b0 * b0
        b0_3 = b0_2 * b0
        a1_2 = a1 * a1
        a1_3 = a1_2 * a1
        b1_2 = b1 * b1
        b1_3 = b1_2 * b1
        c1 = a1 + a0
        ca = a1 * c1 + a0_2
        caa = a1 * ca + a0_3
        caaa = a1 * caa + a0_2 * a0_2
        cb = b1 * (b1 + b0) + b0_2
        cbb = b1 * cb + b0_3
        cbbb = b1 * cbb + b0_2 * b0_2
        cab = 3.0 * a1_2 + 2.0 * a1 * a0 + a0_2
        kab = a1_2 + 2.0 * a1 * a0 + 3.0 * a0_2
        caab = a0 * cab + 4.0 * a1_3
        kaab = a1 * kab + 4.0 * a0_3
        cabb = 4.0 * b1_3 + 3.0 * b1_2 * b0 + 2.0 * b1 * b0_2 + b0_3
        kabb = b1_3 + 2.0 * b1_2 * b0 + 3.0 * b1 * b0_2 + 4.0 * b0_3
        p1 += db * c1
        pa += db * ca
        paa += db * caa
        paaa += db * caaa
        pb += da * cb
        pbb += da * cbb
        pbbb += da * cbbb
        pab += db * (b1 * cab + b0 * kab)
        paab += db * (b1 * caab + b0 * kaab)
        pabb += da * (a1 * cabb + a0 * kabb)
        a0 = a1
        b0 = b1
    return (
        p1 / 2.0,
        pa / 6.0,
        -pb / 6.0,
        paa / 12.0,
        pab / 24.0,
        -pbb / 12.0,
        paaa / 20.0,
        paab / 60.0,
        -pabb / 60.0,
        -pbbb / 20.0,
    )


@array_kernel
def _face_integrals(projection, na, nb, nc, w):
    """F of a, b, c, aa, bb, cc, aaa, bbb, ccc, aab, bbc, cca over the face n . x + w = 0.

    On the face c = -(na a + nb b + w) / nc, and dA = da db / |nc|.
    """
    p1, pa, pb, paa, pab, pbb, paaa, paab, pabb, pbbb = projection
    k1 = 1.0 / nc
    k2 = k1 * k1
    k3 = k2 * k1
    k4 = k3 * k1
    na2 = na * na
    nb2 = nb * nb
    plane1 = na * pa + nb * pb
    plane2 = na2 * paa + 2.0 * na * nb * pab + nb2 * pbb
    plane3 = na2 * na * paaa + 3.0 * na2 * nb * paab + 3.0 * na * nb2 * pabb + nb2 * nb * pbbb
    return (
        k1 * pa,
        k1 * pb,
        -k2 * (plane1 + w * p1),
        k1 * paa,
        k1 * pbb,
        k3 * (plane2 + w * (2.0 * plane1 + w * p1)),
        k1 * paaa,
        k1 * pbbb,
        -k4 * (plane3 + w * (3.0 * plane2 + w * (3.0 * plane1 + w * p1))),
        k1 * paab,
        -k2 * (na * pabb + nb * pbbb + w * pbb),
        k3
        * (
            na2 * paaa
            + 2.0 * na * nb * paab
            + nb2 * pabb
            + w * (2.0 * (na * paa + nb * pab) + w * pa)
        ),
    )
