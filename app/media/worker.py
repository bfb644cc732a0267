"""The process that converts one picture. It runs as a script and imports nothing of Inview.

It reads the bytes of a picture from its standard input until that ends, and writes a line of JSON and the bytes of the
converted picture:

    {"media_type": "image/jpeg", "width": 2576, "height": 1932, "full_width": 4032, "full_height": 3024}
    {"fault": "has more than 50 million pixels"}

Every picture is decoded and written anew from its pixels alone: nothing that was hidden in it (the place where it was
taken, a second file, a script) is left. The process has bounds for memory and time, and ends after its one picture.
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
"""Bytes of address space: a picture of the most pixels is in it twice."""
MAX_SECONDS: Final = 20
"""Processor time."""
MAX_PIXELS: Final = 50_000_000
"""Photos of today's phones have 48 million."""
MAX_SIDE: Final = 2_576
"""Pixels of the longer side. No model looks at more (docs/decisions/0074-re-encode-pictures.md)."""
MAX_BYTES: Final = 3_500_000
"""Bytes of the picture that is sent: in base64 that is less than the five million that Anthropic takes."""
FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")
QUALITIES: Final = (90, 75, 50)


def convert(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The picture as it is sent, and what is said of it."""
    Image.MAX_IMAGE_PIXELS = None  # its own bound is another one: what is over ours is told in words
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as picture:
            full_width, full_height = picture.size
            if full_width * full_height > MAX_PIXELS:
                return {"fault": f"has more than {MAX_PIXELS // 1_000_000} million pixels"}, b""
            turned = picture.getexif().get(0x0112, 1) >= 5  # its sides change places
            lossy = picture.format == "JPEG" or (picture.format == "WEBP" and picture.mode == "RGB")
            made = _scale(picture)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError):
        return {"fault": "is damaged, or is no picture"}, b""
    except MemoryError:
        return {"fault": "takes too much memory"}, b""
    media_type, written = _write(made, lossy=lossy)
    said = {
        "media_type": media_type,
        "width": made.width,
        "height": made.height,
        "full_width": full_height if turned else full_width,
        "full_height": full_width if turned else full_height,
    }
    return said, written


def _scale(picture: Image.Image) -> Image.Image:
    """Its pixels, the right way up, at most `MAX_SIDE` long, and nothing else of it."""
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
    """As JPEG if it was a photo, else as PNG unless that is too large."""
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
    """Convert the picture on the standard input."""
    with suppress(ValueError, OSError):  # a system that has no such limits
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    said, written = convert(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n" + written)


if __name__ == "__main__":
    main()
