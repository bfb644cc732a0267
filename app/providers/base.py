"""The types that all providers share: registry rows, credentials, wire requests, and the interface of an adapter.

An adapter has two pure halves: `encode_body` (request → bytes) and a `Decoder` (server-sent events → stream events). It
also has a `ProviderClient`, which transfers the bytes; mostly this is the official SDK's client (`wire/sdk.py`).
`wire/transport.py` does the I/O.

    wire = encode(provider, request, profile, attachments)      # `preview` shows this …
    async for batch in transport.stream(provider, wire): ...    # … and exactly these bytes are sent

An adapter decides the order of keys in a body; keys are not sorted. Parts that stay the same from send to send (model,
parameters, tools, system) come first, the messages last. Equal requests give equal bytes, and the messages of a longer
conversation begin with the bytes of the shorter one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Literal, Protocol
from urllib.parse import urlsplit

import orjson

from app.domain.cache.warmth import Breakpoint
from app.domain.errors import InputError
from app.domain.models.model_profile import ModelProfile, ThinkingStyle, split_model_name
from app.domain.request.request import Request
from app.domain.stream.stream_events import StreamEvent
from app.providers.wire.sse import SseEvent

MASK = "••••"

Attachments = Mapping[str, bytes]
"""The bytes of images and files, by attachment id (the SHA-256 of the bytes, in hex)."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The values that the user entered for a provider.

    The key is never part of a repr, a log, an error or a wire request.
    """

    key: str | None = field(default=None, repr=False)
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Time limits of a provider call, in seconds.

    - `connect`: for the connection, including name lookup and TLS.
    - `read`: the longest wait without a byte.
    - `content`: the longest time without content of the reply, even if other bytes arrive.
    - `whole`: the limit for a whole call.
    """

    connect: float = 10.0
    read: float = 30.0
    content: float = 600.0
    whole: float = 1_800.0


@dataclass(frozen=True, slots=True)
class Dialect:
    """The differences between servers that speak Chat Completions. The registry row of a vendor overrides the defaults.

    - `max_tokens_field`: the field with the output limit.
    - `include_usage`: usage must be requested in `stream_options`.
    - `seed_field`: the field with the seed; None if the server has no such field.
    - `thinking_switch`: the field that switches thinking on and off; None if the server has no such field. `reasoning`
      also has the effort. `enable_thinking` comes with a budget in tokens instead of an effort.
    - `reasoning_back`: the reasoning of earlier replies is sent back in `reasoning_content`; "by family": only to
      models that need it (`Abilities.reasoning_back`).
    - `signed_calls`: models of the server may require a signature with tool calls (`Abilities.signed_calls`).
    - `json_schema`: `response_format` accepts a JSON schema, unless the server's list of models says otherwise.
    - `cache_control`: a part of a message's content can be a breakpoint of the prompt cache.
    """

    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    include_usage: bool = True
    seed_field: str | None = "seed"
    thinking_switch: Literal["chat_template_kwargs", "thinking", "reasoning", "enable_thinking"] | None = None
    reasoning_back: Literal["never", "always", "by family"] = "never"
    signed_calls: bool = False
    json_schema: bool = False
    cache_control: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """Another region of a vendor, with its own base URL, keys and prices.

    - `base_url`: "" if the region has no common base URL, but one for each customer account.
    - `domain`: the domain of the base URLs of customer accounts.
    """

    name: str
    base_url: str
    domain: str


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """One row of the registry: all properties of a vendor, except how its protocol works.

    - `protocol`: the name of the module with the adapter.
    - `key_env`, `base_url_env`: the environment variables with the key and the base URL.
    - `needs_key`: a call needs a key.
    - `local_port`: the usual port of a local server.
    - `prices`: the vendor's name in a table of prices (`models/tariffs.py`); None if no table has it.
    - `key_page`: the web page where a user gets a key.
    - `counts`: the vendor can count the tokens of a request, by `Adapter.counting` of its protocol.
    - `regions`: the vendor's regions, except that of `base_url`. The prices in the table do not apply in
      these regions.
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
    regions: tuple[Region, ...] = ()
    dialect: Dialect = field(default_factory=Dialect)


Origin = Literal["built in", "environment", "settings", "detected", "missing"]


@dataclass(frozen=True, slots=True)
class Provider:
    """A vendor with the settings of this installation, made by `registry.make_provider`.

    - `base_url`: the base URL in use, in the normal form of the protocol.
    - `origin`: the source of the settings; "missing" means that only stored data name this provider.
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
        """Return True if a call can be tried: the provider has a key, or needs none."""
        return bool(self.key) or not self.row.needs_key

    @property
    def own_address(self) -> bool:
        """Return True if this installation runs the server or set its address.

        False: the address is the vendor's.
        """
        official = {self.row.base_url, *(region.base_url for region in self.row.regions)}
        return self.row.key_page is None or self.base_url not in official

    @property
    def prices(self) -> str | None:
        """The vendor's name in a table of prices; None if no table applies, as at an address in another region."""
        host = urlsplit(self.base_url).hostname or ""
        elsewhere = any(
            self.base_url == region.base_url or host.endswith(f".{region.domain}") for region in self.row.regions
        )
        return None if elsewhere else self.row.prices

    @property
    def missing(self) -> bool:
        """Return True if the provider is not set up: its earlier replies can be read, but nothing can be sent to it."""
        return self.origin == "missing"


