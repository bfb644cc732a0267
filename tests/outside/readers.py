"""The readers of the network, one row each, with their limits. A new reader of Inview is a new row here.

A row has the beginning of the peer's answer, its endless rest, and the way to read it. `read` returns the text of the
error that a person sees; every attack must end in one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Final

import pytest

from app.domain.errors import ProviderError
from app.providers.base import Provider, encode
from app.providers.counts.counting import count_tokens
from app.providers.models.models import ModelLists
from app.providers.wire.transport import Transport
from tests.providers.peer import Answer
from tests.providers.playing import a_profile, a_provider, a_request

JSON: Final = (("Content-Type", "application/json"),)
KEY: Final = "sk-test-1234567890"


@dataclass(frozen=True)
class Reader:
    """A reader of the network. `read` takes the address of the peer.

    `filler`: meaningless bytes that the body repeats. `frame` makes a body of a JSON text. `most_bytes`, uncompressed,
    and `seconds` are the limits; `step` is a pause in seconds below the time-out. `says`: a pattern for the start of
    the error. `before`: answers before the attack. `unlike`: attacks that do not apply to this reader.
    """

    name: str
    read: Callable[[str], Awaitable[str]]
    answer: Answer
    filler: bytes
    most_bytes: int
    seconds: float
    step: float
    frame: Callable[[bytes], bytes] = lambda body: body
    says: tuple[str, ...] = ("Groq", "OpenAI", "Anthropic")
    before: tuple[Answer, ...] = ()
    unlike: frozenset[str] = frozenset()


def _text_of(error: ProviderError) -> str:
    assert error.failure.next_step
    return error.failure.message


async def read_reply(vendor: str, url: str) -> str:
    async def receive(transport: Transport, provider: Provider) -> None:
        wire = encode(provider, a_request(model=f"{vendor}:test"), a_profile(), {})
        async with aclosing(transport.stream(provider, wire)) as batches:
            async for _ in batches:
                pass

    return await _read_answer(receive, a_provider(vendor, url, KEY))


async def read_list(vendor: str, url: str) -> str:
    async def load(transport: Transport, provider: Provider) -> None:
        await ModelLists(transport).load(provider)

    return await _read_answer(load, a_provider(vendor, url, KEY))


async def read_count(vendor: str, url: str) -> str:
    async def count(transport: Transport, provider: Provider) -> None:
        wire = encode(provider, a_request(model=f"{vendor}:test"), a_profile(), {})
        await count_tokens(transport, provider, wire)

    return await _read_answer(count, a_provider(vendor, url, KEY))


async def _read_answer(read: Callable[[Transport, Provider], Awaitable[None]], provider: Provider) -> str:
    transport = Transport()
    try:
        with pytest.raises(ProviderError) as raised:
            await read(transport, provider)
    finally:
        await transport.close()
    return _text_of(raised.value)


def as_event(body: bytes) -> bytes:
    """Encode a server-sent event."""
    return b"data: " + body + b"\n\n"


STREAM: Final = Answer()
COMMENT: Final = b": " + b"x" * 998 + b"\n\n"
EMPTY: Final = {
    "groq": as_event(b'{"choices":[{"index":0,"delta":{"content":""}}],"padding":"' + b"x" * 900 + b'"}'),
    "openai": as_event(b'{"type":"response.output_text.delta","delta":"","padding":"' + b"x" * 900 + b'"}'),
    "anthropic": b'event: ping\ndata: {"type":"ping","padding":"' + b"x" * 900 + b'"}\n\n',
}
MB: Final = 1_000_000


def readers_of(vendor: str) -> tuple[Reader, ...]:
    """Return the readers of this vendor's answers."""
    reply, models = partial(read_reply, vendor), partial(read_list, vendor)
    refusal = Answer(status=500, headers=JSON)
    answer = Answer(headers=JSON)
    stream = partial(Reader, read=reply, answer=STREAM, most_bytes=17 * MB, seconds=600, step=20)
    event = partial(Reader, read=reply, answer=STREAM, most_bytes=8 * MB, seconds=600, step=20, frame=as_event)
    error = partial(Reader, answer=refusal, filler=b" ", most_bytes=65_536, seconds=15, step=1)
    whole = partial(Reader, answer=answer, filler=b" ", most_bytes=8 * MB, seconds=15, step=1)
    return (
        stream(f"stream of {vendor}: comments", filler=COMMENT, frame=as_event),
        stream(f"stream of {vendor}: empty deltas", filler=EMPTY[vendor], frame=as_event),
        event(f"stream of {vendor}: an event without end", filler=b"x" * 1_000),
        # Until the status arrives, the time-out is that of a stream.
        error(f"error of {vendor} instead of a reply", reply, unlike=frozenset({"informational responses, dripping"})),
        error(f"error of {vendor} instead of a list", models),
        whole(f"list of {vendor}", models),
        *((whole(f"count of {vendor}", partial(read_count, vendor)),) if vendor != "groq" else ()),
    )
