# SPDX-License-Identifier: GPL-3.0-or-later
"""Densities and coefficients of friction of common materials, with their sources.

Numbers for a first model: a real part is weighed, a real contact is measured.
"""

from __future__ import annotations

from typing import NamedTuple


class Density(NamedTuple):
    """A density [kg/m^3] and where it is from."""

    name: str
    value: float
    source: str


DATA_SHEETS = "usual in data sheets"
CRC = "CRC Handbook of Chemistry and Physics"

DENSITIES = {
    "STEEL": Density("Steel", 7850.0, "EN 1993-1-1, 3.2.6"),
    "ALUMINIUM": Density("Aluminium", 2700.0, "EN 1999-1-1, 3.2.5"),
    "TITANIUM": Density("Titanium", 4506.0, CRC),
    "COPPER": Density("Copper", 8960.0, CRC),
    "BRASS": Density("Brass", 8500.0, DATA_SHEETS),
    "SOFTWOOD": Density("Wood, spruce or pine", 420.0, "EN 338, class C24, mean"),
    "HARDWOOD": Density("Wood, oak or beech", 640.0, "EN 338, class D30, mean"),
    "RUBBER": Density("Rubber", 1100.0, DATA_SHEETS),
    "ABS": Density("ABS", 1050.0, DATA_SHEETS),
    "PLA": Density("PLA", 1240.0, DATA_SHEETS),
    "NYLON": Density("Nylon (PA 6)", 1140.0, DATA_SHEETS),
    "ACRYLIC": Density("Acrylic (PMMA)", 1190.0, DATA_SHEETS),
    "CARBON_FIBRE": Density("Carbon fibre in epoxy", 1600.0, DATA_SHEETS),
    "GLASS": Density("Glass", 2500.0, "EN 572-1"),
    "CONCRETE": Density("Concrete", 2400.0, "EN 1991-1-1, table A.1: 24 kN/m^3"),
    "ICE": Density("Ice", 917.0, CRC),
    "WATER": Density("Water", 998.0, f"{CRC}, 20 degrees Celsius"),
}


class Surface(NamedTuple):
    """A material of contacts: coefficients of friction against itself, restitution, density.

    The coefficients of two materials are averaged where they touch, unless a pair is given.
    """

    name: str
    static: float
    kinetic: float
    restitution: float
    density: str  # of DENSITIES
    source: str


SERWAY = "Serway and Jewett, Physics for Scientists and Engineers, table 5.1"

SURFACES = {
    "STEEL": Surface("Steel", 0.74, 0.57, 0.3, "STEEL", SERWAY),
    "ALUMINIUM": Surface("Aluminium", 0.61, 0.47, 0.3, "ALUMINIUM", f"{SERWAY}, on steel"),
    "WOOD": Surface("Wood", 0.4, 0.2, 0.3, "SOFTWOOD", SERWAY),
    "RUBBER": Surface("Rubber", 1.0, 0.8, 0.5, "RUBBER", f"{SERWAY}, on concrete"),
    "CONCRETE": Surface("Concrete", 1.0, 0.8, 0.1, "CONCRETE", f"{SERWAY}, under rubber"),
    "GLASS": Surface("Glass", 0.94, 0.4, 0.5, "GLASS", SERWAY),
    "ICE": Surface("Ice", 0.1, 0.03, 0.1, "ICE", SERWAY),
    "PLASTIC": Surface("Plastic", 0.3, 0.25, 0.4, "ABS", DATA_SHEETS),
}
