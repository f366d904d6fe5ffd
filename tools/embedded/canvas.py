"""Colours and the small harms (noise, blur, JPEG) that pictures get."""

import io

import numpy as np
from PIL import Image, ImageFilter


def luminance(colour):
    """Rough brightness of an RGB colour, 0-255."""
    return 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2]


def ink_and_paper(rng):
    """Two colours that a reader can tell apart; mostly dark on light."""
    k = rng.random()
    if k < 0.55:
        return (rng.randint(0, 70),) * 3, (rng.randint(225, 255),) * 3
    if k < 0.68:
        return (rng.randint(200, 255),) * 3, (rng.randint(0, 60),) * 3
    while True:
        ink = tuple(rng.randint(0, 255) for _ in range(3))
        paper = tuple(rng.randint(0, 255) for _ in range(3))
        if abs(luminance(ink) - luminance(paper)) > 95:
            return ink, paper


def jpeg(picture, quality):
    """The picture after one trip through JPEG."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=quality)
    return np.asarray(Image.open(buffer).convert("RGB"))


def harm(rng, picture, share):
    """Mild blur, JPEG and noise, each on a share of the pictures (1 is the full share)."""
    if rng.random() < 0.12 * share:
        blurred = Image.fromarray(picture).filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.8)))
        picture = np.asarray(blurred)
    if rng.random() < 0.15 * share:
        picture = jpeg(picture, rng.randint(40, 90))
    if rng.random() < 0.2 * share:
        generator = np.random.default_rng(rng.getrandbits(32))
        grain = generator.standard_normal(picture.shape, dtype=np.float32) * rng.uniform(2, 12)
        picture = (picture + grain).clip(0, 255).astype(np.uint8)
    return picture
