"""Draws samples of one picture size and lays them out as arrays for a training step."""

import dataclasses
import math

import numpy as np

import draw_text
import labels
import network
import tasks
import tokens

# Per level: picture sizes, most lines, longest line, type sizes. Pages full of small type teach the
# most for their cost: every patch and every token of theirs is about a character.
LEVELS = [
    ([(32, 128), (32, 160)], 1, 10, (16, 26)),
    ([(32, 192), (48, 192), (32, 256)], 2, 24, (15, 32)),
    ([(48, 256), (64, 224), (32, 256), (80, 240)], 3, 40, (13, 36)),
    ([(64, 256), (80, 272), (96, 224), (48, 320), (112, 240)], 5, 48, (12, 30)),
    ([(96, 320), (160, 272), (128, 256), (112, 320), (192, 256), (80, 320)], 8, 64, (12, 30)),
    ([(96, 320), (160, 272), (128, 256), (112, 320), (192, 256), (192, 320)], 8, 64, (11, 19)),
]
# How screens are shown (height, width), how much they are shrunk to that, how often: attention over
# a whole screen costs more than the rest of a round together.
SCREENS = [((272, 480), 1.0, 4), ((320, 512), 1.0, 3), ((320, 512), 1.33, 3), ((384, 640), 1.25, 2),
           ((528, 960), 1.33, 1)]
SMALLEST_SHOWN = 11.5   # type on a screen, in pixels once it is shrunk
SCENE_SIZES = [(48, 96), (64, 128), (96, 128), (96, 192), (128, 128), (128, 208)]
PAGES_PER_SCENES = 3    # groups of batches about text for one about shapes
SCREENS_PER_SCENES = 3  # batches about screens for one group about shapes
SLIPS, SLIP_SHARE = 0.5, 0.05   # answers that are fed with wrong bytes, and how many of them
SCREEN_WORK = 270_000   # pixels of a batch of screens, unless one alone has more
SORTED_BATCHES = 3      # batches drawn together and sorted by length, so that little is padding


@dataclasses.dataclass
class Batch:
    """Arrays of one step. labels: -100 where nothing is learned; pairs: see network.guided_loss."""

    kind: str
    pictures: np.ndarray       # (B, H, W, 3) uint8
    ids: np.ndarray            # (B, T)
    labels: np.ndarray         # (B, T)
    pairs: np.ndarray          # (M, 3)
    targets: np.ndarray        # (B, N, 3) characters and line, or the shape, of each patch


def options_of(level):
    """Sizes to choose from and what pages of a level look like."""
    sizes, lines, longest, (low, high) = LEVELS[level]
    return sizes, draw_text.TextOptions(min_px=low, max_px=high, max_lines=lines, longest=longest,
                                        noise_share=0.1, harm_share=0.5)


def choose_level(rng, level):
    """The current level half of the time, each easier one half as often as the next."""
    while level > 0 and rng.random() < 0.5:
        level -= 1
    return level


def batch_size(height, width, kind):
    """Pictures of a batch: about the same work for every size."""
    patches = (height // network.PATCH_PX) * (width // network.PATCH_PX)
    work = 2600 if kind == "shapes" else 3200
    return max(5, min(32, work // (patches + 40)))


def sequence(sample, cells):
    """(token ids, start of the answer)."""
    prompt = tokens.prompt_ids(sample.question, cells)
    return prompt + tokens.encode(sample.answer) + [tokens.END], len(prompt)


def pairs_of(row, sample, start, height, width):
    """Guided attention targets of one sample."""
    out = []
    for j, place in enumerate(sample.sources):
        cell = labels.cell_index(*place, height, width) if place else None
        if cell is not None:
            out.append((row, start + j - 1, tokens.PREFIX_TOKENS + cell))
    return out


def slip(rng, answer):
    """The answer's tokens with a few wrong bytes: what a reader that errs has before it.

    Only the input is spoiled, so the model learns to find its place again.
    """
    if rng.random() >= SLIPS:
        return answer
    return [rng.randrange(33, 127) if token < 256 and rng.random() < SLIP_SHARE else token
            for token in answer]


def text_targets(sample, height, width):
    """(N, SLOTS + 1): characters of each patch and their line."""
    return np.concatenate((labels.character_targets(sample.marks, height, width),
                           labels.line_targets(sample.marks, height, width)[:, None]), 1)


def collate(rng, samples, height, width):
    """Samples of one picture size to a Batch."""
    cells = (height // network.CELL_PX) * (width // network.CELL_PX)
    rows = [sequence(s, cells) for s in samples]
    longest = max(len(ids) for ids, _ in rows)
    ids = np.full((len(rows), longest), tokens.PAD, np.int64)
    wanted = np.full((len(rows), longest), -100, np.int64)
    pairs = []
    for i, ((row, start), sample) in enumerate(zip(rows, samples)):
        ids[i, :len(row)] = row[:start] + slip(rng, row[start:])
        wanted[i, start:len(row)] = row[start:]
        pairs += pairs_of(i, sample, start, height, width)
    shapes = samples[0].scene is not None
    targets = [labels.shape_targets(s.scene, height, width) if shapes
               else text_targets(s, height, width) for s in samples]
    return Batch("shapes" if shapes else "text", np.stack([s.picture for s in samples]), ids,
                 wanted, np.array(pairs, np.int64).reshape(-1, 3), np.stack(targets))


def draw_batches(rng, level):
    """A mixture of all kinds in random order: none is left out for long and forgotten."""
    out = draw_scenes(rng)
    for _ in range(PAGES_PER_SCENES):
        out += draw_pages(rng, choose_level(rng, level))
    out += [draw_screens(rng) for _ in range(SCREENS_PER_SCENES)]
    rng.shuffle(out)
    return out


def draw_scenes(rng):
    """Batches about shapes."""
    height, width = rng.choice(SCENE_SIZES)
    size = batch_size(height, width, "shapes")
    samples = [tasks.looking(rng, height, width) for _ in range(size * SORTED_BATCHES)]
    return cut(rng, samples, size, height, width)


def draw_pages(rng, level):
    """Batches about text."""
    sizes, options = options_of(level)
    height, width = rng.choice(sizes)
    size = batch_size(height, width, "text")
    samples = [tasks.text_sample(rng, height, width, options)
               for _ in range(size * SORTED_BATCHES)]
    return cut(rng, samples, size, height, width)


def draw_screens(rng):
    """One small batch about screens."""
    shown, shrunk, _ = rng.choices(SCREENS, [weight for *_, weight in SCREENS])[0]
    height, width = (round(side * shrunk) for side in shown)
    smallest = math.ceil(SMALLEST_SHOWN * shrunk)
    size = max(1, SCREEN_WORK // (shown[0] * shown[1]))
    samples = [tasks.reading_screen(rng, height, width, smallest, shown) for _ in range(size)]
    return collate(rng, samples, *shown)


def cut(rng, samples, size, height, width):
    """Batches of `size` samples of about one length."""
    samples.sort(key=lambda s: len(s.answer.encode()) + len(s.question.encode()))
    return [collate(rng, samples[i:i + size], height, width) for i in range(0, len(samples), size)]
