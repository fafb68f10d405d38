# SPDX-License-Identifier: GPL-3.0-or-later
"""Several pictures of one size on one sheet, two to a row, with Blender's own image files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

GAP = 6  # pixels


def make(pictures: Sequence[Path], sheet: Path, *, columns: int = 2, quality: int = 82) -> None:
    """Write ``sheet`` (.webp) from pictures that are all of one size."""
    tiles = [_pixels(path) for path in pictures]
    height, width, _ = tiles[0].shape
    rows = -(-len(tiles) // columns)
    page = np.ones((rows * (height + GAP) - GAP, columns * (width + GAP) - GAP, 4), np.float32)
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        # Blender counts rows of pixels from the bottom.
        bottom = (rows - 1 - row) * (height + GAP)
        left = column * (width + GAP)
        page[bottom : bottom + height, left : left + width] = tile
    image = bpy.data.images.new(sheet.stem, page.shape[1], page.shape[0])
    image.pixels.foreach_set(page.ravel())
    image.file_format = "WEBP"
    image.filepath_raw = str(sheet)
    image.save(quality=quality)


def _pixels(path: Path) -> np.ndarray:
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)
