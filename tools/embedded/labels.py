"""Dense targets: which characters have their middle in which patch."""

import string

import numpy as np

from network import MERGE, PATCH_PX
from draw_text import LINE_END

CHARS = [None] + list(" " + string.ascii_letters + string.digits + string.punctuation
                      + "\u00a3\u20ac\u00b0") + [LINE_END]
CLASS = {char: i for i, char in enumerate(CHARS)}
SLOTS = 2     # characters remembered per patch: two narrow ones can share 8 px


def patch_index(x, y, height, width):
    """Index in merge order of the patch at (x, y), or None outside the picture."""
    row, column = int(y // PATCH_PX), int(x // PATCH_PX)
    h, w = height // PATCH_PX, width // PATCH_PX
    if not (0 <= row < h and 0 <= column < w):
        return None
    cell = (row // MERGE) * (w // MERGE) + column // MERGE
    return cell * MERGE * MERGE + (row % MERGE) * MERGE + column % MERGE


def cell_index(x, y, height, width):
    """Index of the merged cell at (x, y), or None outside the picture."""
    patch = patch_index(x, y, height, width)
    return None if patch is None else patch // (MERGE * MERGE)


def character_targets(marks, height, width):
    """(N, SLOTS) classes of the characters in each patch, in reading order; 0 is none."""
    out = np.zeros(((height // PATCH_PX) * (width // PATCH_PX), SLOTS), np.int64)
    for x, y, char in marks:
        patch = patch_index(x, y, height, width)
        if patch is None:
            continue
        free = np.flatnonzero(out[patch] == 0)
        if len(free):
            out[patch, free[0]] = CLASS[char]
    return out
