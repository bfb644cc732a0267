"""Sends wire requests to providers and yields stream events. It keeps one open client per provider and key.

Make one `Transport` for the process (or the test), and close it at the end.

    transport = Transport()
    async with aclosing(transport.stream(provider, wire)) as batches:
        async for events in batches: ...
    await transport.close()
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import ExitStack, aclosing, suppress
from dataclasses import replace
from typing import Final

from app.domain.context.middleware import StreamContext, new_receivers, receive, receive_end
from app.domain.errors import ErrorClass, ProviderError, failure
from app.domain.stream.stream_events import Stopped, StreamEvent, join_text
from app.providers.base import (
    Adapter,
    CallTarget,
    Decoder,
    Provider,
    ProviderClient,
    RawResponse,
    Timeouts,
    WireRequest,
    load_adapter,
)
from app.providers.models.abilities import writes_reasoning_tags
from app.providers.wire.bodies import Body, keep_whole, new_body, read_beginning
from app.providers.wire.errors import CHECK_BASE_URL, describe_no_stream, describe_truncation, describe_unreadable
from app.providers.wire.foreign import GoogleDecoder, is_google_event, read_google_body
from app.providers.wire.sse import EventTooLargeError, SseParser
from app.providers.wire.surrogates import Mender, may_be_cut
from app.providers.wire.time_limits import Patience

STANDARD_TIMEOUTS = Timeouts()
STREAM_TYPES = frozenset({"text/event-stream", ""})
"""Media types of streams. Some servers send none."""
UNREADABLE = (EventTooLargeError, ValueError, TypeError, LookupError, AttributeError)
"""Errors of a decoder for an event that does not follow its protocol: invalid JSON is a ValueError, for example."""
MAX_COUNT_BYTES: Final = 65_536
"""Maximum bytes of the answer to a token count."""
MAX_ANSWER_BYTES: Final = 8_000_000
"""Maximum bytes of an unpacked list of models: the longest list of today has less than a megabyte."""
ANSWER_SECONDS: Final = 15.0
"""Maximum seconds from the request to the end of an answer that is no stream."""
BEGINNING_BYTES = 4_000
PIECE_BYTES = 4_096
"""Maximum bytes that are decoded at once: about a millisecond of work. The socket buffers 16 times this size."""
ENDING_SECONDS = 0.05


class Transport:
    """The open clients of providers. Use a transport in one event loop only."""

    def __init__(self) -> None:
        self._links: dict[Provider, ProviderClient] = {}
        self._opening = asyncio.Lock()

    async def stream(
        self, provider: Provider, wire: WireRequest, timeouts: Timeouts = STANDARD_TIMEOUTS
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Yield the reply while it is received, in batches of events with adjacent text joined.

        The last event of the last batch is `Stopped`. Cancelling the task or closing the generator closes the
        connection to the provider at once.

        Raises:
            ProviderError: for every fault, including a stream that ends without a stop reason.
        """
        adapter = load_adapter(provider.row.protocol)
        target = CallTarget(provider.row, wire.model)
        link = await self._link_for(provider, wire)
        patience = Patience(target, timeouts)
        try:
            response = await patience.wait(link.post(wire, timeouts))
            try:
                async with aclosing(decode(response, adapter, target, patience)) as batches:
                    async for events in batches:
                        yield events
            finally:
                await response.close()
        finally:
            patience.end()

    async def ask(self, provider: Provider, wire: WireRequest, timeouts: Timeouts = STANDARD_TIMEOUTS) -> bytes:
        """Send a request for a token count, and return the whole answer.

        Raises:
            ProviderError: for every fault.
        """
        target = CallTarget(provider.row, wire.model)
        link = await self._link_for(provider, wire)
        with await _read_answer(target, link.post(wire, timeouts), MAX_COUNT_BYTES) as body:
            return body.read()

    async def fetch(self, provider: Provider, path: str, timeouts: Timeouts = STANDARD_TIMEOUTS) -> Body:
        """Send a GET request to `path` below the base URL. Return the body of the answer as a file, at position 0.

        The caller must close the body.

        Raises:
            ProviderError: for every fault.
        """
        target = CallTarget(provider.row, path.partition("?")[0])
        link = await self._link(provider)
        return await _read_answer(target, link.get(path, timeouts), MAX_ANSWER_BYTES)

    async def warm(self, provider: Provider) -> None:
        """Open the client of a provider, so that the first send does not wait for the import of its SDK."""
        await self._link(provider)

    async def close(self) -> None:
        """Close all clients."""
        links = list(self._links.values())
        self._links.clear()
        for link in links:
            await link.close()

    async def _link_for(self, provider: Provider, wire: WireRequest) -> ProviderClient:
        if not wire.url.startswith(f"{provider.base_url}/"):
            raise ValueError(f"A request for {wire.url} must not be sent with the key of {provider.base_url}.")
        return await self._link(provider)

    async def _link(self, provider: Provider) -> ProviderClient:
        """Return the client of a provider. Time limits start later, so the import of the SDK does not count."""
        if provider not in self._links:
            async with self._opening:
                if provider not in self._links:
                    # This runs in a thread, because importing the SDK takes about a second, and other tasks must not
                    # wait for it.
                    opening = load_adapter(provider.row.protocol).open_link
                    self._links[provider] = await asyncio.to_thread(opening, provider)
        return self._links[provider]


