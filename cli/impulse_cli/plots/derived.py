"""What is computed of curves: differences of two animations, and spectra."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from impulse_cli.plots.curves import Curve
from impulse_core.recording import RecordingError

__all__ = ["difference", "spectrum"]

Floats = NDArray[np.float64]

_SAME = 1e-9  # s; frames nearer than this are at the same time
_EVEN = 1e-6  # of their mean; how far the distances of frames may differ


def difference(first: list[Curve], second: list[Curve]) -> list[Curve]:
    """Second minus first, of the curves that both have, at the times that both have.

    Nothing is interpolated, since that would add differences of its own.

    Raises:
        RecordingError: They have fewer than two times, or no curve, in common.
    """
    of_second = {(curve.panel, curve.name): curve for curve in second}
    shared = [curve for curve in first if (curve.panel, curve.name) in of_second]
    if not shared:
        raise RecordingError("The two animations have no curve in common.")
    found = []
    for curve in shared:
        other = of_second[curve.panel, curve.name]
        mine, its = _common(curve.times, other.times)
        if len(mine) < 2:
            raise RecordingError(
                "The two animations have fewer than two frames at the same times; record both with"
                " the same --fps."
            )
        values = other.values[its] - curve.values[mine]
        panel = f"difference of {curve.panel}"
        found.append(replace(curve, panel=panel, times=curve.times[mine], values=values))
    return found


def _common(a: Floats, b: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the frames of a and b that are at the same times."""
    nearest = np.clip(np.searchsorted(b, a - _SAME), 0, len(b) - 1)
    mine = np.flatnonzero(np.abs(b[nearest] - a) <= _SAME)
    return mine, nearest[mine]


def spectrum(curve: Curve) -> Curve:
    """Amplitudes over frequencies [Hz], of the curve without its mean, in a Hann window.

    A sine of amplitude A, sampled over many of its periods, has a peak of height A, or down to
    0.85 A where its frequency lies between two of the spectrum.

    Raises:
        RecordingError: Its frames are not evenly spaced, or fewer than eight.
    """
    from scipy.signal import periodogram

    times, values = curve.times, curve.values
    if len(times) > 2 and not _is_even(times):
        times, values = times[:-1], values[:-1]  # the end of a run is a frame, wherever it lies
    if len(times) < 8:
        raise RecordingError(f"has {len(times)} frames; a spectrum needs eight at least.")
    if not _is_even(times):
        raise RecordingError("has frames at uneven times, of which there is no spectrum.")
    rate = (len(times) - 1) / (times[-1] - times[0])
    frequencies, power = periodogram(
        values, fs=rate, window="hann", detrend="constant", scaling="spectrum"
    )
    panel = f"amplitude of {curve.panel}"
    return replace(curve, panel=panel, times=frequencies, values=np.sqrt(2.0 * power))


def _is_even(times: Floats) -> bool:
    steps = np.diff(times)
    return bool(np.all(np.abs(steps - steps.mean()) <= _EVEN * steps.mean()))
