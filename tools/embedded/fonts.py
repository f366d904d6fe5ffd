"""Which fonts pictures are drawn with, and which are kept away from training.

Families are chosen first and files second, so that a family with many weights is not seen more
often than one with few. The held-out families are never drawn during training: figures measured
on them say how the model does on type it has not met.
"""

import functools
import glob
import os

from PIL import ImageFont

FONT_ROOT = "/usr/share/fonts"

# Family -> file patterns below FONT_ROOT. Twins (Arimo is Liberation Sans) share an entry.
TRAIN_FAMILIES = {
    "liberation-sans": ["truetype/liberation/LiberationSans-*.ttf"],
    "liberation-serif": ["truetype/liberation/LiberationSerif-*.ttf"],
    "liberation-mono": ["truetype/liberation/LiberationMono-*.ttf"],
    "dejavu-sans": ["truetype/dejavu/DejaVuSans.ttf", "truetype/dejavu/DejaVuSans-Bold.ttf",
                    "truetype/dejavu/DejaVuSans-Oblique.ttf"],
    "dejavu-serif": ["truetype/dejavu/DejaVuSerif.ttf", "truetype/dejavu/DejaVuSerif-Bold.ttf"],
    "dejavu-mono": ["truetype/dejavu/DejaVuSansMono.ttf",
                    "truetype/dejavu/DejaVuSansMono-Bold.ttf"],
    "dejavu-narrow": ["truetype/dejavu/DejaVuSansCondensed.ttf"],
    "free-sans": ["truetype/freefont/FreeSans.ttf", "truetype/freefont/FreeSansBold.ttf"],
    "free-serif": ["truetype/freefont/FreeSerif.ttf", "truetype/freefont/FreeSerifBold.ttf"],
    "free-mono": ["truetype/freefont/FreeMono.ttf", "truetype/freefont/FreeMonoBold.ttf"],
    "noto-sans": ["truetype/noto/NotoSans-Regular.ttf", "truetype/noto/NotoSans-Bold.ttf",
                  "truetype/noto/NotoSans-Italic.ttf"],
    "noto-serif": ["truetype/noto/NotoSerif-Regular.ttf", "truetype/noto/NotoSerif-Bold.ttf"],
    "noto-mono": ["truetype/noto/NotoSansMono-Regular.ttf", "truetype/noto/NotoMono-Regular.ttf"],
    "roboto": ["truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
               "truetype/roboto/unhinted/RobotoTTF/Roboto-Medium.ttf",
               "truetype/roboto/unhinted/RobotoTTF/Roboto-Bold.ttf"],
    "lato": ["truetype/lato/Lato-Regular.ttf", "truetype/lato/Lato-Bold.ttf",
             "truetype/lato/Lato-Medium.ttf"],
    "nimbus-narrow": ["opentype/urw-base35/NimbusSansNarrow-Regular.otf"],
    "schoolbook": ["opentype/urw-base35/C059-Roman.otf", "opentype/urw-base35/C059-Bold.otf"],
    "palladio": ["opentype/urw-base35/P052-Roman.otf", "opentype/urw-base35/P052-Bold.otf"],
    "bookman": ["opentype/urw-base35/URWBookman-Light.otf"],
    "gothic": ["opentype/urw-base35/URWGothic-Book.otf", "opentype/urw-base35/URWGothic-Demi.otf"],
    "libertine": ["opentype/linux-libertine/LinLibertine_R.otf",
                  "opentype/linux-libertine/LinBiolinum_R.otf"],
}
HELD_OUT_FAMILIES = {
    "open-sans": ["truetype/open-sans/OpenSans-Regular.ttf",
                  "truetype/open-sans/OpenSans-Bold.ttf"],
    "carlito": ["truetype/crosextra/Carlito-Regular.ttf", "truetype/crosextra/Carlito-Bold.ttf"],
    "caladea": ["truetype/crosextra/Caladea-Regular.ttf", "truetype/crosextra/Caladea-Bold.ttf"],
    "cantarell": ["opentype/cantarell/Cantarell-Regular.otf",
                  "opentype/cantarell/Cantarell-Bold.otf"],
    "hack": ["truetype/hack/Hack-Regular.ttf"],
    "firacode": ["truetype/firacode/FiraCode-Regular.ttf"],
}


@functools.lru_cache(None)
def families(held_out=False):
    """Returns the files of every family, one list a family; fails when a family is missing."""
    out = []
    for name, patterns in (HELD_OUT_FAMILIES if held_out else TRAIN_FAMILIES).items():
        files = sorted(f for p in patterns for f in glob.glob(os.path.join(FONT_ROOT, p)))
        if not files:
            raise FileNotFoundError(f"no font of the family {name}: see README.md, Setting up")
        out.append(files)
    return out


@functools.lru_cache(4096)
def load(path, size_px):
    """Opens a font without ligatures or kerning, so that advances add up character by character."""
    return ImageFont.truetype(path, size_px, layout_engine=ImageFont.Layout.BASIC)


@functools.lru_cache(200000)
def advance(path, size_px, char):
    """Width of one character, pixels. Cached: measuring costs more than drawing."""
    return load(path, size_px).getlength(char)


def pick(rng, held_out=False):
    """Chooses a family, then a file of it (its first, the regular, half of the time)."""
    files = rng.choice(families(held_out))
    return files[0] if rng.random() < 0.5 else rng.choice(files)
