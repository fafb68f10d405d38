"""Numbers as table cells."""

from __future__ import annotations

__all__ = ["milliseconds", "power", "short"]


def power(value: float | None, digits: int = 1) -> str:
    """As in "3e-10": for quantities that span many powers of ten."""
    if value is None:
        return "–"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return "0" if value == 0.0 else f"{mantissa}e{int(exponent)}"


def short(value: float | None) -> str:
    """Three significant digits."""
    return "–" if value is None else f"{value:.3g}"


def milliseconds(seconds: float | None) -> str:
    """Seconds as milliseconds with three significant digits, never as a power of ten."""
    if seconds is None:
        return "–"
    value = 1e3 * seconds
    decimals = max(0, 2 - (len(f"{value:.0f}") - 1)) if value >= 1.0 else 3
    return f"{value:.{decimals}f}"
