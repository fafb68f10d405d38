"""Films of a motion: frames that a browser renders, in a file that browsers play."""

from __future__ import annotations

import io
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from av.video.stream import VideoStream

__all__ = ["FORMATS", "film"]

FORMATS = (".webm", ".mp4")

_CODECS: dict[str, tuple[str, dict[str, str]]] = {
    ".webm": ("libvpx-vp9", {"crf": "30", "b": "0", "deadline": "realtime", "cpu-used": "6"}),
    ".mp4": ("libx264", {"crf": "20", "preset": "fast"}),
}


def film(pictures: Iterable[NDArray[np.uint8]], suffix: str, fps: float) -> bytes:
    """A file of pictures, each of shape (height, width, 3), all of one size.

    Args:
        pictures: One after the other; they may be made as they are asked for.
        suffix: One of ``FORMATS``.
        fps: How many of them are shown in a second.
    """
    import av

    target = io.BytesIO()
    codec, options = _CODECS[suffix]
    with av.open(target, "w", format=suffix[1:]) as container:
        stream: Any = None
        for picture in pictures:
            even = picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2, :3]
            if stream is None:
                stream = container.add_stream(
                    codec, rate=Fraction(fps).limit_denominator(1000), options=options
                )
                _size(stream, even)
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(even), format="rgb24")
            container.mux(stream.encode(frame))
        if stream is not None:
            container.mux(stream.encode())
    return target.getvalue()


def _size(stream: VideoStream, picture: NDArray[np.uint8]) -> None:
    stream.height, stream.width = picture.shape[:2]
    stream.pix_fmt = "yuv420p"  # what every player knows
