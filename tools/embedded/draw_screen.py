"""Pictures of screens: a page, a window, a dialog or a terminal with a few lines of text somewhere.

They are drawn as large as a screen and shrunk as the checkpoint's preprocessor shrinks them. Unlike
a page of draw_text, most of a screen is empty, and lines differ in size and colour.
"""

import dataclasses

import numpy as np
from PIL import Image, ImageDraw

import canvas
import draw_text
import fonts
import words

LARGEST_TYPE = 24    # pixels on the screen itself
MOST_LINES, LONGEST = 8, 56
ACCENTS = [(52, 101, 190), (38, 130, 90), (178, 58, 60), (92, 72, 160), (210, 120, 30),
           (70, 78, 92), (20, 120, 140)]


@dataclasses.dataclass
class Place:
    """Where a line may stand: left end and top in pixels, room, colours."""

    x: float
    y: float
    width: float
    ink: tuple
    paper: tuple


@dataclasses.dataclass
class Screen:
    """A drawing that grows line by line; marks as in draw_text.Page."""

    image: Image.Image
    lines: list
    marks: list

    @property
    def drawing(self):
        """The pen."""
        return ImageDraw.Draw(self.image)


def gray(rng, low, high):
    """A neutral colour."""
    return (rng.randint(low, high),) * 3


def inks(rng, dark):
    """(ink, paper) of body text on a dark or a light screen."""
    if dark:
        return gray(rng, 205, 255), tuple(rng.randint(15, 45) for _ in range(3))
    return gray(rng, 0, 70), gray(rng, 238, 255)


def choose_line(rng, path, size, width, held_out):
    """A line that fits, rarely a long one: most of what stands on screens is short."""
    longest = rng.choice([14, 26, 40, LONGEST])

    def fits(text):
        return (len(text) <= longest
                and sum(fonts.advance(path, size, c) for c in text) <= width)
    return words.line(rng, fits, 0.04, held_out)


def write(screen, rng, path, size, place, held_out):
    """Adds one line of text; returns its width in pixels."""
    line = choose_line(rng, path, size, place.width, held_out)
    baseline = place.y + fonts.load(path, size).getmetrics()[0]
    screen.drawing.text((place.x, baseline), line, font=fonts.load(path, size), fill=place.ink,
                        anchor="ls")
    screen.marks += draw_text.line_marks(path, size, line, place.x, baseline)
    screen.lines.append(line)
    return sum(fonts.advance(path, size, c) for c in line)


def leading(rng, path, size):
    """Pixels from one line to the next."""
    return sum(fonts.load(path, size).getmetrics()) * rng.uniform(1.0, 1.5) + 1


def paragraph(screen, rng, path, size, box, count, colours, held_out):
    """Up to `count` lines from the top of a box (x0, y0, x1, y1); returns where the next may be."""
    x0, y0, x1, y1 = box
    step = leading(rng, path, size)
    for _ in range(count):
        if y0 + step > y1:
            break
        write(screen, rng, path, size, Place(x0, y0, x1 - x0, *colours), held_out)
        y0 += step
    return y0


