#!/usr/bin/env python3
"""Makes tests/golden/data/resize_more/cases.json: what Pillow's bicubic resize gives on made-up pictures.

A picture is a function of its case's seed (see picture()), so only a hash of the result is kept.
Needs Pillow, numpy and xxhash. Run: make_resize_cases.py OUTPUT_FOLDER
"""

import json
import pathlib
import random
import sys

import numpy as np
import xxhash
from PIL import Image

EDGES = [
    (1, 1, 1, 1), (1, 1, 32, 32), (1, 40, 32, 1), (40, 1, 1, 64), (2, 3, 5, 7), (3, 2, 7, 5), (6000, 8, 32, 32),
    (8, 6000, 32, 32), (6000, 300, 96, 64), (33, 33, 32, 32), (31, 31, 32, 32), (64, 64, 64, 32), (64, 64, 32, 64),
    (500, 19, 1344, 64), (305, 30, 832, 96), (690, 2000, 224, 640), (17, 17, 640, 640), (1023, 65, 512, 64),
    (2100, 70, 2080, 64), (1, 200, 1, 32), (200, 1, 32, 1),
]


def picture(width, height, seed):
    """Noise, hard black and white, or a ramp: seed % 3 says which. SplitMix64 of seed and position."""
    at = np.arange(width * height * 3, dtype=np.uint64)
    if seed % 3 == 2:
        values = at * np.uint64(7) + at // np.uint64(3 * width) * np.uint64(5)
        return (values & np.uint64(255)).astype(np.uint8).reshape(height, width, 3)
    z = (at + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    values = (z ^ z >> np.uint64(31)) >> np.uint64(56)
    if seed % 3 == 1:
        values = np.where(values < 128, np.uint64(0), np.uint64(255))
    return values.astype(np.uint8).reshape(height, width, 3)


def main():
    rng = random.Random(20)
    sizes = EDGES + [tuple(rng.randint(1, 300) for _ in range(4)) for _ in range(120)]
    cases = []
    for seed, (width, height, new_width, new_height) in enumerate(sizes, start=100):
        image = Image.fromarray(picture(width, height, seed))
        result = np.asarray(image.resize((new_width, new_height), Image.Resampling.BICUBIC))
        cases.append({"seed": seed, "from": [width, height], "to": [new_width, new_height],
                      "first": result.reshape(-1)[:6].tolist(), "xxh3_64": f"{xxhash.xxh3_64_intdigest(result.tobytes()):016x}"})
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(case) for case in cases)
    (folder / "cases.json").write_text("[\n" + lines + "\n]\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
