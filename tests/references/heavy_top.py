"""The heavy top of Brüls, Cardona and Arnold: numbers of the benchmark.

A symmetric top on a fixed point at the world origin, starting with its centre of mass at
(0, 1, 0) m and the angular velocity (0, 150, -4.61538) rad/s. Source: Brüls, Cardona and Arnold,
Lie group generalized-α time integration of constrained flexible multibody systems, 2012.
"""

from __future__ import annotations

__all__ = ["ANGULAR_VELOCITY", "CENTER", "CENTER_AT_1_S", "ENERGY", "GRAVITY", "INERTIA", "MASS"]

MASS = 15.0
"""[kg]"""
INERTIA = (0.234375, 0.46875, 0.234375)
"""Principal moments about the centre of mass [kg m²]."""
CENTER = (0.0, 1.0, 0.0)
"""Centre of mass from the fixed point [m]."""
ANGULAR_VELOCITY = (0.0, 150.0, -4.61538)
"""At the start [rad/s]."""
GRAVITY = (0.0, 0.0, -9.81)
"""[m/s²]"""
ENERGY = 5435.696790865547
"""Kinetic energy at the start, where the potential is zero [J]."""
CENTER_AT_1_S = (0.173343964098, 0.640088592071, -0.748490791134)
"""Centre of mass at t = 1 s [m]."""
