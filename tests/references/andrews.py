"""Andrews' squeezing mechanism: seven bodies in a plane, three loops, 30 ms under a torque.

The test problem of multibody codes (Schiehlen, Multibody Systems Handbook, 1990), with the data
and the notation of Hairer and Wanner, Solving Ordinary Differential Equations II, section VII.7.
"""

from __future__ import annotations

import math

import impulse_core as ic
from impulse_schema.models import Body, Joint, Load, Scene, Settings, SpringDamper

__all__ = ["DURATION", "END", "angle_at_end", "squeezer"]

DURATION = 0.03  # s
END = {"O": 15.81077119629904, "B": 0.04082224013073101, "A": 0.5244099658805304}
"""Angles β, γ and δ [rad] of the bodies at these joints at the end: Test Set for Initial Value
Problem Solvers (Mazzia and Magherini 2008)."""

_START = {
    "beta": -0.0617138900142764496,
    "theta": 0.0,
    "gamma": 0.455279819163070380,
    "phi": 0.222668390165885885,
    "delta": 0.487364979543842550,
    "omega": -0.222668390165885885,
    "epsilon": 1.23054744454982119,
}
_MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)  # kg
_INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)  # kg m²
_A, _B, _C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # m
_D, _DA, _E, _EA, _RR, _RA = 28e-3, 115e-4, 2e-2, 1421e-5, 7e-3, 92e-5
_SS, _SA, _SB, _SC, _SD, _TA, _TB = 35e-3, 1874e-5, 1043e-5, 18e-3, 2e-2, 2308e-5, 916e-5
_U, _UA, _UB, _ZF, _ZT, _FA = 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 1421e-5
_STIFFNESS, _REST, _TORQUE = 4530.0, 0.07785, 0.033  # N/m, m, N m


def squeezer(**settings: float) -> Scene:
    """The mechanism at its start, in the plane z = 0, driven at its crank."""
    b, t, g = _START["beta"], _START["theta"], _START["gamma"]
    fd = _START["phi"] + _START["delta"]
    d, oe, e = _START["delta"], _START["omega"] + _START["epsilon"], _START["epsilon"]
    F = (_RR * math.cos(b), _RR * math.sin(b))
    E = (F[0] - _D * math.cos(b + t), F[1] - _D * math.sin(b + t))
    H = (_A[0] + _ZT * math.cos(d), _A[1] + _ZT * math.sin(d))
    G = (_A[0] + _U * math.sin(e), _A[1] - _U * math.cos(e))
    centers = [
        (_RA * math.cos(b), _RA * math.sin(b)),
        (F[0] - _DA * math.cos(b + t), F[1] - _DA * math.sin(b + t)),
        _seen(_B, g, _SB, -_SA),
        (H[0] + (_E - _EA) * math.sin(fd), H[1] - (_E - _EA) * math.cos(fd)),
        _seen(_A, d, _TA, _TB),
        (G[0] + (_ZF - _FA) * math.cos(oe), G[1] + (_ZF - _FA) * math.sin(oe)),
        _seen(_A, e, -_UB, -_UA),
    ]
    pins = [
        ("O", "world", "K1", (0.0, 0.0)),
        ("F", "K1", "K2", F),
        ("B", "world", "K3", _B),
        ("A", "world", "K5", _A),
        ("A'", "world", "K7", _A),
        ("H", "K5", "K4", H),
        ("G", "K7", "K6", G),
        ("E3", "K2", "K3", E),
        ("E4", "K2", "K4", E),
        ("E6", "K2", "K6", E),
    ]
    spring = SpringDamper(
        name="spring",
        body1="K3",
        anchor=(*_seen(_B, g, _SD, -_SC), 0.0),
        anchor2=(*_C, 0.0),
        stiffness=_STIFFNESS,
        rest_length=_REST,
    )
    return Scene(
        version=1,
        name="andrews",
        settings=Settings(gravity=(0.0, 0.0, 0.0), duration=DURATION, **settings),
        bodies=[
            Body(name=f"K{k}", position=(*center, 0.0), mass=mass, inertia=(inertia,) * 3)
            for k, center, mass, inertia in zip(range(1, 8), centers, _MASS, _INERTIA, strict=True)
        ],
        joints=[
            Joint(
                name=name, type="hinge", body1=one, body2=other, anchor=(*at, 0.0), axis=(0, 0, 1)
            )
            for name, one, other, at in pins
        ],
        loads=[Load(name="drive", body="K1", torque=(0.0, 0.0, _TORQUE))],
        springs=[spring],
    )


def angle_at_end(recording: ic.Recording, joint: str) -> float:
    """The angle of ``END`` [rad] that a recording of the mechanism ends with."""
    start = {"O": "beta", "B": "gamma", "A": "delta"}[joint]
    return _START[start] + float(recording.joints[joint]["angle"][-1])


def _seen(origin: tuple[float, float], angle: float, x: float, y: float) -> tuple[float, float]:
    """A point (x, y) of a body that is turned by an angle about its origin, in the world."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return origin[0] + x * cosine - y * sine, origin[1] + x * sine + y * cosine
