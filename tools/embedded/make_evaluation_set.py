"""Draws the fixed sets that the product's test reads: make_evaluation_set.py FOLDER.

A hundred pictures (cases.json) and twelve screens (screens.json); both lists hold {file, category,
prompt, answer}. Same seed, same fonts, same bytes; the seed differs from the one that evaluate.py
uses by default.
"""

import argparse
import json
import os

from PIL import Image

import cases

COUNTS = {
    "word": 16, "line": 16, "2-3 lines": 12, "4-8 lines": 6, "small, 12-15 px": 4,
    "large, 33-40 px": 4, "colours, light on dark": 5, "noise, blur, JPEG, tilt": 3,
    "Chinese prompt": 5, "ask for a value": 4, "describe shapes": 12, "shape question": 8,
    "blank": 5,
}
SCREEN_COUNTS = dict.fromkeys(cases.SCREENS, 4)
LARGEST_BYTES = 2_000_000


def write_set(folder, listing, prefix, chosen):
    """Writes the pictures and their list; returns the bytes of the pictures."""
    listed, size = [], 0
    for i, case in enumerate(chosen):
        name = f"{prefix}{i:03d}.png"
        path = os.path.join(folder, name)
        Image.fromarray(case.sample.picture).save(path, optimize=True)
        size += os.path.getsize(path)
        listed.append(dict(file=name, category=case.category, prompt=case.sample.question,
                           answer=case.sample.answer))
    with open(os.path.join(folder, listing), "w", encoding="utf-8") as file:
        json.dump(listed, file, indent=1, ensure_ascii=False)
        file.write("\n")
    print(f"{listing}: {len(listed)} pictures, {size} bytes")
    return size


def main():
    """Writes both sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=100)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    size = write_set(args.folder, "cases.json", "", cases.draw_cases(args.seed, COUNTS))
    size += write_set(args.folder, "screens.json", "screen",
                      cases.draw_cases(args.seed, SCREEN_COUNTS))
    assert size < LARGEST_BYTES


if __name__ == "__main__":
    main()
