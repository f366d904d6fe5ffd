"""The held-out exercises that models are measured on: fixed by a seed, drawn with unseen fonts."""

import dataclasses
import random

import draw_text
import tasks


@dataclasses.dataclass
class Case:
    """One picture with its question and the right answer."""

    category: str
    sample: tasks.Sample


def _text(height, width, **options):
    """A maker of reading exercises; ranges are (low, high) in pixels, sizes any whole number."""
    chosen = draw_text.TextOptions(held_out=True, noise_share=0.02, harm_share=0.0)
    chosen = dataclasses.replace(chosen, **options)

    def make(rng):
        sample = tasks.reading(rng, rng.randint(*height), rng.randint(*width), chosen)
        sample.question = rng.choice(tasks.READ_PROMPTS)
        return sample
    return make


def _chinese(rng):
    sample = _text((32, 48), (160, 320), min_px=16, max_px=32, max_lines=1, clean=True)(rng)
    sample.question = rng.choice(tasks.CHINESE_READ_PROMPTS)
    return sample


def _ask(rng):
    options = draw_text.TextOptions(held_out=True, min_px=14, max_px=24, clean=True)
    return tasks.asking(rng, rng.randint(64, 112), rng.randint(224, 320), options)


def _describe(rng):
    while True:
        sample = _shapes(rng)
        if sample.question in tasks.DESCRIBE_PROMPTS:
            return sample


def _shapes(rng):
    while True:
        sample = tasks.looking(rng, rng.randint(64, 144), rng.randint(96, 224))
        if not sample.answer.startswith((tasks.NO_TEXT, tasks.NO_TEXT_CHINESE)):
            return sample


def _shape_question(rng):
    while True:
        sample = _shapes(rng)
        if sample.question not in tasks.DESCRIBE_PROMPTS:
            return sample


def _blank(rng):
    return tasks.empty(rng, rng.randint(32, 128), rng.randint(96, 256), None)


def _screen(height, width, smallest):
    """A maker of whole screens, as they are before any preprocessing."""
    def make(rng):
        sample = tasks.reading_screen(rng, height, width, smallest, (height, width),
                                      harm_share=0.0, held_out=True)
        sample.question = rng.choice(tasks.READ_PROMPTS)
        return sample
    return make


# Category -> maker. Those of CLEAN are black on white and upright; the others name their trouble.
CATEGORIES = {
    "word": _text((32, 48), (96, 192), min_px=16, max_px=32, max_lines=1, longest=10, clean=True),
    "line": _text((32, 48), (224, 320), min_px=16, max_px=32, max_lines=1, clean=True),
    "line, fonts of training": _text((32, 48), (224, 320), min_px=16, max_px=32, max_lines=1,
                                     clean=True, held_out=False),
    "2-3 lines": _text((72, 96), (200, 320), min_px=16, max_px=24, max_lines=3, full=True,
                       clean=True),
    "4-8 lines": _text((128, 192), (224, 320), min_px=15, max_px=22, max_lines=8, full=True,
                       clean=True),
    "small, 12-15 px": _text((32, 48), (160, 256), min_px=12, max_px=15, max_lines=2, clean=True),
    "large, 33-40 px": _text((64, 80), (224, 320), min_px=33, max_px=40, max_lines=1, clean=True),
    "colours, light on dark": _text((32, 64), (160, 288), min_px=16, max_px=32, max_lines=2),
    "noise, blur, JPEG, tilt": _text((32, 64), (160, 288), min_px=16, max_px=32, max_lines=2,
                                     harm_share=3.0),
    "Chinese prompt": _chinese,
    "ask for a value": _ask,
    "describe shapes": _describe,
    "shape question": _shape_question,
    "blank": _blank,
}
# Screens with type that is about 12 pixels high at least, once the preprocessor has shrunk them.
SCREENS = {
    "screen, 640x480": _screen(480, 640, 12),
    "screen, 800x600": _screen(600, 800, 12),
    "screen, 1280x720": _screen(720, 1280, 16),
}
EXACT_ONLY = {"describe shapes", "shape question", "blank", "ask for a value"}


def draw_cases(seed, counts):
    """Cases of each category; counts: category -> how many. Every category has its own stream."""
    out = []
    for category, count in counts.items():
        rng = random.Random(f"{seed}/{category}")
        out += [Case(category, (CATEGORIES | SCREENS)[category](rng)) for _ in range(count)]
    return out


def edit_distance(a, b):
    """Levenshtein distance of two sequences."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]
