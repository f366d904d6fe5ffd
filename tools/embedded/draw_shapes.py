"""Pictures of coloured shapes, with what stands where."""

import dataclasses
import math

import numpy as np
from PIL import Image, ImageDraw

import canvas

COLOURS = {
    "red": (220, 30, 30), "green": (30, 160, 50), "blue": (40, 70, 220), "yellow": (240, 215, 40),
    "black": (15, 15, 15), "orange": (245, 140, 20), "purple": (140, 50, 170),
    "pink": (250, 150, 190), "gray": (128, 128, 128), "white": (250, 250, 250),
}
COLOUR_NAMES = list(COLOURS)
SHAPE_NAMES = ["circle", "square", "triangle", "star", "rectangle"]
SCALE = 3     # shapes are drawn this much larger and shrunk, for smooth edges


@dataclasses.dataclass
class Shape:
    """One shape: its box (x0, y0, x1, y1) in pixels of the final picture."""

    colour: str
    name: str
    box: tuple

    @property
    def middle(self):
        """Middle of the box."""
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


@dataclasses.dataclass
class Scene:
    """A picture of shapes on a plain background, from left to right."""

    picture: np.ndarray
    background: str
    shapes: list


def outline(name, box):
    """Corner points of a shape that is a polygon."""
    x0, y0, x1, y1 = box
    if name == "triangle":
        return [((x0 + x1) / 2, y0), (x1, y1), (x0, y1)]
    cx, cy, radius = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2
    return [(cx + (radius if i % 2 == 0 else radius * 0.42) * math.sin(i * math.pi / 5),
             cy - (radius if i % 2 == 0 else radius * 0.42) * math.cos(i * math.pi / 5))
            for i in range(10)]


def draw_shape(drawing, shape, fill):
    """Draws one shape on the enlarged canvas."""
    box = tuple(v * SCALE for v in shape.box)
    if shape.name == "circle":
        drawing.ellipse(box, fill=fill)
    elif shape.name in ("square", "rectangle"):
        drawing.rectangle(box, fill=fill)
    else:
        drawing.polygon(outline(shape.name, box), fill=fill)


def jitter(rng, colour):
    """A neighbour of a named colour."""
    steps = [rng.randint(-12, 12) for _ in range(3)]
    if colour in ("black", "gray", "white"):
        steps = steps[:1] * 3
    return tuple(max(0, min(255, v + step)) for v, step in zip(COLOURS[colour], steps))


def place(rng, name, left, slot_width, height):
    """A box for a shape inside its slot; rectangles are clearly longer one way."""
    side = min(slot_width, height) * rng.uniform(0.45, 0.9)
    side = min(side, 130.0)
    w = h = max(side, 14.0)
    if name == "rectangle":
        ratio = rng.uniform(0.45, 0.65)
        w, h = (w, h * ratio) if rng.random() < 0.7 else (w * ratio, h)
    x = left + rng.uniform(0, max(0.0, slot_width - w))
    y = rng.uniform(0, max(0.0, height - h))
    return (x, y, x + w, y + h)


def draw_scene(rng, height, width, most=4):
    """One to `most` shapes in side-by-side slots on a plain background."""
    background = rng.choice(["white"] * 5 + ["black", "gray", "yellow", "blue", "pink"])
    image = Image.new("RGB", (width * SCALE, height * SCALE), jitter(rng, background))
    drawing, shapes = ImageDraw.Draw(image), []
    count = rng.randint(1, max(1, min(most, width // 28)))
    slot = width / count
    for i in range(count):
        name = rng.choice(SHAPE_NAMES)
        colour = rng.choice([c for c in COLOUR_NAMES if c != background])
        shape = Shape(colour, name, place(rng, name, i * slot, slot, height))
        draw_shape(drawing, shape, jitter(rng, colour))
        shapes.append(shape)
    picture = np.asarray(image.reduce(SCALE))
    return Scene(canvas.harm(rng, picture, 0.5), background, shapes)
