#!/usr/bin/env python3
"""Makes tests/golden/data/pictures: small files of every kind and what a person sees in them.

Needs Pillow 13 (AVIF, WebP), pillow-heif and numpy. Expected pixels come from Pillow (upright, profile
applied, 16 bit cut to 8, alpha on white), or from the array a file was made of where Pillow does not
read that variant. Run: make_picture_fixtures.py OUTPUT_FOLDER
"""

import io
import json
import pathlib
import struct
import sys
import zlib

import numpy as np
import pillow_heif
from PIL import Image, ImageCms, ImageDraw, ImageOps

WIDTH, HEIGHT = 22, 14
EXACT = 0
LOSSY = 2


def scene(width=WIDTH, height=HEIGHT):
    """A smooth picture whose four corners and edges all differ, so that any wrong turn shows."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    red = 255 * x / (width - 1)
    green = 255 * y / (height - 1)
    blue = 127 + 120 * np.sin(x / 4 + y / 3)
    return np.stack([red, green, blue], axis=-1).round().astype(np.uint8)


def on_white(rgba):
    rgba = np.asarray(rgba).astype(np.int64)
    alpha = rgba[..., 3:4]
    return ((rgba[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)


def seen(data):
    """What Pillow shows of a file: first frame, upright, alpha on white, 8-bit RGB."""
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        return on_white(image.convert("RGBA"))
    return np.asarray(image.convert("RGB"))


def save(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def exif(orientation, endian="<", kind=3, count=1, offset=8):
    mark = b"II" if endian == "<" else b"MM"
    value = struct.pack(endian + "HH", orientation, 0)
    entry = struct.pack(endian + "HHI", 274, kind, count) + value
    body = struct.pack(endian + "H", 1) + entry + struct.pack(endian + "I", 0)
    return mark + struct.pack(endian + "HI", 42, offset) + body


def jpeg_with_app1(jpeg, payload):
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(payload) + 2) + payload + jpeg[2:]


def without_adobe(jpeg):
    at = jpeg.index(b"\xff\xee")
    length = struct.unpack(">H", jpeg[at + 2:at + 4])[0]
    return jpeg[:at] + jpeg[at + 2 + length:]


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_adam7(rgb):
    """An interlaced PNG, which Pillow reads but does not write."""
    height, width, _ = rgb.shape
    raw = b""
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    for x0, y0, dx, dy in passes:
        part = rgb[y0::dy, x0::dx]
        if part.size:
            raw += b"".join(b"\0" + row.tobytes() for row in part)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 1)
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) +
            png_chunk(b"IDAT", zlib.compress(raw, 9)) + png_chunk(b"IEND", b""))


def png_raw(array, colour_type, depth, extra=b""):
    """A PNG of any colour type from an array of whole samples (8 or 16 bits)."""
    height, width = array.shape[:2]
    rows = array.astype(">u2" if depth == 16 else "u1").reshape(height, -1)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    header = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + extra +
            png_chunk(b"IDAT", zlib.compress(raw, 9)) + png_chunk(b"IEND", b""))


def icc_profile(primaries, gamma):
    """A minimal ICC v2 display profile. `primaries`: the three colorants in XYZ (D50)."""
    fixed = lambda value: struct.pack(">i", round(value * 65536))
    xyz = lambda values: b"XYZ \0\0\0\0" + b"".join(fixed(value) for value in values)
    text = b"text\0\0\0\0made for a test\0"
    name = b"made for a test\0"
    desc = b"desc\0\0\0\0" + struct.pack(">I", len(name)) + name + bytes(78)
    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"
    tags = [(b"desc", desc), (b"cprt", text), (b"wtpt", xyz((0.9642, 1.0, 0.8249)))]
    tags += [(tag, xyz(values)) for tag, values in zip((b"rXYZ", b"gXYZ", b"bXYZ"), primaries)]
    tags += [(tag, curve) for tag in (b"rTRC", b"gTRC", b"bTRC")]
    table, data = b"", b""
    start = 128 + 4 + 12 * len(tags)
    for tag, body in tags:
        body += bytes(-len(body) % 4)
        table += tag + struct.pack(">II", start + len(data), len(body))
        data += body
    size = start + len(data)
    header = struct.pack(">I4sI4s4s4s12s4s4sIIIQI12s", size, b"\0\0\0\0", 0x02400000, b"mntr", b"RGB ",
                         b"XYZ ", bytes(12), b"acsp", b"\0\0\0\0", 0, 0, 0, 0, 0,
                         fixed(0.9642) + fixed(1.0) + fixed(0.8249))
    return header.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + data


def bmp(header, palette, body, core=False):
    offset = 14 + len(header) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(body), 0, 0, offset) + header + palette + body


def bmp_header(width, height, bits, compression=0, size=40, colours=0, masks=b""):
    header = struct.pack("<IiiHHIIiiII", size, width, height, 1, bits, compression, 0, 2835, 2835, colours, 0)
    return (header + masks).ljust(size, b"\0")


def bmp_rows(rows):
    return b"".join(row + bytes(-len(row) % 4) for row in rows)


def rle8(rows):
    """Run-length code of rows (bottom first): runs, one literal run, one delta, ends of line."""
    out = b""
    for number, row in enumerate(rows):
        at = 0
        while at < len(row):
            run = 1
            while at + run < len(row) and row[at + run] == row[at] and run < 255:
                run += 1
            if run == 1 and len(row) - at >= 5 and number == 1:
                out += bytes([0, 5]) + bytes(row[at:at + 5]) + b"\0"
                at += 5
            else:
                out += bytes([run, row[at]])
                at += run
        out += b"\0\0"
    return out + b"\0\1"


def rle4(rows):
    out = b""
    for row in rows:
        at = 0
        while at < len(row):
            pair = row[at:at + 2] if at + 1 < len(row) else [row[at], 0]
            run = min(2, len(row) - at)
            out += bytes([run, pair[0] << 4 | pair[1]])
            at += run
        out += b"\0\0"
    return out + b"\0\1"


def without_date(profile):
    """The profile without the time it was made, so that this script gives the same files again."""
    return profile[:24] + bytes(12) + profile[36:]


class Fixtures:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.entries = []

    def add(self, name, kind, data, pixels=None, tolerance=EXACT, orientation=1, frames=1, alpha=False):
        pixels = seen(data) if pixels is None else np.asarray(pixels)
        (self.folder / name).write_bytes(data)
        self.entries.append({
            "file": name, "kind": kind, "width": pixels.shape[1], "height": pixels.shape[0],
            "orientation": orientation, "frames": frames, "alpha": alpha, "tolerance": tolerance,
            "pixels": pixels.astype(np.uint8).tobytes().hex()})

    def write(self):
        lines = ",\n".join(json.dumps(entry) for entry in self.entries)
        (self.folder / "expected.json").write_text("[\n" + lines + "\n]\n")


def add_jpeg(out, rgb):
    image = Image.fromarray(rgb)
    plain = save(image, "JPEG", quality=95, subsampling=0)
    out.add("plain.jpg", "JPEG", plain, tolerance=LOSSY)
    out.add("subsampled.jpg", "JPEG", save(image, "JPEG", quality=90, subsampling=2), tolerance=LOSSY)
    out.add("progressive.jpg", "JPEG", save(image, "JPEG", quality=90, progressive=True), tolerance=LOSSY)
    out.add("grey.jpg", "JPEG", save(image.convert("L"), "JPEG", quality=95), tolerance=LOSSY)
    for orientation in range(1, 9):
        for name, endian in (("le", "<"), ("be", ">")):
            data = jpeg_with_app1(plain, b"Exif\0\0" + exif(orientation, endian))
            out.add(f"exif_{orientation}_{name}.jpg", "JPEG", data, tolerance=LOSSY, orientation=orientation)
    broken = {"garbage": b"\x07" * 40, "empty": b"", "value_9": exif(9), "value_0": exif(0),
              "offset": exif(6, offset=0x7ffffff0), "as_text": exif(6, kind=2, count=4),
              "cut": exif(6)[:12], "endless": exif(6, count=0xffffffff)}
    for name, body in broken.items():
        data = jpeg_with_app1(plain, b"Exif\0\0" + body)
        out.add(f"exif_broken_{name}.jpg", "JPEG", data, seen(plain), tolerance=LOSSY)
    cmyk = np.concatenate([rgb, rgb[..., ::-1][..., :1] // 3], axis=-1)
    adobe = save(Image.fromarray(cmyk, "CMYK"), "JPEG", quality=95)
    out.add("cmyk_adobe.jpg", "JPEG", adobe, tolerance=LOSSY)
    out.add("cmyk_no_adobe.jpg", "JPEG", without_adobe(adobe), tolerance=LOSSY)


def add_png(out, rgb):
    image = Image.fromarray(rgb)
    grey = rgb[..., 1]
    rng = np.random.default_rng(7)
    noise = rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    logo = Image.new("L", (WIDTH, HEIGHT), 0)
    ImageDraw.Draw(logo).ellipse((3, 2, 17, 11), fill=255, outline=128)
    alpha = np.asarray(logo)
    out.add("plain.png", "PNG", save(image, "PNG"))
    out.add("adam7.png", "PNG", png_adam7(rgb))
    out.add("exif_6.png", "PNG", save(image, "PNG", exif=exif(6)), orientation=6)
    ink = np.where(alpha[..., None] > 0, 0, noise).astype(np.uint8)
    out.add("noise_under_alpha.png", "PNG", save(Image.fromarray(np.dstack([ink, alpha])), "PNG"), alpha=True)
    white = np.full_like(rgb, 255)
    out.add("white_on_transparent.png", "PNG", save(Image.fromarray(np.dstack([white, alpha])), "PNG"), alpha=True)
    ramp = np.dstack([rgb, np.linspace(0, 255, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH).astype(np.uint8)])
    out.add("rgba_ramp.png", "PNG", save(Image.fromarray(ramp), "PNG"), alpha=True)
    out.add("grey_alpha.png", "PNG", save(Image.fromarray(np.dstack([grey, alpha]), "LA"), "PNG"), alpha=True)
    out.add("grey.png", "PNG", save(image.convert("L"), "PNG"))
    out.add("one_bit.png", "PNG", save(logo.convert("1"), "PNG"))
    for bits in (1, 2, 4, 8):
        indexed = image.quantize(2 ** bits, dither=Image.Dither.NONE)
        out.add(f"palette_{bits}.png", "PNG", save(indexed, "PNG", bits=bits))
    indexed = image.quantize(4, dither=Image.Dither.NONE)
    out.add("palette_transparent.png", "PNG", save(indexed, "PNG", transparency=b"\0\x80\xff\xff"), alpha=True)
    out.add("grey_key.png", "PNG", png_raw(grey, 0, 8, png_chunk(b"tRNS", struct.pack(">H", int(grey[3, 3])))), alpha=True)
    out.add("rgb_key.png", "PNG", png_raw(rgb, 2, 8, png_chunk(b"tRNS", struct.pack(">HHH", *map(int, rgb[3, 3])))), alpha=True)
    wide = rgb.astype(np.uint16) * 256 + noise
    out.add("rgb_16.png", "PNG", png_raw(wide, 2, 16), rgb)
    out.add("grey_16.png", "PNG", png_raw(wide[..., 1], 0, 16), np.repeat(rgb[..., 1:2], 3, axis=-1))
    wide_alpha = np.dstack([wide, alpha.astype(np.uint16) * 257])
    out.add("rgba_16.png", "PNG", png_raw(wide_alpha, 6, 16), on_white(np.dstack([rgb, alpha])), alpha=True)


def add_profiles(out, rgb):
    image = Image.fromarray(rgb)
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
    p3 = icc_profile(((0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)), 2.2)
    wide = ImageCms.ImageCmsProfile(io.BytesIO(p3))
    shown = np.asarray(ImageCms.profileToProfile(image, wide, srgb, renderingIntent=1))
    out.add("display_p3.png", "PNG", save(image, "PNG", icc_profile=p3), shown, tolerance=LOSSY)
    out.add("srgb.png", "PNG", save(image, "PNG", icc_profile=without_date(srgb.tobytes())), rgb)
    out.add("profile_garbage.png", "PNG", save(image, "PNG", icc_profile=b"\x00\x00\x02\x00" + b"x" * 500), rgb)
    out.add("profile_cut.jpg", "JPEG", save(image, "JPEG", quality=95, icc_profile=p3[:200]),
            np.asarray(Image.open(io.BytesIO(save(image, "JPEG", quality=95)))), tolerance=LOSSY)
    alpha = np.linspace(0, 255, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH).astype(np.uint8)
    out.add("display_p3_alpha.png", "PNG", save(Image.fromarray(np.dstack([rgb, alpha])), "PNG", icc_profile=p3),
            on_white(np.dstack([shown, alpha])), tolerance=LOSSY, alpha=True)


def add_frames(out, rgb):
    image, other = Image.fromarray(rgb), Image.fromarray(255 - rgb)
    for name, extra in (("two_frames.gif", {"save_all": True, "append_images": [other.quantize(64)]}), ("plain.gif", {})):
        out.add(name, "GIF", save(image.quantize(64), "GIF", **extra), frames=2 if extra else 1, alpha=bool(extra))
    indexed = image.quantize(8, dither=Image.Dither.NONE)
    out.add("transparent.gif", "GIF", save(indexed, "GIF", transparency=3), alpha=True)
    out.add("lossy.webp", "WebP", save(image, "WEBP", quality=90), tolerance=LOSSY)
    out.add("lossless.webp", "WebP", save(image, "WEBP", lossless=True))
    alpha = np.linspace(0, 255, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH).astype(np.uint8)
    rgba = Image.fromarray(np.dstack([rgb, alpha]))
    out.add("alpha.webp", "WebP", save(rgba, "WEBP", lossless=True, exact=True), alpha=True)
    out.add("alpha_lossy.webp", "WebP", save(rgba, "WEBP", quality=90), tolerance=LOSSY, alpha=True)
    out.add("animated.webp", "WebP", save(image, "WEBP", lossless=True, save_all=True, append_images=[other]), rgb, frames=2)
    out.add("exif_6.webp", "WebP", save(image, "WEBP", lossless=True, exif=exif(6)), orientation=6)
    out.add("two_pages.tif", "TIFF", save(image, "TIFF", save_all=True, append_images=[other]), frames=2)


def add_tiff(out, rgb):
    image = Image.fromarray(rgb)
    for compression in ("tiff_lzw", "tiff_deflate", "packbits"):
        out.add(f"{compression.removeprefix('tiff_')}.tif", "TIFF", save(image, "TIFF", compression=compression))
    out.add("jpeg.tif", "TIFF", save(image, "TIFF", compression="jpeg", quality=95), tolerance=LOSSY)
    bits = image.convert("L").point(lambda value: 255 * (value > 127)).convert("1")
    out.add("fax_g4.tif", "TIFF", save(bits, "TIFF", compression="group4"))
    out.add("one_bit.tif", "TIFF", save(bits, "TIFF"))
    out.add("grey.tif", "TIFF", save(image.convert("L"), "TIFF"))
    out.add("palette.tif", "TIFF", save(image.quantize(16), "TIFF"))
    out.add("orientation_6.tif", "TIFF", save(image, "TIFF", tiffinfo={274: 6}), orientation=6)
    wide = (rgb[..., 1].astype(np.uint16) << 8) + 99
    out.add("grey_16.tif", "TIFF", save(Image.fromarray(wide), "TIFF"), np.repeat(rgb[..., 1:2], 3, axis=-1))
    alpha = np.linspace(0, 255, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH).astype(np.uint8)
    out.add("rgba.tif", "TIFF", save(Image.fromarray(np.dstack([rgb, alpha])), "TIFF"), alpha=True)
    cmyk = np.concatenate([rgb, rgb[..., ::-1][..., :1] // 3], axis=-1)
    out.add("cmyk.tif", "TIFF", save(Image.fromarray(cmyk, "CMYK"), "TIFF"))
    lab_profile, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
    soft = Image.fromarray((rgb // 2 + 64).astype(np.uint8))
    lab = ImageCms.profileToProfile(soft, srgb, lab_profile, outputMode="LAB")
    back = ImageCms.profileToProfile(lab, lab_profile, srgb, outputMode="RGB")
    lab.info.clear()
    # libvips packs Lab in 32 bits, which costs a third of a per cent of lightness.
    out.add("lab.tif", "TIFF", save(lab, "TIFF"), np.asarray(back), tolerance=6)


def add_heif(out, rgb):
    pillow_heif.register_heif_opener()
    big = scene(64, 48)
    image = Image.fromarray(big)
    plain = save(image, "HEIF", quality=95, chroma=444)
    out.add("plain.heic", "HEIC", plain, tolerance=3)
    out.add("plain.avif", "AVIF", save(image, "AVIF", quality=95, subsampling="4:4:4"), tolerance=3)
    out.add("turned.heic", "HEIC", save(image, "HEIF", quality=95, chroma=444, exif=exif(6)), tolerance=3)
    alpha = np.linspace(0, 255, big[..., 0].size).reshape(big.shape[:2]).astype(np.uint8)
    rgba = Image.fromarray(np.dstack([big, alpha]))
    out.add("alpha.heic", "HEIC", save(rgba, "HEIF", quality=95, chroma=444), tolerance=4, alpha=True)
    out.add("alpha.avif", "AVIF", save(rgba, "AVIF", quality=95, subsampling="4:4:4"), tolerance=4, alpha=True)
    out.add("turned.avif", "AVIF", save(image, "AVIF", quality=95, subsampling="4:4:4", exif=exif(6)), tolerance=3)


def add_bmp(out, rgb):
    height, width, _ = rgb.shape
    image = Image.fromarray(rgb)
    bgr_up = rgb[::-1, :, ::-1]
    out.add("rgb_24.bmp", "BMP", save(image, "BMP"))
    out.add("top_down_24.bmp", "BMP", bmp(bmp_header(width, -height, 24), b"", bmp_rows(r.tobytes() for r in rgb[..., ::-1])))
    for bits in (1, 4, 8):
        indexed = image.quantize(2 ** bits, dither=Image.Dither.NONE)
        colours = np.array(indexed.getpalette()[:3 * 2 ** bits], dtype=np.uint8).reshape(-1, 3)
        palette = b"".join(bytes(c[::-1]) + b"\0" for c in colours.tolist())
        index = np.asarray(indexed)[::-1]
        if bits == 8:
            rows = [row.tobytes() for row in index]
        else:
            per = 8 // bits
            padded = np.pad(index, ((0, 0), (0, -width % per))).reshape(height, -1, per)
            shifts = np.arange(per)[::-1] * bits
            rows = [row.tobytes() for row in (padded << shifts).sum(-1).astype(np.uint8)]
        expected = colours[np.asarray(indexed)]
        header = bmp_header(width, height, bits, colours=len(colours))
        out.add(f"palette_{bits}.bmp", "BMP", bmp(header, palette, bmp_rows(rows)), expected)
        if bits == 8:
            body = rle8(index.tolist())
            out.add("rle_8.bmp", "BMP", bmp(bmp_header(width, height, 8, 1, colours=len(colours)), palette, body), expected)
        if bits == 4:
            body = rle4(index.tolist())
            out.add("rle_4.bmp", "BMP", bmp(bmp_header(width, height, 4, 2, colours=len(colours)), palette, body), expected)
        if bits == 4:
            core = struct.pack("<IHHHH", 12, width, height, 1, 4)
            triples = b"".join(bytes(c[::-1]) for c in colours.tolist())
            out.add("os2_4.bmp", "BMP", bmp(core, triples, bmp_rows(rows)), expected)
    wide = rgb.astype(np.uint32)
    five = wide[..., 0] >> 3 << 10 | wide[..., 1] >> 3 << 5 | wide[..., 2] >> 3
    out.add("rgb_555.bmp", "BMP", bmp(bmp_header(width, height, 16), b"", bmp_rows(r.astype("<u2").tobytes() for r in five[::-1])),
            ((rgb >> 3).astype(int) * 255 + 15) // 31)
    six = wide[..., 0] >> 3 << 11 | wide[..., 1] >> 2 << 5 | wide[..., 2] >> 3
    masks = struct.pack("<III", 0xf800, 0x7e0, 0x1f)
    out.add("rgb_565.bmp", "BMP", bmp(bmp_header(width, height, 16, 3) + masks, b"", bmp_rows(r.astype("<u2").tobytes() for r in six[::-1])),
            np.dstack([((rgb[..., 0] >> 3).astype(int) * 255 + 15) // 31, ((rgb[..., 1] >> 2).astype(int) * 255 + 31) // 63,
                       ((rgb[..., 2] >> 3).astype(int) * 255 + 15) // 31]))
    zero = np.zeros((height, width, 1), dtype=np.uint8)
    out.add("rgbx_32.bmp", "BMP", bmp(bmp_header(width, height, 32), b"", np.dstack([bgr_up, zero]).tobytes()), rgb)
    alpha = np.linspace(0, 255, width * height).reshape(height, width).astype(np.uint8)
    masks = struct.pack("<IIII", 0xff0000, 0xff00, 0xff, 0xff000000)
    rgba = np.dstack([rgb, alpha])
    body = np.dstack([bgr_up, alpha[::-1]]).tobytes()
    out.add("rgba_32_v5.bmp", "BMP", bmp(bmp_header(width, height, 32, 3, 124, masks=masks), b"", body), on_white(rgba), alpha=True)
    out.add("rgba_32_all_clear.bmp", "BMP",
            bmp(bmp_header(width, height, 32, 3, 124, masks=masks), b"", np.dstack([bgr_up, zero]).tobytes()), rgb, alpha=True)


def main():
    out = Fixtures(sys.argv[1])
    rgb = scene()
    for add in (add_jpeg, add_png, add_profiles, add_frames, add_tiff, add_heif, add_bmp):
        add(out, rgb)
    out.write()
    print(len(out.entries), "files,", sum(path.stat().st_size for path in out.folder.iterdir()), "bytes")


if __name__ == "__main__":
    main()
