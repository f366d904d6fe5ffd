#!/usr/bin/env python3
"""Draws the pictures of examples/: run it with Pillow and the DejaVu fonts installed (development only)."""
import pathlib

from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
INK = (20, 20, 20)
PAPER = (250, 247, 238)
SCALE = 4  # shapes are drawn this much larger and shrunk, for smooth edges


def text_picture(text: str, width_px: int) -> Image.Image:
    """Returns one line of dark print on white."""
    image = Image.new("RGB", (width_px, 64), "white")
    ImageDraw.Draw(image).text((10, 14), text, font=ImageFont.truetype(FONT, 28), fill=INK)
    return image


def receipt(lines: list[str]) -> Image.Image:
    """Returns lines of dark print on cream paper."""
    image = Image.new("RGB", (256, 112), PAPER)
    drawing, font = ImageDraw.Draw(image), ImageFont.truetype(FONT, 20)
    for i, line in enumerate(lines):
        drawing.text((16, 10 + 31 * i), line, font=font, fill=INK)
    return image


def shapes() -> Image.Image:
    """Returns a circle, a square and a triangle, from left to right."""
    image = Image.new("RGB", (256 * SCALE, 112 * SCALE), "white")
    drawing = ImageDraw.Draw(image)
    drawing.ellipse([SCALE * v for v in (18, 24, 82, 88)], fill=(220, 30, 30))
    drawing.rectangle([SCALE * v for v in (100, 26, 160, 86)], fill=(40, 70, 220))
    drawing.polygon([(SCALE * x, SCALE * y) for x, y in ((209, 22), (243, 88), (175, 88))], fill=(30, 160, 50))
    return image.resize((256, 112), Image.Resampling.LANCZOS)


def main() -> None:
    folder = pathlib.Path(__file__).resolve().parent.parent / "examples"
    folder.mkdir(exist_ok=True)
    text_picture("hello", 128).save(folder / "hello.png", optimize=True)
    text_picture("OPEN 24", 160).save(folder / "open.png", optimize=True)
    receipt(["Date: 2026-03-14", "Tax: $0.62", "Total: $7.70"]).save(folder / "receipt.png", optimize=True)
    shapes().save(folder / "shapes.png", optimize=True)


if __name__ == "__main__":
    main()