def ornaments(screen, rng, box, count):
    """Things without text: bars, fields, round and square icons, pictures."""
    x0, y0, x1, y1 = (int(v) for v in box)
    if x1 - x0 < 40 or y1 - y0 < 40:
        return
    for _ in range(count):
        w = rng.randint(10, max(11, min(x1 - x0, 260)))
        h = rng.choice([2, 4, rng.randint(10, 36), rng.randint(10, max(11, min(y1 - y0, 160)))])
        x, y = rng.randint(x0, max(x0, x1 - w)), rng.randint(y0, max(y0, y1 - h))
        colour = rng.choice([gray(rng, 150, 235), rng.choice(ACCENTS), gray(rng, 60, 140)])
        kind = rng.random()
        if kind < 0.3:
            screen.drawing.ellipse((x, y, x + h, y + h), fill=colour)
        elif kind < 0.6:
            screen.drawing.rounded_rectangle((x, y, x + w, y + h), min(6, h // 2), outline=colour)
        else:
            screen.drawing.rectangle((x, y, x + w, y + h), fill=colour)


def buttons(screen, rng, right, y, size):
    """The three buttons at the end of a title bar."""
    for i in range(3):
        x = right - (i + 1) * size * 1.6
        screen.drawing.ellipse((x, y, x + size, y + size), fill=rng.choice(ACCENTS))


def framed(screen, rng, dark):
    """A window frame somewhere on the screen; returns (box, ink, paper)."""
    width, height = screen.image.size
    w, h = width * rng.uniform(0.45, 0.96), height * rng.uniform(0.4, 0.94)
    x, y = rng.uniform(0, width - w), rng.uniform(0, height - h)
    ink, paper = inks(rng, dark)
    screen.drawing.rectangle((x, y, x + w, y + h), fill=paper, outline=gray(rng, 100, 180))
    return (x, y, x + w, y + h), ink, paper


def title_bar(screen, rng, path, size, box, held_out):
    """A coloured bar with a line in it along the top of a box; returns its lower edge."""
    x0, y0, x1, _ = box
    high = leading(rng, path, size) + rng.randint(6, 18)
    light = rng.random() < 0.4
    paper = gray(rng, 205, 235) if light else rng.choice(ACCENTS)
    screen.drawing.rectangle((x0, y0, x1, y0 + high), fill=paper)
    buttons(screen, rng, x1, y0 + high * 0.3, high * 0.4)
    top = y0 + (high - sum(fonts.load(path, size).getmetrics())) / 2
    write(screen, rng, path, size,
          Place(x0 + rng.randint(8, 30), top, (x1 - x0) * 0.6,
                gray(rng, 0, 60) if light else gray(rng, 235, 255), paper), held_out)
    return y0 + high


def draw_window(screen, rng, path, size, dark, held_out):
    """A window: a bar, a heading perhaps, a paragraph, things without text below."""
    (x0, y0, x1, y1), *colours = framed(screen, rng, dark)
    if rng.random() < 0.7:
        y0 = title_bar(screen, rng, path, size, (x0, y0, x1, y1), held_out)
    x0, y0 = x0 + rng.randint(10, 60), y0 + rng.randint(8, 40)
    if rng.random() < 0.4:
        head = min(LARGEST_TYPE + 8, round(size * rng.uniform(1.2, 1.7)))
        y0 = paragraph(screen, rng, path, head, (x0, y0, x1 - 8, y1 - 6), 1, colours, held_out)
        y0 += rng.randint(2, 14)
    most = max(1, MOST_LINES - len(screen.lines))
    y0 = paragraph(screen, rng, path, size, (x0, y0, x1 - 8, y1 - 6), rng.randint(1, most),
                   colours, held_out)
    ornaments(screen, rng, (x0, y0 + 10, x1 - 10, y1 - 10), rng.randint(0, 3))


def draw_dialog(screen, rng, path, size, dark, held_out):
    """A dialog over a page without text: a few lines, then one button with a word."""
    width, height = screen.image.size
    ornaments(screen, rng, (0, 0, width, height), rng.randint(0, 6))
    (x0, y0, x1, y1), *colours = framed(screen, rng, dark)
    margin = rng.randint(14, 50)
    y0 = paragraph(screen, rng, path, size, (x0 + margin, y0 + margin, x1 - 10, y1 - 70),
                   rng.randint(1, 4), colours, held_out)
    if y0 + 60 < y1 and rng.random() < 0.7:
        paper, y0 = rng.choice(ACCENTS), y0 + rng.randint(8, 24)
        left = rng.uniform(x0 + margin, max(x0 + margin, x1 - 180))
        screen.drawing.rounded_rectangle((left, y0, left + 160, y0 + size * 2), 5, fill=paper)
        place = Place(left + rng.randint(8, 30), y0 + size * 0.35, 125, gray(rng, 240, 255), paper)
        write(screen, rng, path, size, place, held_out)


def draw_plain(screen, rng, path, size, dark, held_out):
    """A page or a terminal: lines straight on the screen, from anywhere."""
    width, height = screen.image.size
    colours = inks(rng, dark)
    screen.drawing.rectangle((0, 0, width, height), fill=colours[1])
    x = rng.uniform(4, width * 0.45)
    y = rng.uniform(2, height * 0.6)
    ornaments(screen, rng, (0, 0, width, y - 4), rng.randint(0, 3))
    y = paragraph(screen, rng, path, size, (x, y, width - 6, height - 4),
                  rng.randint(1, MOST_LINES), colours, held_out)
    ornaments(screen, rng, (0, y + 8, width, height), rng.randint(0, 3))


KINDS = [draw_window, draw_window, draw_dialog, draw_plain]


def compose(rng, height, width, smallest, held_out):
    """A Screen with at least one line."""
    while True:
        path, dark = fonts.pick(rng, held_out), rng.random() < 0.25
        size = rng.randint(smallest, LARGEST_TYPE)
        desktop = rng.choice([gray(rng, 200, 250), gray(rng, 20, 120), rng.choice(ACCENTS),
                              tuple(rng.randint(0, 255) for _ in range(3))])
        screen = Screen(Image.new("RGB", (width, height), desktop), [], [])
        rng.choice(KINDS)(screen, rng, path, size, dark, held_out)
        if screen.lines:
            return screen


def draw_screen(rng, height, width, smallest, shown, harm_share=0.15, held_out=False):
    """A screen of height x width pixels, resized to `shown` (height, width): a draw_text.Page."""
    screen, (h, w) = compose(rng, height, width, smallest, held_out), shown
    image = screen.image if (h, w) == (height, width) else screen.image.resize((w, h),
                                                                              Image.BICUBIC)
    marks = [(x * w / width, y * h / height, c) for x, y, c in screen.marks]
    picture = canvas.harm(rng, np.asarray(image), harm_share)
    return draw_text.Page(picture, "\n".join(screen.lines), marks)
