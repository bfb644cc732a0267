"""Reads the output of a program line by line, in small pieces, so that little of it is in memory at once.

    async with aclosing(read_lines(process.stdout, Messages())) as lines:
        async for line in lines: ...

The method `readline` of asyncio would buffer up to twice the maximum length of a line, even if all lines are short.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Final

from app.domain.text.json_size import ValueCount
from app.tools.network.bounds import MAX_MESSAGE, ByteFlow, DecodedSize, TooMuchError, require_few, require_small

PIECE: Final = 65_536
"""Maximum bytes that are read at once."""
MAX_WORDS: Final = 4_000


class Words:
    """The state that joins pieces of a program's output to lines.

    Only the first `MAX_WORDS` bytes of a line are kept.
    """

    def __init__(self) -> None:
        self._line = bytearray()

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Add a piece of the output, and yield the lines that are complete now.

        Raises:
            TooMuchError: a line is too large.
        """
        *ends, rest = piece.split(b"\n")
        for end in ends:
            self._add(end)
            line = bytes(self._line)
            self._start()
            yield line
        self._add(rest)

    def _start(self) -> None:
        self._line.clear()

    def _add(self, piece: bytes) -> None:
        self._line += piece[: MAX_WORDS - len(self._line)]


class Messages(Words):
    """The state that joins pieces of a program's output to lines, each a whole message.

    A line that is too long or has too many JSON values is refused.
    """

    def __init__(self) -> None:
        super().__init__()
        self._values, self._size = ValueCount(), DecodedSize()

    def _start(self) -> None:
        super()._start()
        self._values, self._size = ValueCount(), DecodedSize()

    def _add(self, piece: bytes) -> None:
        self._line += piece
        if len(self._line) > MAX_MESSAGE:
            raise TooMuchError(f"a line of more than {MAX_MESSAGE // 1_000_000} MB")
        require_few(self._values.feed(piece))
        require_small(self._size.feed(piece))


async def read_lines(stream: asyncio.StreamReader, made: Words) -> AsyncGenerator[bytes]:
    """Yield each line of a stream without its line break. `made` joins the pieces that are read to lines.

    Other tasks can run after every piece and every line.

    Raises:
        TooMuchError: a line is too large, or the stream has too many bytes in a minute.
    """
    flow = ByteFlow()
    while piece := await stream.read(PIECE):
        flow.note(len(piece), piece.count(b"\n"))
        for line in made.feed(piece):
            yield line
            await asyncio.sleep(0)
        await asyncio.sleep(0)
    for line in made.feed(b"\n"):  # the last line may have no line break
        if line:
            yield line
