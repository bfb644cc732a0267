"""The shapes every provider shares: registry rows, credentials, wire requests, and what an adapter must offer.

An adapter is two pure halves, `encode_body` (request → bytes) and a `Decoder` (server-sent events → stream events),
plus a `Link` that carries bytes (the official SDK's client, see `wire/sdk.py`). `wire/transport.py` does the I/O.

    wire = encode(provider, request, profile, attachments)      # what `preview` shows …
    async for batch in transport.stream(provider, wire): ...    # … is what is sent, byte for byte

Key order in a body is the order in which its adapter writes it, never sorted: first what stays the same from send to
send (model, parameters, tools, system), the messages last. Equal requests give equal bytes, and a longer conversation
begins with the bytes of the shorter one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Literal, Protocol

import orjson

from app.domain.cache.warmth import Mark
from app.domain.errors import InputError
from app.domain.model_profile import ModelProfile, ThinkingStyle, split_model_name
from app.domain.request.request import Request
from app.domain.stream_events import StreamEvent
from app.providers.wire.sse import SseEvent

MASK = "••••"

Attachments = Mapping[str, bytes]
"""Bytes of images and files by attachment id (the SHA-256 of the bytes, hex)."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The values that a person entered for a provider. The key appears in no repr, log, error or wire request."""

    key: str | None = field(default=None, repr=False)
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds.

    `connect` includes name lookup and TLS; `read` is the longest wait without a single byte; `content` the longest in
    which a stream brings nothing of the reply, though it brings bytes; `whole` is all the time that a call may take.
    """

    connect: float = 10.0
    read: float = 30.0
    content: float = 600.0
    whole: float = 1_800.0


@dataclass(frozen=True, slots=True)
class Dialect:
    """Differences between servers that speak Chat Completions. The defaults suit most servers; a registry row
    states the rest.

    `max_tokens_field`: how the output limit is called. `include_usage`: whether usage must be asked for in
    `stream_options`. `seed_field`: how the seed is called, None where there is none. `thinking_switch`: the field that
    switches thinking on and off, None where nothing does; `reasoning` takes the effort as well.
    `reasoning_back`: whether a reply's reasoning goes back in `reasoning_content`. "by family": for some models.
    `signed_calls`: whether its models may want a signature with the calls of tools (`Abilities.signed_calls`).
    `json_schema`: whether a reply can be held to a JSON schema by `response_format`, unless the list of models says so.
    """

    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    include_usage: bool = True
    seed_field: str | None = "seed"
    thinking_switch: Literal["chat_template_kwargs", "thinking", "reasoning"] | None = None
    reasoning_back: Literal["never", "always", "by family"] = "never"
    signed_calls: bool = False
    json_schema: bool = False


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """One line of the registry: everything there is to know about a vendor besides its protocol.

    `protocol` names the adapter module. `prices` is the vendor's name in the public price table, None when it has no
    place there. `local_port` is where a local server usually listens; `needs_key` says whether a call can work without.
    `counts`: the vendor counts a request on demand, as the protocol's `Counting` says.
    """

    name: str
    label: str
    protocol: str
    base_url: str
    key_env: str | None = None
    base_url_env: str | None = None
    needs_key: bool = True
    local_port: int | None = None
    prices: str | None = None
    key_page: str | None = None
    counts: bool = False
    dialect: Dialect = field(default_factory=Dialect)


Origin = Literal["built in", "environment", "settings", "detected", "missing"]


@dataclass(frozen=True, slots=True)
class Provider:
    """A vendor as set up here, made by `registry.make_provider`.

    `base_url` is the one in force, in its protocol's normal form. `origin` says where the set-up comes from; "missing"
    means that only stored data name it.
    """

    row: ProviderRow
    base_url: str
    key: str | None = field(default=None, repr=False)
    origin: Origin = "built in"

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def ready(self) -> bool:
        """True where a call can be tried: a key is there, or none is needed."""
        return bool(self.key) or not self.row.needs_key

    @property
    def missing(self) -> bool:
        """Whether it is not set up here: what it answered can be read, and nothing can be sent to it."""
        return self.origin == "missing"


Headers = tuple[tuple[str, str], ...]
JSON_STREAM: Headers = (
    ("Content-Type", "application/json"),
    ("Accept", "text/event-stream"),
    ("Accept-Encoding", "identity"),  # a compressed stream would come late and in lumps
    ("User-Agent", "Inview"),
)
"""The headers of a request whose answer is a stream."""


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One HTTP request as it leaves: what `preview` shows is what is sent.

    `model` is "provider:model". `headers` are all that carry meaning, in order, without secrets: the key's header
    is there with a masked value, and is filled in by the SDK's client when the request is sent.
    """

    model: str
    method: Literal["POST"]
    url: str
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class Call:
    """All that an encoder may look at. `model` is the provider's own name of the model.

    `marks` are the breakpoints of a prompt cache, for a protocol that knows them.
    """

    request: Request
    profile: ModelProfile
    attachments: Attachments
    row: ProviderRow
    model: str
    marks: tuple[Mark, ...] = ()

    def attachment(self, attachment_id: str) -> bytes:
        """The bytes of an image or a file.

        Raises:
            InputError: they are not at hand.
        """
        try:
            return self.attachments[attachment_id]
        except KeyError:
            raise InputError(
                "attachments",
                f"The file {attachment_id[:12]}… is missing, or was changed since it was attached. "
                "Take its pair out of view, delete it, or attach the file again.",
            ) from None


