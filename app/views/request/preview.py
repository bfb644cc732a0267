"""The view of a preview: exactly the content of a send, and the parts that it leaves out.

`body` is the JSON body, byte for byte as the provider would receive it. `body_sha256` is its hash, so that a client can
check the bytes that it received.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from app.domain.context.composition import Composition
from app.domain.context.context import BuiltRequest, OutReason, Unsupported
from app.domain.conversation.conversation import Parameters
from app.domain.models.model_profile import split_model_name
from app.domain.request.request import Request, WireRole
from app.views.conversation.pair import ReplacedView, describe_replaced
from app.views.conversation.parts import PartView, describe_parts
from app.views.encode import raw_json
from app.views.request.cache import CacheView
from app.views.request.composition import EstimateView, boundary_of, describe_estimate


@dataclass(frozen=True, slots=True)
class OutView:
    """A pair in view that would not be sent, and the reason."""

    pair_id: str
    reason: OutReason


@dataclass(frozen=True, slots=True)
class UnsupportedView:
    """A part that the model does not accept, and the reason. If `pair_id` is null, the part is in the draft."""

    pair_id: str | None
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class HeaderView:
    """An HTTP header that would be sent. A secret value is masked."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RequestMessageView:
    """A message of a request, in a form that is the same for all providers.

    `pair_id` and `position` identify its pair; null: the message is the draft.
    """

    role: WireRole
    pair_id: str | None
    position: int | None
    parts: tuple[PartView, ...]


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool in the form that the model receives: its name, its description, and the JSON schema of its input."""

    name: str
    description: str
    input_schema_json: str


@dataclass(frozen=True, slots=True)
class PreviewView:
    """The provider call that a send would make.

    - `system`, `tools`, `parameters`, `messages`: the same content as `body`, in a form that is equal for all
      providers.
    - `hashes`: content hashes. The first covers model, system text, tools and parameters, and each further one also the
      next message.
    - `x`, `y`: `x` of the `y` pairs in view are sent.
    - `out`, `unsupported`, `redacted`: the pairs, the parts that the model does not accept, and the secrets that the
      request leaves out.
    - `selection`: names the pairs of the request. A send with this selection sends exactly these pairs, or fails.
    - `sentence`: describes the filter.
    - `notices`: a sentence for each name in the filter that does not exist or is ambiguous.
    - `cache`: the effect on the provider's cache; null: no cache is known.
    """

    provider: str
    model: str
    method: Literal["POST"]
    url: str
    headers: tuple[HeaderView, ...]
    body: Any
    body_sha256: str
    content_hash: str
    hashes: tuple[str, ...]
    system: str
    tools: tuple[ToolView, ...]
    parameters: dict[str, Any]
    messages: tuple[RequestMessageView, ...]
    out: tuple[OutView, ...]
    unsupported: tuple[UnsupportedView, ...]
    redacted: tuple[ReplacedView, ...]
    x: int
    y: int
    selection: str
    estimate: EstimateView
    sentence: str
    notices: tuple[str, ...]
    boundary: int | None
    boundary_reason: OutReason | None
    as_of: datetime
    cost: str
    cache: CacheView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewed:
    """The input of `describe_preview`: the built request with its hashes, address, headers, body and composition."""

    built: BuiltRequest
    hashes: tuple[str, ...]
    url: str
    headers: Iterable[tuple[str, str]]
    body: bytes
    composition: Composition
    selection: str
    sentence: str
    notices: tuple[str, ...]
    as_of: datetime
    cache: CacheView | None = None


def describe_preview(previewed: Previewed) -> PreviewView:
    """Convert a previewed request to the form that the HTTP API returns."""
    request, composition, body = previewed.built.request, previewed.composition, previewed.body
    boundary, boundary_reason = boundary_of(composition)
    positions = {pair.pair_id: pair.position for pair in composition.visible.pairs}
    estimate = describe_estimate(composition.estimate)
    return PreviewView(
        provider=split_model_name(request.model)[0],
        model=request.model,
        method="POST",
        url=previewed.url,
        headers=tuple(HeaderView(name, value) for name, value in previewed.headers),
        body=raw_json(body),
        body_sha256=sha256(body).hexdigest(),
        content_hash=previewed.hashes[-1],
        hashes=previewed.hashes,
        system=request.system,
        tools=describe_tools(request),
        parameters=describe_parameters(request.parameters),
        messages=describe_messages(request, positions),
        out=tuple(OutView(pair_id, reason) for pair_id, reason in composition.out.items()),
        unsupported=tuple(_describe_unsupported(part) for part in previewed.built.unsupported),
        redacted=describe_replaced(previewed.built.replaced or ()),
        x=composition.x,
        y=composition.y,
        selection=previewed.selection,
        estimate=estimate,
        sentence=previewed.sentence,
        notices=previewed.notices,
        boundary=boundary,
        boundary_reason=boundary_reason,
        as_of=previewed.as_of,
        cost=estimate.cost,
        cache=previewed.cache,
    )


def describe_messages(request: Request, positions: Mapping[str, int]) -> tuple[RequestMessageView, ...]:
    """Convert the messages of a request for the HTTP API. `positions` has the positions of their pairs by id."""
    return tuple(
        RequestMessageView(
            message.role,
            message.pair_id,
            None if message.pair_id is None else positions.get(message.pair_id),
            describe_parts(message.parts),
        )
        for message in request.messages
    )


def describe_tools(request: Request) -> tuple[ToolView, ...]:
    """Convert the tools of a request to the form that the HTTP API returns."""
    return tuple(ToolView(tool.name, tool.description, tool.input_schema_json) for tool in request.tools)


def describe_parameters(parameters: Parameters) -> dict[str, Any]:
    """Return the parameters that are set, by name."""
    return {name: value for name, value in asdict(parameters).items() if value is not None}


def _describe_unsupported(part: Unsupported) -> UnsupportedView:
    return UnsupportedView(part.pair_id, part.kind, part.reason)