async def _read_answer(target: CallTarget, opening: Awaitable[RawResponse], most: int) -> Body:
    """Return the whole answer to a request, of at most `most` bytes. The caller must close the returned body."""
    with ExitStack() as stack:
        body = stack.enter_context(new_body())
        limit = asyncio.timeout(ANSWER_SECONDS)
        try:
            async with limit:
                response = await opening
                try:
                    async with aclosing(response.chunks()) as chunks:
                        cut = await keep_whole(chunks, most, body)
                finally:
                    await response.close()
        except TimeoutError:
            if not limit.expired():
                raise
            message = (
                f"{target} did not complete the response within {ANSWER_SECONDS:g} seconds, so Inview closed the "
                "connection."
            )
            raise ProviderError(failure(ErrorClass.NETWORK, message)) from None
        if cut:
            reason = failure(
                ErrorClass.STREAM, f"{target} sent more than {most:,} bytes, so Inview closed the connection."
            )
            raise ProviderError(replace(reason, next_step=CHECK_BASE_URL))
        body.seek(0)
        stack.pop_all()
    return body


async def decode(
    response: RawResponse, adapter: Adapter, target: CallTarget, patience: Patience | None = None
) -> AsyncGenerator[Sequence[StreamEvent], None]:
    """Yield the events of a response: a batch per network read, or several batches for a large read.

    Events that arrive before a fault are yielded before the error is raised. `patience` None: the standard time limits
    apply.

    Raises:
        ProviderError: for every fault.
    """
    patience = patience or Patience(target, STANDARD_TIMEOUTS)
    reading = _Reading(adapter.new_decoder(target), target)
    async with aclosing(response.chunks()) as chunks:
        if response.content_type not in STREAM_TYPES:
            beginning, _ = await read_beginning(chunks, BEGINNING_BYTES, ANSWER_SECONDS)
            events, fault = read_google_body(target, beginning) or ([], None)
            if events:
                yield events
            raise ProviderError(fault or describe_no_stream(target, response.content_type, beginning))
        async with aclosing(_cut(chunks, patience)) as pieces:
            async for piece in pieces:
                events, fault = reading.read(piece)
                if events:
                    yield events
                    if isinstance(events[-1], Stopped):
                        await _finish(chunks)
                        return
                if fault is not None:
                    raise fault
                patience.note(len(piece), events)
    events, fault = reading.end()
    if events:
        yield events
    if fault is not None:
        raise fault
    if not events or not isinstance(events[-1], Stopped):
        raise ProviderError(describe_truncation(target))


async def _cut(chunks: AsyncGenerator[bytes, None], patience: Patience) -> AsyncGenerator[bytes, None]:
    """Yield the same bytes in small pieces. Other tasks can run in between, such as those that show the reply."""
    while (chunk := await patience.wait(anext(chunks, None))) is not None:
        for start in range(0, len(chunk), PIECE_BYTES):
            if start:
                await asyncio.sleep(0)
            yield chunk[start : start + PIECE_BYTES]


class _Reading:
    """Converts the bytes of one stream to events with joined text, and keeps the state between two pieces."""

    def __init__(self, decoder: Decoder, target: CallTarget) -> None:
        self._decoder = decoder
        self._target = target
        self._parser = SseParser()
        self._mender: Mender | None = None
        self._silent = True
        self._receivers = new_receivers(StreamContext(reasoning_tags=writes_reasoning_tags(target)))

    def read(self, chunk: bytes) -> tuple[list[StreamEvent], ProviderError | None]:
        """Return the events of one piece of the stream, and the error that ends the stream, if there was one."""
        decoded: list[StreamEvent] = []
        fault = None
        try:
            for event in self._parser.feed(chunk):
                if self._mender is None and may_be_cut(event.data):
                    self._mender = Mender()
                if self._silent and is_google_event(event.data):
                    self._decoder = GoogleDecoder(self._target)
                    self._silent = False
                decoded += self._decoder.feed(event)
                if decoded and isinstance(decoded[-1], Stopped):
                    break  # later events are ignored
        except ProviderError as error:
            fault = error
        except UNREADABLE as error:
            fault = ProviderError(describe_unreadable(self._target, error))
            fault.__cause__ = error
        self._silent = self._silent and not decoded
        # models usually send single tokens, so usually there is nothing to join
        events = decoded if len(decoded) < 2 else join_text(decoded)
        events = events if self._mender is None else self._mender.mend(events)
        if self._receivers:
            events = receive(self._receivers, events)
            if fault is not None:
                events += receive_end(self._receivers)
        return events, fault

    def end(self) -> tuple[list[StreamEvent], ProviderError | None]:
        """Return the last events of a stream that ended cleanly, and an error if the reply is not complete."""
        events: list[StreamEvent] = []
        fault = None
        try:
            events = join_text(self._decoder.end())
        except ProviderError as error:
            fault = error
        events = events if self._mender is None else [*self._mender.mend(events), *self._mender.end()]
        if self._receivers:
            events = [*receive(self._receivers, events), *receive_end(self._receivers)]
        return events, fault


async def _finish(chunks: AsyncGenerator[bytes, None]) -> None:
    """Read the rest of a complete stream for a short time, so that its connection can be reused."""
    with suppress(TimeoutError, ProviderError):  # the reply is complete, so errors of the connection do not matter
        async with asyncio.timeout(ENDING_SECONDS):
            async for _ in chunks:
                pass
