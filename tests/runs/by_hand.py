"""Offline models whose reply the test sends piece by piece.

hand = ByHand.at_work(monkeypatch)      # the offline models answer with the pieces from `hand`
started = await send(ctx, conversation_id, "Hi")
hand.say("Hello")
hand.end()
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from itertools import count
from typing import Self

import orjson
import pytest

from app.providers.vendors.offline import OfflineResponse


@dataclass
class ByHand:
    """A reply controlled by the test. `asked` is set with the first call. All calls get the same pieces."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    _said: list[bytes] = field(default_factory=list[bytes])
    _more: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def at_work(cls, monkeypatch: pytest.MonkeyPatch) -> Self:
        hand = cls()

        def answer(_: OfflineResponse) -> AsyncGenerator[bytes]:
            return hand._answer()

        monkeypatch.setattr(OfflineResponse, "chunks", answer)
        return hand

    def say(self, text: str) -> None:
        self._send(_event("text", text))

    def end(self) -> None:
        self._send(_event("usage", {"input_tokens": 1, "output_tokens": 1}) + _event("stop", "end"))

    def _send(self, chunk: bytes) -> None:
        self._said.append(chunk)
        more, self._more = self._more, asyncio.Event()
        more.set()

    async def _answer(self) -> AsyncGenerator[bytes]:
        self.asked.set()
        heard = 0
        while True:
            while heard == len(self._said):
                await self._more.wait()
            chunk = self._said[heard]
            heard += 1
            yield chunk
            if b'"stop"' in chunk:
                return


def hold_first(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Return an event that delays the answer to the first call of an offline model. Later calls are not delayed."""
    real, calls, goes_on = OfflineResponse.chunks, count(), asyncio.Event()

    async def answer(response: OfflineResponse) -> AsyncGenerator[bytes]:
        if next(calls) == 0:
            await goes_on.wait()
        async for chunk in real(response):
            yield chunk

    monkeypatch.setattr(OfflineResponse, "chunks", answer)
    return goes_on


def _event(kind: str, value: object) -> bytes:
    return b"data: " + orjson.dumps({kind: value}) + b"\n\n"
