"""Pictures of printed lines, with the place of every character."""

import dataclasses
import math

import numpy as np
from PIL import Image, ImageDraw

import canvas
import fonts
import words

LINE_END = "\n"


@dataclasses.dataclass
class TextOptions:
    """What a page of text may look like."""

    min_px: int = 12           # smallest type size
    max_px: int = 40           # largest type size
    max_lines: int = 8
    noise_share: float = 0.06  # items that are random characters
    harm_share: float = 1.0    # how often pictures are harmed, see canvas.harm
    full: bool = False         # fill the picture (dense supervision) instead of a random few lines
    longest: int = 999         # most characters in a line
    held_out: bool = False     # unseen fonts, everyday words only
    clean: bool = False        # black on white, upright, unharmed


@dataclasses.dataclass
class Page:
    """Lines with their layout. marks: (x, y, char) of each middle, in reading order."""

    picture: np.ndarray
    text: str
    marks: list


def choose_size(rng, height, options):
    """Type size in pixels, small sizes a little more often; a line must fit the height."""
    top = max(options.min_px, min(options.max_px, int(height / 1.25)))
    return round(math.exp(rng.uniform(math.log(options.min_px), math.log(top + 0.49))))


def choose_lines(rng, path, size, width, count, options):
    """Lines that fit the width."""
    def fits(text):
        return (len(text) <= options.longest
                and sum(fonts.advance(path, size, c) for c in text) <= width)
    return [words.line(rng, fits, options.noise_share, options.held_out) for _ in range(count)]


def line_marks(path, size, line, x, baseline):
    """Middles of the characters of one line, and of the line end half a letter to its right."""
    marks, y = [], baseline - 0.28 * size
    for char in line:
        step = fonts.advance(path, size, char)
        marks.append((x + step / 2, y, char))
        x += step
    marks.append((x + 0.25 * size, y, LINE_END))
    return marks


def turn(mask, marks, degrees):
    """Rotates the drawing and its marks around the middle."""
    height, width = mask.size[1], mask.size[0]
    angle, cx, cy = math.radians(degrees), width / 2, height / 2
    cos, sin = math.cos(angle), math.sin(angle)
    turned = [(cx + (x - cx) * cos + (y - cy) * sin, cy - (x - cx) * sin + (y - cy) * cos, c)
              for x, y, c in marks]
    return mask.rotate(degrees, Image.BICUBIC), turned


def paint(rng, mask, clean):
    """Coverage mask (0-255) to RGB in some ink on some paper."""
    ink, paper = ((0, 0, 0), (255, 255, 255)) if clean else canvas.ink_and_paper(rng)
    cover = np.asarray(mask, dtype=np.float32)[..., None] * (1 / 255)
    paper, ink = np.array(paper, np.float32), np.array(ink, np.float32)
    return (paper + cover * (ink - paper)).astype(np.uint8)


def layout(rng, path, size, height, width, options, given=None):
    """Chooses the lines and the place of each: a list of (line, x, baseline)."""
    ascent, descent = fonts.load(path, size).getmetrics()
    leading = int((ascent + descent) * rng.uniform(0.95, 1.3)) + 1
    room = max(1, min(options.max_lines, (height - 2) // leading))
    count = len(given) if given else room if options.full else rng.randint(1, room)
    margin = rng.randint(2, 10)
    lines = given or choose_lines(rng, path, size, width - 2 * margin, count, options)
    widths = [sum(fonts.advance(path, size, c) for c in line) for line in lines]
    left = margin + rng.uniform(0, max(0.0, width - 2 * margin - max(widths)))
    top = rng.uniform(0, max(0.0, height - leading * len(lines)))
    centred = rng.random() < 0.2
    return [(line, (width - w) / 2 if centred else left, top + i * leading + ascent)
            for i, (line, w) in enumerate(zip(lines, widths))]


def draw_page(rng, height, width, options, given=None):
    """Draws one page of random lines (or the given ones) and returns it with its marks."""
    path = fonts.pick(rng, options.held_out)
    size = choose_size(rng, height / len(given) if given else height, options)
    # A slightly different canvas, resized at the end, gives sizes and shapes between whole pixels.
    stretch = not options.clean and rng.random() < 0.25
    h = round(height * rng.uniform(0.9, 1.1)) if stretch else height
    w = round(width * rng.uniform(0.9, 1.1)) if stretch else width
    mask = Image.new("L", (w, h), 0)
    drawing, marks = ImageDraw.Draw(mask), []
    placed = layout(rng, path, size, h, w, options, given)
    for line, x, baseline in placed:
        drawing.text((x, baseline), line, font=fonts.load(path, size), fill=255, anchor="ls")
        marks += line_marks(path, size, line, x, baseline)
    if not options.clean and rng.random() < 0.08 * options.harm_share:
        mask, marks = turn(mask, marks, rng.uniform(-2, 2))
    if stretch:
        mask = mask.resize((width, height), Image.BICUBIC)
        marks = [(x * width / w, y * height / h, c) for x, y, c in marks]
    picture = paint(rng, mask, options.clean)
    if not options.clean:
        picture = canvas.harm(rng, picture, options.harm_share)
    return Page(picture, "\n".join(line for line, _, _ in placed), marks)
