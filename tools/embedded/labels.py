"""Dense targets: which characters have their middle in which patch, and which shapes lie there."""

import string

import numpy as np

from draw_shapes import COLOUR_NAMES, SHAPE_NAMES
from draw_text import LINE_END
from network import MERGE, PATCH_PX

CHARS = [None] + list(" " + string.ascii_letters + string.digits + string.punctuation
                      + "\u00a3\u20ac\u00b0") + [LINE_END]
CLASS = {char: i for i, char in enumerate(CHARS)}
SHAPE_CLASSES = (1 + len(COLOUR_NAMES), 1 + len(SHAPE_NAMES))
MOST_SHAPES, MOST_LINES = 4, 8
RANK_CLASSES = 1 + MOST_SHAPES * MOST_SHAPES    # none, or the k-th of n shapes
LINE_CLASSES = 1 + 2 * MOST_LINES               # none, or the k-th line, last or not
IGNORED = -100
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


def line_targets(marks, height, width):
    """(N,) class of the line whose character has its middle in each patch; 0 is none.

    It tells a line from its neighbours, and the last one, after which an answer ends.
    """
    out = np.zeros((height // PATCH_PX) * (width // PATCH_PX), np.int64)
    last, line = sum(char == LINE_END for _, _, char in marks) - 1, 0
    for x, y, char in marks:
        patch = patch_index(x, y, height, width)
        if patch is not None and line < MOST_LINES:
            out[patch] = 1 + 2 * line + (line == last)
        line += char == LINE_END
    return out


def shape_targets(scene, height, width):
    """(N, 3) classes of colour, name and rank for the patches in the middle half of each shape.

    The rank is the shape's place from the left together with how many there are.

    The rest of its box is IGNORED: no patch can tell alone how far from the rim it lies.
    """
    out = np.zeros(((height // PATCH_PX) * (width // PATCH_PX), 3), np.int64)
    count = len(scene.shapes)
    for rank, shape in enumerate(scene.shapes):
        x0, y0, x1, y1 = shape.box
        classes = (1 + COLOUR_NAMES.index(shape.colour), 1 + SHAPE_NAMES.index(shape.name),
                   1 + MOST_SHAPES * (count - 1) + rank)
        _mark(out, _steps(x0, x1), _steps(y0, y1), (IGNORED,) * 3, height, width)
        x, y, w, h = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 4, (y1 - y0) / 4
        _mark(out, _steps(x - w, x + w), _steps(y - h, y + h), classes, height, width)
    return out


def _mark(out, columns, rows, classes, height, width):
    """Writes classes to the patches under a lattice of points."""
    for x in columns:
        for y in rows:
            patch = patch_index(x, y, height, width)
            if patch is not None:
                out[patch] = classes


def _steps(low, high):
    """Points at most a patch apart from low to high, or the middle of a short span."""
    count = int((high - low) // PATCH_PX) + 1
    return np.linspace(low, high, count + 1) if count > 1 else [(low + high) / 2]
