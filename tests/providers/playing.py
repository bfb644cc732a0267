"""Recorded streams played through the real base, without a network, with the result from the real core."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Part, Text
from app.domain.errors import Failure, ProviderError
from app.domain.models.model_profile import ModelProfile
from app.domain.request.request import Request, RequestMessage, ToolDefinition
from app.domain.run.run import Action, RunStart, RunState, apply_event, start_run
from app.domain.run.run_events import StreamEnded
from app.domain.stream.stream_events import Stopped, StreamEvent, UsageReported, join_text
from app.domain.usage import Usage
from app.providers.base import CallTarget, Credentials, Provider, Timeouts, encode, load_adapter
from app.providers.registry import PROVIDERS, make_provider
from app.providers.wire.transport import Transport, decode

RECORDINGS = Path(__file__).parent / "recordings"


@dataclass(frozen=True)
class Told:
    """The result of a stream: its events, and the error at its end, if any."""

    events: tuple[StreamEvent, ...]
    fault: Failure | None = None

    @property
    def usage(self) -> Usage | None:
        return next((event.usage for event in reversed(self.events) if isinstance(event, UsageReported)), None)

    @property
    def stopped(self) -> Stopped | None:
        return next((event for event in self.events if isinstance(event, Stopped)), None)

    @property
    def state(self) -> RunState:
        """Return the run that these events make; the core refuses events out of order."""
        state = start_run(RunStart("r1", "p1", "c1", "offline:demo", "hash"))[0]
        actions: tuple[Action, ...] = ()
        for event in self.events:
            state, actions = apply_event(state, event)
        assert actions == ()
        return apply_event(state, StreamEnded())[0] if self.fault is None else state

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.state.parts


@dataclass
class Played:
    """A response whose body is known."""

    body: Sequence[bytes]
    content_type: str = "text/event-stream"

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        for chunk in self.body:
            yield chunk

    async def close(self) -> None:
        pass


def a_provider(name: str, base_url: str | None = None, key: str | None = "sk-test-1234567890") -> Provider:
    return make_provider(PROVIDERS[name], Credentials(key, base_url))


def a_request(
    *words: str,
    model: str = "offline:demo",
    system: str = "",
    parameters: Parameters | None = None,
    tools: tuple[ToolDefinition, ...] = (),
) -> Request:
    """Build a request with messages that alternate between user and assistant."""
    roles = ("user", "assistant")
    messages = tuple(RequestMessage(roles[place % 2], (Text(text),)) for place, text in enumerate(words or ("Hello",)))
    return Request(model, system, messages, parameters or Parameters(), tools)


def a_profile(model: str = "offline:demo") -> ModelProfile:
    return ModelProfile(model, model.partition(":")[2])


def read_recording(protocol: str, case: str) -> bytes:
    return (RECORDINGS / protocol / f"{case}.sse").read_bytes()


async def play(provider: Provider, chunks: Sequence[bytes], content_type: str = "text/event-stream") -> Told:
    """Return the result of these bytes when they arrive in these chunks."""
    asked = CallTarget(provider.row, f"{provider.name}:test")
    return await _listen(decode(Played(chunks, content_type), load_adapter(provider.row.protocol), asked))


async def ask(transport: Transport, provider: Provider, request: Request, **timeouts: float) -> Told:
    """Return the answer of a provider over the network."""
    wire = encode(provider, request, a_profile(request.model), {})
    return await _listen(transport.stream(provider, wire, Timeouts(**timeouts)))


async def ask_offline(prompt: str, **timeouts: float) -> Told:
    transport = Transport()
    try:
        return await ask(transport, a_provider("offline"), a_request(prompt), **timeouts)
    finally:
        await transport.close()


async def _listen(batches: AsyncGenerator[Sequence[StreamEvent], None]) -> Told:
    events: list[StreamEvent] = []
    async with aclosing(batches):
        try:
            async for batch in batches:
                assert batch
                events += batch
        except ProviderError as error:
            return Told(tuple(join_text(events)), error.failure)
    return Told(tuple(join_text(events)))
