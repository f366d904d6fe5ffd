#!/usr/bin/env python3
"""Draws the pictures of examples/: run it with Pillow and the DejaVu fonts installed (development only)."""
import pathlib

from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
INK = (20, 20, 20)


def text_picture(text: str, width_px: int) -> Image.Image:
    """Returns one line of dark print on white."""
    image = Image.new("RGB", (width_px, 64), "white")
    ImageDraw.Draw(image).text((10, 14), text, font=ImageFont.truetype(FONT, 28), fill=INK)
    return image


def main() -> None:
    folder = pathlib.Path(__file__).resolve().parent.parent / "examples"
    folder.mkdir(exist_ok=True)
    text_picture("hello", 128).save(folder / "hello.png", optimize=True)
    text_picture("OPEN 24", 160).save(folder / "open.png", optimize=True)


if __name__ == "__main__":
    main()
