"""The process that converts one picture. It runs as a script and imports nothing of Inview.

It reads the bytes of a picture from its standard input until the end, and writes a line of JSON, then the bytes of the
converted picture:

    {"media_type": "image/jpeg", "width": 2576, "height": 1932, "full_width": 4032, "full_height": 3024}
    {"fault": "has more than 50 million pixels"}

Every picture is decoded and encoded again from its pixels alone, so nothing that was hidden in it (the place where it
was taken, a second file, a script) remains. The process has limits for memory and time, and ends after one picture.
"""

from __future__ import annotations

import json
import resource
import sys
from contextlib import suppress
from io import BytesIO
from typing import Any, Final

from PIL import Image, ImageOps, UnidentifiedImageError

MAX_MEMORY: Final = 1024 * 1024 * 1024
"""Maximum address space in bytes: enough for two copies of a picture with the maximum number of pixels."""
MAX_SECONDS: Final = 20
"""Maximum processor time in seconds."""
MAX_PIXELS: Final = 50_000_000
"""Maximum number of pixels. Photos of today's phones have 48 million."""
MAX_SIDE: Final = 2_576
"""Maximum pixels of the longer side. No model uses more (docs/decisions/0074-re-encode-pictures.md)."""
MAX_BYTES: Final = 3_500_000
"""Maximum bytes of the sent picture: in base64 it has less than the five million bytes that Anthropic accepts."""
FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
QUALITIES: Final = (90, 75, 50)


def convert(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Convert a picture. Return the description and the bytes of the result, or a fault and no bytes."""
    Image.MAX_IMAGE_PIXELS = None  # switched off, because `convert` refuses a large picture with a better message
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as picture:
            full_width, full_height = picture.size
            if full_width * full_height > MAX_PIXELS:
                return {"fault": f"has more than {MAX_PIXELS // 1_000_000} million pixels"}, b""
            turned = picture.getexif().get(0x0112, 1) >= 5  # the picture is rotated, so width and height are swapped
            lossy = picture.format == "JPEG" or (picture.format == "WEBP" and picture.mode == "RGB")
            made = _scale(picture)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError):
        return {"fault": "is damaged or not a picture"}, b""
    except MemoryError:
        return {"fault": "takes too much memory"}, b""
    media_type, written = _write(made, lossy=lossy)
    facts = {
        "media_type": media_type,
        "width": made.width,
        "height": made.height,
        "full_width": full_height if turned else full_width,
        "full_height": full_width if turned else full_height,
    }
    return facts, written


def _scale(picture: Image.Image) -> Image.Image:
    """Return a new picture with only the pixels of `picture`: upright, the longer side at most `MAX_SIDE` pixels."""
    picture.draft("RGB", (MAX_SIDE, MAX_SIDE))  # a large JPEG is decoded at half its size or less
    has_alpha = "A" in picture.getbands() or "transparency" in picture.info
    mode = "RGBA" if has_alpha else "RGB"
    drawn: Image.Image = picture if picture.mode == mode else picture.convert(mode)
    drawn.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    upright = ImageOps.exif_transpose(drawn)
    clean = Image.new(mode, upright.size)
    clean.paste(upright)
    return clean


def _write(picture: Image.Image, *, lossy: bool) -> tuple[str, bytes]:
    """Encode a photo as JPEG, anything else as PNG unless that is too large."""
    if not lossy:
        png = BytesIO()
        picture.save(png, "PNG")
        if png.tell() <= MAX_BYTES:
            return "image/png", png.getvalue()
    flat = picture
    if picture.mode == "RGBA":
        flat = Image.new("RGB", picture.size, "white")
        flat.paste(picture, mask=picture.getchannel("A"))
    jpeg = BytesIO()
    for quality in QUALITIES:
        jpeg = BytesIO()
        flat.save(jpeg, "JPEG", quality=quality)
        if jpeg.tell() <= MAX_BYTES:
            break
    return "image/jpeg", jpeg.getvalue()


def main() -> None:
    """Convert the picture from the standard input."""
    with suppress(ValueError, OSError):  # some systems have no such limits
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    facts, written = convert(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(facts).encode() + b"\n" + written)


if __name__ == "__main__":
    main()