Headers = tuple[tuple[str, str], ...]
JSON_STREAM: Headers = (
    ("Content-Type", "application/json"),
    ("Accept", "text/event-stream"),
    ("Accept-Encoding", "identity"),  # a compressed stream would arrive late and in large pieces
    ("User-Agent", "Inview"),
)
"""The headers of a request whose answer is a stream."""


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One HTTP request. `preview` shows exactly what is sent.

    - `model`: the model as "provider:model".
    - `headers`: all relevant headers, in order, without secrets. The header with the key has a masked value, which the
      SDK's client replaces when it sends the request.
    """

    model: str
    method: Literal["POST"]
    url: str
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class CallInput:
    """The input of `encode_body`: a request and the data that an adapter needs to encode it.

    - `model`: the provider's own name of the model.
    - `marks`: the breakpoints of the prompt cache; a protocol without breakpoints ignores them.
    """

    request: Request
    profile: ModelProfile
    attachments: Attachments
    row: ProviderRow
    model: str
    marks: tuple[Breakpoint, ...] = ()

    def attachment(self, attachment_id: str) -> bytes:
        """Return the bytes of an image or a file.

        Raises:
            InputError: the attachment is missing.
        """
        try:
            return self.attachments[attachment_id]
        except KeyError:
            raise InputError(
                "attachments",
                f"The file {attachment_id[:12]}… is missing, or was changed since it was attached. Hide its pair "
                "with a filter, delete the pair, or attach the file again.",
            ) from None


@dataclass(frozen=True, slots=True)
class CallTarget:
    """The provider and the model of a call, for error messages.

    `model` is "provider:model", or "" if the call has no model.
    """

    row: ProviderRow
    model: str

    def __str__(self) -> str:
        return f"{self.row.label} ({self.model})" if self.model else self.row.label


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as an entry of the provider's list of models. A value that the entry does not have is None."""

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
    """A provider's list: the usable models, and the entries that were left out, with reasons (`list_entries.py`)."""

    models: tuple[ListedModel, ...]
    skipped: tuple[str, ...] = ()


class Decoder(Protocol):
    """A decoder of server-sent events to stream events. Each stream has a new decoder, which holds its state.

    Both methods raise ProviderError if the stream reports an error. If an event does not follow the protocol, they may
    also raise ValueError, TypeError, LookupError or AttributeError, which the caller converts to a ProviderError.
    """

    def feed(self, event: SseEvent) -> Iterable[StreamEvent]:
        """Convert one server-sent event to stream events. An iterator may yield some events before it raises."""
        ...

    def end(self) -> list[StreamEvent]:
        """Return the last stream events, when the stream has ended without an error.

        `Stopped` is among them if a stop reason was received.
        """
        ...