@dataclass(frozen=True, slots=True)
class CallTarget:
    """The provider and model of a call, as messages name them. `model` is "provider:model", "" where none was asked."""

    row: ProviderRow
    model: str

    def __str__(self) -> str:
        return f"{self.row.label} ({self.model})" if self.model else self.row.label


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as its provider lists it. None: the list does not say."""

    name: str
    label: str | None = None
    context_window: int | None = None
    max_output_tokens: int | None = None
    images: bool | None = None
    files: bool | None = None
    tools: bool | None = None
    thinking: ThinkingStyle | None = None
    structured: bool | None = None


@dataclass(frozen=True, slots=True)
class ListedModels:
    """A provider's list: the models that can be offered, and which entries cannot and why (`models/listing.py`)."""

    models: tuple[ListedModel, ...]
    skipped: tuple[str, ...] = ()


class Decoder(Protocol):
    """Server-sent events to stream events, with what little state that takes. One per stream.

    Both methods raise ProviderError when the stream reports a fault. On an event that is not of the protocol's shape
    they may raise ValueError, TypeError, LookupError or AttributeError: the base says then what that means.
    """

    def feed(self, event: SseEvent) -> Iterable[StreamEvent]:
        """The stream events of one event. An iterator that raises has given out what came before the fault."""
        ...

    def end(self) -> list[StreamEvent]:
        """What is left to say when the stream ended cleanly, with `Stopped` if the provider gave its reason before."""
        ...


class RawResponse(Protocol):
    """A response whose head has arrived with status 200."""

    @property
    def content_type(self) -> str: ...

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body, in pieces, while the network delivers it. Raises ProviderError for every fault."""
        ...

    async def close(self) -> None:
        """Closes the connection unless the whole body was read."""
        ...


class Link(Protocol):
    """An open way to one provider: it holds the key and a pool of connections. Raises ProviderError for every fault."""

    async def post(self, wire: WireRequest, timeouts: Timeouts) -> RawResponse: ...

    async def get(self, path: str, timeouts: Timeouts) -> RawResponse: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Counting:
    """How a protocol counts a request that is not answered: the path, and which fields of a reply's body it takes."""

    path: str
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class Adapter:
    """A protocol. `path` is appended to the base URL for a reply, `models_path` for the list of models.

    `key_header` is the name of the header that carries the key and the text before the key in it. `versioned` says
    that a base URL always ends in `/v1`, even one with a path. `open_link` imports the SDK, which may take
    a second; it is called off the event loop. `parse_models` reads the answer of `models_path`; `built_in_models` are
    known without asking. `counting` None: the protocol has no way to count.
    """

    path: str
    models_path: str
    key_header: tuple[str, str] | None
    versioned: bool
    build_headers: Callable[[Call], Headers]
    encode_body: Callable[[Call], bytes]
    new_decoder: Callable[[CallTarget], Decoder]
    open_link: Callable[[Provider], Link]
    parse_models: Callable[[bytes], ListedModels]
    built_in_models: tuple[ListedModel, ...] = ()
    counting: Counting | None = None


@cache
def load_adapter(protocol: str) -> Adapter:
    """The adapter of a protocol: the `ADAPTER` of the module of that name, imported on first use."""
    adapter = import_module(f"app.providers.vendors.{protocol}").ADAPTER
    if not isinstance(adapter, Adapter):
        raise TypeError(f"app.providers.vendors.{protocol}.ADAPTER is not an Adapter.")
    return adapter


def encode(
    provider: Provider,
    request: Request,
    profile: ModelProfile,
    attachments: Attachments,
    marks: tuple[Mark, ...] = (),
) -> WireRequest:
    """The request as it will leave for this provider, with these breakpoints of its prompt cache. Pure.

    Raises:
        InputError: the request holds what this protocol cannot carry, or names an attachment that is not there.
    """
    name, model = split_model_name(request.model)
    if name != provider.name:
        raise ValueError(f"A request for {request.model!r} was handed to provider {provider.name!r}.")
    if request.parameters.reply_schema is not None and not profile.structured:
        raise InputError(
            "schema",
            f"is nothing that {profile.name} takes. Choose a model that does, or take the schema off the draft.",
        )
    adapter = load_adapter(provider.row.protocol)
    call = Call(request, profile, attachments, provider.row, model, marks)
    headers = adapter.build_headers(call)
    if adapter.key_header is not None:
        header, before = adapter.key_header
        headers += ((header, before + MASK),)
    try:
        body = adapter.encode_body(call)
    except orjson.JSONEncodeError as error:
        # In practice half a surrogate pair, which no JSON can hold; a shape orjson does not know is ours to mend.
        raise InputError(
            "messages", f"The text cannot be sent as it is ({error}). Edit or delete that pair."
        ) from error
    return WireRequest(request.model, "POST", f"{provider.base_url}/{adapter.path}", headers, body)
