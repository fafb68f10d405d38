"""Films hold the pictures they were made of."""

from __future__ import annotations

import io

import numpy as np
import pytest

av = pytest.importorskip("av")

from impulse_cli.viewer.video import FORMATS, film  # noqa: E402


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_film_has_its_pictures_at_their_times(suffix: str) -> None:
    """Each with its colour, a 25th of a second after the other; odd sizes lose a row or column."""
    shades = (20, 120, 220)
    pictures = [np.full((49, 65, 3), shade, dtype=np.uint8) for shade in shades]

    with av.open(io.BytesIO(film(iter(pictures), suffix, 25.0))) as container:
        frames = list(container.decode(video=0))

    assert [round(float(frame.time), 3) for frame in frames] == [0.0, 0.04, 0.08]
    assert [(frame.width, frame.height) for frame in frames] == [(64, 48)] * 3
    for frame, shade in zip(frames, shades, strict=True):
        assert np.abs(frame.to_ndarray(format="rgb24").astype(int) - shade).max() < 8
