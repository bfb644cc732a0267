"""Views of verifications: an earlier request is built again from stored values and compared with what was sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.request.request import Request
from app.views.request.preview import (
    RequestMessageView,
    ToolView,
    describe_messages,
    describe_parameters,
    describe_tools,
)


@dataclass(frozen=True, slots=True)
class VerificationView:
    """The result of building an earlier request again. `matches`: it has the same content hash as the sent request.

    - `content_hash`: the hash of the request that was built again; null: it cannot be built.
    - `bytes_match`: set only for failed requests, whose bytes were stored.
    - `recorded`: the hash differs, but the record of the call has the hash of the sent request.
    - `reasons`: describe the changes since the send.
    """

    run_id: str
    pair_id: str
    matches: bool
    stored_hash: str
    content_hash: str | None
    bytes_match: bool | None
    recorded: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequestView(VerificationView):
    """An earlier request that was built again, as far as possible, in the form of a preview."""

    model: str
    system: str
    tools: tuple[ToolView, ...]
    parameters: dict[str, Any]
    messages: tuple[RequestMessageView, ...]
    hashes: tuple[str, ...]


def describe_sent_request(
    verification: VerificationView, request: Request, hashes: tuple[str, ...], positions: Mapping[str, int]
) -> SentRequestView:
    """Convert a request with its verification for the HTTP API. `positions` has the positions of its pairs by id."""
    return SentRequestView(
        run_id=verification.run_id,
        pair_id=verification.pair_id,
        matches=verification.matches,
        stored_hash=verification.stored_hash,
        content_hash=verification.content_hash,
        bytes_match=verification.bytes_match,
        recorded=verification.recorded,
        reasons=verification.reasons,
        model=request.model,
        system=request.system,
        tools=describe_tools(request),
        parameters=describe_parameters(request.parameters),
        messages=describe_messages(request, positions),
        hashes=hashes,
    )
