"""A model whose reply the test says piece by piece, when it wants to.

hand = ByHand.at_work(monkeypatch)      # the offline models answer with what `hand` says
started = await send(wb, conversation_id, "Hi")
hand.say("Hello")
hand.end()
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Self

import orjson
import pytest

from app.providers.offline import OfflineResponse


@dataclass
class ByHand:
    """`asked` is set once it is called. All calls take from the same words, so it serves one at a time."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    _said: asyncio.Queue[bytes] = field(default_factory=asyncio.Queue[bytes])

    @classmethod
    def at_work(cls, monkeypatch: pytest.MonkeyPatch) -> Self:
        hand = cls()

        def answer(_: OfflineResponse) -> AsyncGenerator[bytes]:
            return hand._answer()

        monkeypatch.setattr(OfflineResponse, "chunks", answer)
        return hand

    def say(self, text: str) -> None:
        self._said.put_nowait(_event("text", text))

    def end(self) -> None:
        self._said.put_nowait(_event("usage", {"input_tokens": 1, "output_tokens": 1}) + _event("stop", "end"))

    async def _answer(self) -> AsyncGenerator[bytes]:
        self.asked.set()
        while True:
            chunk = await self._said.get()
            yield chunk
            if b'"stop"' in chunk:
                return


def _event(kind: str, value: object) -> bytes:
    return b"data: " + orjson.dumps({kind: value}) + b"\n\n"
