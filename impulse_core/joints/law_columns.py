"""Columns of Workspace.axis_law, the force laws of free axes (force_law.py has the equation).

Data of kernels stands apart from them, so that a scene is compiled without loading Numba.
"""

__all__ = [
    "BASE",
    "BASE_SLOPE",
    "DRIVE",
    "DRIVE_AT",
    "FRICTION",
    "FRICTION_AT",
    "LAW_NUMBERS",
    "LOWER",
    "SERVO",
    "SERVO_BOUND",
    "SERVO_SLOPE",
    "UPPER",
]

LOWER, UPPER, FRICTION_AT, FRICTION, DRIVE_AT, DRIVE = 0, 1, 2, 3, 4, 5
SERVO, SERVO_SLOPE, SERVO_BOUND, BASE, BASE_SLOPE = 6, 7, 8, 9, 10
LAW_NUMBERS = 11
