"""Every reader of outside data against every attack of a peer: it ends in a clear error, within its limits.

Bytes are counted where the peer sends them and where they are decompressed; the peer moves the clock.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, Self

import pytest

from tests.outside.attacks import ATTACKS, BEFORE_THE_BODY, SOCKET_BYTES
from tests.outside.memory import Memory
from tests.outside.readers import Reader, readers_of
from tests.outside.tool_readers import TOOL_READERS
from tests.providers.peer import a_peer
from tests.runs.clock import LoopClock

READERS = [*TOOL_READERS, *(reader for vendor in ("groq", "openai", "anthropic") for reader in readers_of(vendor))]
GATE = {
    "stream of groq: comments",
    "stream of groq: an event without end",
    "error of groq instead of a reply",
    "list of groq",
    "count of openai",
}.union(reader.name for reader in TOOL_READERS)
CASES = [
    pytest.param(reader, attack, id=f"{reader.name} - {attack}", marks=marks)
    for reader, attack in product(READERS, ATTACKS)
    if attack not in reader.unlike
    for marks in [() if reader.name in GATE else pytest.mark.exhaustive]
]


MOST_MB: Final = 64
"""Additional memory for reading."""
PIECE_BYTES: Final = 1_000_000
"""The maximum that a reader may decompress at once."""


@dataclass
class Unpacked:
    """The number of bytes that this process decompresses."""

    size: int = 0

    @classmethod
    def at_work(cls, monkeypatch: pytest.MonkeyPatch) -> Self:
        count, real = cls(), zlib.decompressobj

        def counted(*arguments: Any) -> _Counted:
            return _Counted(real(*arguments), count)

        monkeypatch.setattr(zlib, "decompressobj", counted)
        return count


@dataclass
class _Counted:
    """A zlib decompressor that adds to a count."""

    unpacker: Any
    count: Unpacked

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unpacker, name)

    def decompress(self, *arguments: Any) -> bytes:
        piece = self.unpacker.decompress(*arguments)
        self.count.size += len(piece)
        return piece


@pytest.mark.parametrize(("reader", "attack"), CASES)
async def test_a_reader_ends_in_a_clear_error_within_its_bounds(
    reader: Reader, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = ATTACKS[attack](reader, LoopClock.at_work(monkeypatch))
    unpacked = Unpacked.at_work(monkeypatch)

    async with a_peer(*reader.before, played.answer) as peer:
        memory = Memory.now()
        message = await reader.read(f"{peer.url}/v1")

    assert message.startswith(reader.says)
    assert memory.growth() <= MOST_MB
    assert unpacked.size <= reader.most_bytes + PIECE_BYTES
    assert attack not in BEFORE_THE_BODY or played.sent <= SOCKET_BYTES
    assert attack == "bomb" or played.sent <= reader.most_bytes + SOCKET_BYTES
    assert played.clock.ahead <= reader.seconds + 3 * reader.step
