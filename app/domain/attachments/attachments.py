"""Attachments: the bytes of `Image` and `File` parts, each with a media type.

Not here: storing them (`store/attachments/attachments.py`), and the types that a provider accepts.

    >>> Attachment("text/plain", b"Hello", "hello.txt").part().name
    'hello.txt'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, get_args

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, ToolResult

MAX_BYTES = 10 * 1024 * 1024
"""Maximum bytes of one attachment. No provider accepts a larger image."""
MAX_BYTES_TOGETHER = 200 * 1024 * 1024
"""Maximum bytes of all attachments of a conversation together."""

Raster = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]


PDF = "application/pdf"
ANY_BYTES = "application/octet-stream"
_BRANDS = {
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1"), "image/heic"),
    **dict.fromkeys((b"avif", b"avis"), "image/avif"),
}
"""Image formats in ISO base media files, by their brand. No provider accepts these formats.

https://mp4ra.org/registered-types/brands
"""


@dataclass(frozen=True, slots=True)
class Attachment:
    """Bytes with a media type. `name` is the name of a file; "" if it has none.

    `media_type` is detected from the bytes if possible. Otherwise it is the type that the sender stated.
    """

    media_type: str
    data: bytes = field(repr=False)
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "media_type", find_type(self.data, self.media_type))

    @property
    def id(self) -> str:
        """The SHA-256 of the bytes, as hex."""
        return sha256(self.data).hexdigest()

    def part(self) -> Image | File:
        """Return an `Image` if the bytes are an image that models accept, otherwise a `File`."""
        seen = look_at(self.data)
        if seen is not None:
            return Image(self.id, seen.media_type, seen.width, seen.height)
        return File(self.id, self.media_type, self.name or "file")


@dataclass(frozen=True, slots=True)
class Picture:
    """The type and size of an image, read from its first bytes. The size is in pixels, or 0 by 0 if it is unknown."""

    media_type: Raster
    width: int = 0
    height: int = 0


def id_of(part: Part) -> str:
    """Return the id of the attachment of a part, or "" if the part has none.

    >>> id_of(TextFile("a.txt", "Hello"))[:12]
    '185f8db32271'
    """
    match part:
        case Image() | File():
            return part.attachment_id
        case TextFile():
            return sha256(part.text.encode()).hexdigest()
        case _:
            return ""


def list_named(parts: Iterable[Part]) -> Iterator[str]:
    """Yield the ids of the attachments in these parts, including those in tool results."""
    for part in parts:
        if isinstance(part, Image | File):
            yield part.attachment_id
        elif isinstance(part, ToolResult):
            yield from list_named(part.content)


def list_attachments(pair: Pair) -> Iterator[str]:
    """Yield the ids of the attachments in the messages of a pair."""
    for message in (pair.request, pair.reply):
        if message is not None and not (len(message.parts) == 1 and isinstance(message.parts[0], Text)):
            yield from list_named(message.parts)


def find_type(data: bytes, declared: str) -> str:
    """Return the media type of these bytes. Images and PDFs are detected.

    For other bytes the result is the stated type `declared`. If `declared` is the type of an image or of a PDF, it must
    be wrong, and the result is "application/octet-stream".

    >>> find_type(b"GIF89a", "image/png"), find_type(b"Hello", "application/pdf"), find_type(b"Hello", "text/plain")
    ('image/gif', 'application/octet-stream', 'text/plain')
    """
    if (seen := look_at(data)) is not None:
        return seen.media_type
    if data.startswith(b"%PDF-"):
        return PDF
    if data[4:8] == b"ftyp" and (brand := _BRANDS.get(data[8:12])) is not None:
        return brand
    return ANY_BYTES if declared == PDF or declared in get_args(Raster) else declared


def look_at(data: bytes) -> Picture | None:
    """Return the type and size of an image. Return None if browsers and models cannot show these bytes as an image.

    Sources: the PNG specification (IHDR), ITU-T T.81 (SOF markers), the GIF89a specification, RFC 9649 (WebP).

    >>> look_at(b"GIF89a" + bytes([3, 0, 2, 0]))
    Picture(media_type='image/gif', width=3, height=2)
    >>> look_at(b"<svg onload='alert(1)'/>") is None
    True
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return Picture("image/png", _big(data, 16, 4), _big(data, 20, 4))
    if data.startswith((b"GIF87a", b"GIF89a")):
        return Picture("image/gif", _little(data, 6, 2), _little(data, 8, 2))
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return Picture("image/webp", *_webp_size(data))
    if data.startswith(b"\xff\xd8\xff"):
        return Picture("image/jpeg", *_jpeg_size(data))
    return None


def _big(data: bytes, start: int, length: int) -> int:
    return int.from_bytes(data[start : start + length], "big")


def _little(data: bytes, start: int, length: int) -> int:
    return int.from_bytes(data[start : start + length], "little")


def _webp_size(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return _little(data, 24, 3) + 1, _little(data, 27, 3) + 1
        case b"VP8L":
            bits = _little(data, 21, 4)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            return _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF
        case _:
            return 0, 0


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Read the size of a JPEG from its frame header (SOF0 to SOF15, except DHT, JPG and DAC).

    A segment of the file is `FF`, marker, length.
    """
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            return _big(data, place + 7, 2), _big(data, place + 5, 2)
        place += 1 if marker == 0xFF else 2 + max(2, _big(data, place + 2, 2))
    return 0, 0
