"""``impulse mass``: mass properties of a mesh file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from impulse_cli.errors import print_problems
from impulse_cli.exit_codes import GOOD, WRONG_INPUT
from impulse_cli.parameters import FILE, json_option, positive
from impulse_cli.terminal import complain, say, say_json

if TYPE_CHECKING:
    from impulse_core.geometry import MassProperties, MeshDefect

_METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}


@click.command()
@click.argument("mesh", type=FILE)
@click.option(
    "--density",
    metavar="D",
    type=positive("kg/m^3"),
    required=True,
    help="[kg/m^3]; steel 7850, water 1000.",
)
@click.option(
    "--unit",
    type=click.Choice(list(_METRES)),
    help="Unit of length in the file.  [default: m]",
)
@click.option(
    "--scale",
    metavar="F",
    type=positive(""),
    help="Metres per unit of the file, instead of --unit.",
)
@json_option
def mass(mesh: Path, density: float, unit: str | None, scale: float | None, as_json: bool) -> int:
    """Mass, centre of mass, inertia and principal axes of the solid inside MESH.

    MESH is an .obj, .stl or .ply file. Its surface has to be closed; it may be of polygons,
    non-convex, and have cavities. What is wrong with it is listed with a remedy.

    \b
    Keys of the JSON: mass_kg, volume_m3, center_of_mass_m, inertia_kg_m2 (3 x 3, about the
    centre of mass), principal_moments, principal_axes (a unit vector for each moment, in the
    axes of the file), defects (those that do no harm).

    \b
    Example:
      impulse mass wheel.stl --density 7850 --unit mm
    """
    if unit is not None and scale is not None:
        raise click.UsageError("Give --unit or --scale, not both.")
    from impulse_core.geometry import (
        MassPropertiesError,
        check_mesh,
        polyhedron_mass_properties,
        read_mesh,
    )

    polygons = read_mesh(mesh, scale if scale is not None else _METRES[unit or "m"])
    defects = check_mesh(polygons)
    if any(defect.fatal for defect in defects):
        _report_defects(mesh, defects, as_json)
        return WRONG_INPUT
    try:
        solid = polyhedron_mass_properties(polygons, density)
    except MassPropertiesError as error:
        raise MassPropertiesError(f"{mesh}: {error}") from None
    values = _values(solid, defects)
    if as_json:
        say_json(values)
    else:
        for defect in defects:
            complain(f"{mesh}: warning: {defect}")
        for line in _lines(values):
            say(line)
    return GOOD


def _values(body: MassProperties, defects: list[MeshDefect]) -> dict[str, Any]:
    moments, axes = body.principal()
    return {
        "mass_kg": body.mass,
        "volume_m3": body.volume,
        "center_of_mass_m": body.center_of_mass.tolist(),
        "inertia_kg_m2": body.inertia.tolist(),
        "principal_moments": moments.tolist(),
        "principal_axes": axes.T.tolist(),
        "defects": _defects_as_data(defects),
    }


def _defects_as_data(defects: list[MeshDefect]) -> list[dict[str, Any]]:
    return [
        {
            "kind": defect.kind,
            "message": defect.message,
            "remedy": defect.remedy,
            "count": defect.count,
            "fatal": defect.fatal,
        }
        for defect in defects
    ]


def _report_defects(mesh: Path, defects: list[MeshDefect], as_json: bool) -> None:
    if as_json:
        say_json({"defects": _defects_as_data(defects)})
    else:
        print_problems([f"{mesh}: {defect}" for defect in defects])


def _lines(values: dict[str, Any]) -> list[str]:
    lines = [
        f"mass               {values['mass_kg']:.9g} kg",
        f"volume             {values['volume_m3']:.9g} m^3",
        f"centre of mass     {_row(values['center_of_mass_m'])}  m",
    ]
    titles = ["inertia about it", "", ""]
    lines += [
        f"{title:18} {_row(row)}  kg m^2"
        for title, row in zip(titles, values["inertia_kg_m2"], strict=True)
    ]
    lines += [
        f"principal moment   {moment:16.9g}  kg m^2 about {_row(axis)}"
        for moment, axis in zip(values["principal_moments"], values["principal_axes"], strict=True)
    ]
    return lines


def _row(numbers: list[float]) -> str:
    return " ".join(f"{number:16.9g}" for number in numbers)
