"""Loads on bodies and springs between them."""

from __future__ import annotations

from collections.abc import Iterator

from impulse_schema.checks.names import WORLD, Names
from impulse_schema.checks.signals import check_signals
from impulse_schema.checks.vectors import are_apart
from impulse_schema.models import Load, SpringDamper
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath


def check_load(load: Load, path: ScenePath, names: Names) -> Iterator[Finding]:
    """Findings on ``load``: it acts, on a body that moves, for a while."""
    yield from names.check_body(load.body, (*path, "body"), world=False)
    yield from names.check_body(load.reaction_body, (*path, "reaction_body"), world=True)
    body = names.bodies.get(load.body)
    if body is not None and body.motion != "dynamic":
        message = f"the body '{load.body}' is {body.motion}, so a load does not move it"
        yield Finding((*path, "body"), "E801", message, "Name a dynamic body")
    if load.body == load.reaction_body != WORLD:
        message = f"force and opposite force both act on '{load.body}'"
        yield Finding((*path, "reaction_body"), "E804", message, "Name another body")
    if load.until is not None and not load.until > load.from_:
        message = f"the load ends at {load.until:g} s, and begins at {load.from_:g} s"
        yield Finding((*path, "until"), "E802", message, "It ends after it begins")
    if load.curve is not None and load.expression is not None:
        message = "the factor of a load is given once, here curve and expression are given"
        yield Finding(path, "E808", message, "Keep one of them")
    if load.phase and load.expression is None:
        message = "phase stands for a number in the expression of a load, and there is none"
        yield Finding((*path, "phase"), "E808", message, "Leave it out, or give an expression")
    yield from check_signals(load, path, names, "sin(2*pi*t)")
    if not any(load.force) and not any(load.torque):
        yield Finding(path, "E803", "the load has neither force nor torque", "Give one of them")
    elif load.point is not None and not any(load.force):
        message = "point is where a force acts, and there is none"
        yield Finding((*path, "point"), "E803", message, "Leave it out")


def check_spring(spring: SpringDamper, path: ScenePath, names: Names) -> Iterator[Finding]:
    """Findings on ``spring``: it does something, between two bodies."""
    yield from check_two_bodies(spring.body1, spring.body2, path, names, "the spring")
    if spring.stiffness == 0 and spring.damping == 0:
        message = "the spring has neither stiffness nor damping"
        yield Finding(path, "E805", message, "Give one of them")
    if spring.rest_length and not are_apart(spring.anchor, spring.anchor2):
        message = "anchor and anchor2 are the same point, so the spring has no direction"
        yield Finding((*path, "anchor2"), "E706", message, "Move one, or write rest_length 0")


def check_two_bodies(
    body1: str, body2: str, path: ScenePath, names: Names, what: str
) -> Iterator[Finding]:
    """Findings unless two different bodies, of which one can move, are joined."""
    yield from names.check_body(body1, (*path, "body1"), world=True)
    yield from names.check_body(body2, (*path, "body2"), world=True)
    if body1 == body2:
        hint = "Name body1 or body2" if body1 == WORLD else "Name two bodies"
        place = path if body1 == WORLD else (*path, "body2")
        yield Finding(place, "E701", f"{what} joins '{body1}' to itself", hint)
    elif names.is_fixed(body1) and names.is_fixed(body2):
        message = f"neither '{body1}' nor '{body2}' is moved by forces"
        yield Finding((*path, "body2"), "E702", message, "One of the two is dynamic")
