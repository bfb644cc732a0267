"""Reads the bodies of answers within limits: they are unpacked in small pieces, and read up to a size.

    pieces = unpack(packed, "gzip")                      # packed: the bytes as received
    cut = await keep_whole(pieces, 8_000_000, file)           # cut: there is more
    body, cut = await read_beginning(pieces, 65_536, seconds=15)  # for an answer that need not be complete

A small body can unpack to a thousand times its size. No piece is larger than `PIECE_BYTES`, other tasks can run between
two pieces, and only requested pieces are unpacked. Only `read_beginning` has a time limit. The callers of the other
functions limit the time.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import suppress
from tempfile import SpooledTemporaryFile
from typing import Final, Protocol

PIECE_BYTES: Final = 65_536
"""Maximum bytes that are unpacked at once: a tenth of a millisecond of work."""
WINDOW_BITS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""zlib's number for the format of each coding (https://zlib.net/manual.html, inflateInit2)."""
BARE_DEFLATE: Final = -15
"""zlib's number for deflate without the header that RFC 9110, section 8.4.1.2, requires: some servers omit it."""
IN_MEMORY: Final = 256 * 1024
"""Maximum bytes of a whole body in memory. Most lists of models are smaller.

A larger body is in a file without a name, so that many large bodies at the same time take no memory.
"""
Body = SpooledTemporaryFile[bytes]
PLAIN: Final = frozenset({"", "identity"})


def new_body() -> Body:
    """Return an empty file to write a body into. Closing it frees its memory or deletes it."""
    return SpooledTemporaryFile(IN_MEMORY)


class _Unpacker(Protocol):
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class UnpackingError(Exception):
    """Error: a body has an unsupported coding, or not the coding that its header states."""


async def unpack(packed: AsyncIterable[bytes], coding: str) -> AsyncGenerator[bytes, None]:
    """Unpack a body while it is received. `coding` is its Content-Encoding.

    Bodies with several layers of coding are refused, and so are bodies that are larger packed than unpacked: both can
    cost unbounded work without any result. Bytes after the end of the packed body are not read.

    Raises:
        UnpackingError: the body cannot be unpacked.
    """
    coding = coding.strip().lower()
    if coding in PLAIN:
        async for chunk in packed:
            yield chunk
        return
    if coding not in WINDOW_BITS:
        raise UnpackingError(f"compressed as {coding[:60]!r}, which Inview does not support")
    unpacker = None
    gained = 0
    async for chunk in packed:
        if unpacker is None:
            bare = coding == "deflate" and chunk[0] & 0x0F != 8
            unpacker = zlib.decompressobj(BARE_DEFLATE if bare else WINDOW_BITS[coding])
        gained -= len(chunk)
        rest = chunk
        while piece := _unpack_piece(unpacker, rest):
            gained += len(piece)
            yield piece
            await asyncio.sleep(0)
            rest = unpacker.unconsumed_tail
        if unpacker.eof:
            return
        if gained < -PIECE_BYTES:
            raise UnpackingError("larger compressed than decompressed")


async def keep_whole(pieces: AsyncIterable[bytes], most: int, file: Body) -> bool:
    """Append the pieces of a body to `file`, at most `most` bytes. Return True if the body is longer."""
    size = 0
    async for piece in pieces:
        size += len(piece)
        file.write(piece if size <= most else piece[: most - size])
        if size > most:
            return True
    return False


async def read_beginning(pieces: AsyncIterable[bytes], most: int, seconds: float) -> tuple[bytes, bool]:
    """Return the first bytes of a body, at most `most` and received within `seconds`, and True if more may follow.

    More may follow if the body is longer, or if the time was over before its end.
    """
    body = bytearray()
    with suppress(TimeoutError):  # the bytes received so far are enough
        async with asyncio.timeout(seconds):
            async for piece in pieces:
                body += piece
                if len(body) > most:
                    break
            else:
                return bytes(body), False
    return bytes(body[:most]), True


def _unpack_piece(unpacker: _Unpacker, packed: bytes) -> bytes:
    try:
        return unpacker.decompress(packed, PIECE_BYTES)
    except zlib.error as error:
        raise UnpackingError("not compressed as its header says") from error
