"""The sizes of what is asked, and what the workers in Python share."""

import json
import time

PATCH_FLOATS = 1536  # 3 colours, 2 moments, 16x16 pixels
TOKEN_PX = 32        # side of a picture token
PICTURE_SIDE_PX = 336
QUESTION_TOKENS = 32
ANSWER_TOKENS = 128


def grid(size):
    """Returns the patches of a picture of `size` ("640x480"), down and across: whole tokens, a half
    rounded up."""
    width, height = (int(side) for side in size.split("x"))
    down, across = (2 * ((side + TOKEN_PX // 2) // TOKEN_PX) for side in (height, width))
    return down, across


def timed(work):
    """Runs `work` once to warm up and returns the seconds of another time."""
    work()
    start = time.monotonic()
    work()
    return time.monotonic() - start


def give(phase, figure, unit):
    """Prints one figure for the program that started this one."""
    print(json.dumps({"phase": phase, "figure": figure, "unit": unit}), flush=True)
