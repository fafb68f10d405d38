"""Solids: polygon meshes, their files, their defects and their mass properties.

Needs NumPy only at import time; the compiled kernels load when a mesh is integrated or checked.
"""

from impulse_core.geometry.defects import MeshDefect, check_mesh
from impulse_core.geometry.files import MeshFileError, read_mesh
from impulse_core.geometry.hull import convex_hull
from impulse_core.geometry.mass_properties import MassProperties, MassPropertiesError, combine
from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.geometry.polyhedron import polyhedron_mass_properties
from impulse_core.geometry.primitives import (
    box_mass_properties,
    capsule_mass_properties,
    cone_mass_properties,
    cylinder_mass_properties,
    ellipsoid_mass_properties,
    sphere_mass_properties,
    torus_mass_properties,
)

__all__ = [
    "MassProperties",
    "MassPropertiesError",
    "MeshDefect",
    "MeshFileError",
    "PolygonMesh",
    "box_mass_properties",
    "capsule_mass_properties",
    "check_mesh",
    "combine",
    "cone_mass_properties",
    "convex_hull",
    "cylinder_mass_properties",
    "ellipsoid_mass_properties",
    "polyhedron_mass_properties",
    "read_mesh",
    "sphere_mass_properties",
    "torus_mass_properties",
]