class RawResponse(Protocol):
    """A response with status 200 whose head has arrived."""

    @property
    def content_type(self) -> str: ...

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the body in pieces while it is received. Raises ProviderError for every fault."""
        ...

    async def close(self) -> None:
        """Close the connection unless the whole body was read."""
        ...


class ProviderClient(Protocol):
    """A client of one provider, with the key and a pool of connections. It raises ProviderError for every fault."""

    async def post(self, wire: WireRequest, timeouts: Timeouts) -> RawResponse: ...

    async def get(self, path: str, timeouts: Timeouts) -> RawResponse: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Counting:
    """The request by which a protocol asks a provider for a token count.

    `path` is appended to the base URL. `fields` are the fields of a send that this request accepts too.
    """

    path: str
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter: the functions and constants of one provider protocol.

    - `path`, `models_path`: appended to the base URL to request a reply or the list of models.
    - `key_header`: the name of the header with the key, and the text in front of the key in this header.
    - `versioned`: `/v1` is added to every base URL that does not end in `/v1`, even to one with a path.
    - `open_link`: opens a client. It imports the SDK, which may take a second, so the caller runs it in a thread.
    - `parse_models`: reads the answer of `models_path`.
    - `built_in_models`: models that are known without a request.
    - `counting`: None if the protocol cannot count tokens.
    """

    path: str
    models_path: str
    key_header: tuple[str, str] | None
    versioned: bool
    build_headers: Callable[[CallInput], Headers]
    encode_body: Callable[[CallInput], bytes]
    new_decoder: Callable[[CallTarget], Decoder]
    open_link: Callable[[Provider], ProviderClient]
    parse_models: Callable[[bytes], ListedModels]
    built_in_models: tuple[ListedModel, ...] = ()
    counting: Counting | None = None


@cache
def load_adapter(protocol: str) -> Adapter:
    """Return the adapter of a protocol: `ADAPTER` of the module with this name, which is imported on first use."""
    adapter = import_module(f"app.providers.vendors.{protocol}").ADAPTER
    if not isinstance(adapter, Adapter):
        raise TypeError(f"app.providers.vendors.{protocol}.ADAPTER is not an Adapter.")
    return adapter


def encode(
    provider: Provider,
    request: Request,
    profile: ModelProfile,
    attachments: Attachments,
    marks: tuple[Breakpoint, ...] = (),
) -> WireRequest:
    """Encode a request for this provider. `marks` are the breakpoints of the prompt cache. This is a pure function.

    Raises:
        InputError: the protocol does not support a part of the request, or an attachment is missing.
    """
    name, model = split_model_name(request.model)
    if name != provider.name:
        raise ValueError(f"A request for {request.model!r} was passed to provider {provider.name!r}.")
    if request.parameters.reply_schema is not None and not profile.structured:
        raise InputError(
            "schema",
            (
                f"is not supported by {profile.name}. Choose a model that supports it, or remove the schema from the "
                "draft."
            ),
        )
    adapter = load_adapter(provider.row.protocol)
    call = CallInput(request, profile, attachments, provider.row, model, marks)
    headers = adapter.build_headers(call)
    if adapter.key_header is not None:
        header, before = adapter.key_header
        headers += ((header, before + MASK),)
    try:
        body = adapter.encode_body(call)
    except orjson.JSONEncodeError as error:
        # In practice the cause is a lone surrogate, which JSON cannot represent. Any other cause is a bug.
        raise InputError(
            "messages", f"The text cannot be sent as it is ({error}). Edit or delete that pair."
        ) from error
    return WireRequest(request.model, "POST", f"{provider.base_url}/{adapter.path}", headers, body)
