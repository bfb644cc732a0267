"""Pairs as shown, in three sizes: the head (no texts), what the screen needs (with parts), and the API's whole.

The live socket sends a reply once, as parts; the API adds the same words joined as `reply_text`.

Figures nobody knows are said to be unknown, never zero: `tokens` and `usage` are null, `cost` is "unknown".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from typing_extensions import TypedDict

from app.domain.context import OutReason, decide_out
from app.domain.conversation import Mark, Pair
from app.domain.errors import Failure
from app.domain.lifecycle import RUNNING, Lifecycle
from app.domain.parts import plain_text
from app.domain.stream_events import StopReason
from app.domain.usage import Usage
from app.views.parts import PartView, describe_parts

# `class` is a word that no dataclass can have as a field.
FailureView = TypedDict("FailureView", {"class": str, "message": str, "next_step": str})


@dataclass(frozen=True, slots=True)
class UsageView:
    """The raw counters of the pair's provider call. The four kinds of prompt tokens do not overlap."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairHeadView:
    """A pair without its texts. `out`: why the next send leaves it out; null: it is sent, or still running."""

    id: str
    conversation_id: str
    position: int
    topic: str | None
    model: str
    agent_id: str | None
    stars: int
    flagged: bool
    mark: Mark | None
    lifecycle: Lifecycle
    out: OutReason | None
    error: FailureView | None
    stop_reason: StopReason | None
    usage: UsageView | None
    tokens: int | None
    cost: Literal["unknown"]
    run_id: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenPairView(PairHeadView):
    """A pair as the page shows it: what was asked, and the parts of the reply."""

    user_text: str
    parts: tuple[PartView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView(ScreenPairView):
    """A pair as programs get it: the reply also as plain words, without thinking and tools."""

    reply_text: str


def describe_pair(pair: Pair, *, tokens: int | None = None) -> PairView:
    """The pair as programs get it. `tokens` is its size in a request, None when nobody counted."""
    parts = () if pair.reply is None else pair.reply.parts
    return PairView(
        **_head_fields(pair, tokens),
        user_text=plain_text(pair.request.parts),
        parts=describe_parts(parts),
        reply_text=plain_text(parts),
    )


def describe_pair_on_screen(pair: Pair, *, tokens: int | None = None) -> ScreenPairView:
    """The pair as the page shows it."""
    parts = () if pair.reply is None else pair.reply.parts
    return ScreenPairView(
        **_head_fields(pair, tokens), user_text=plain_text(pair.request.parts), parts=describe_parts(parts)
    )


def describe_pair_head(pair: Pair, *, tokens: int | None = None) -> PairHeadView:
    """The pair without its texts."""
    return PairHeadView(**_head_fields(pair, tokens))


def describe_usage(usage: Usage) -> UsageView:
    """The counters as shown: tokens written to a cache are one number, for however long they were written."""
    return UsageView(
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens + usage.cache_write_1h_tokens,
        usage.reasoning_tokens,
    )


def describe_failure(failure: Failure) -> FailureView:
    """Why a reply failed and what to do about it."""
    return {"class": failure.error_class.value, "message": failure.message, "next_step": failure.next_step}


def _head_fields(pair: Pair, tokens: int | None) -> dict[str, Any]:
    return {
        "id": pair.id,
        "conversation_id": pair.conversation_id,
        "position": pair.position,
        "topic": pair.topic,
        "model": pair.model,
        "agent_id": pair.agent_id,
        "stars": pair.stars,
        "flagged": pair.flagged,
        "mark": pair.mark,
        "lifecycle": pair.lifecycle,
        "out": None if pair.lifecycle in RUNNING else decide_out(pair),
        "error": None if pair.failure is None else describe_failure(pair.failure),
        "stop_reason": pair.stop_reason,
        "usage": None if pair.usage is None else describe_usage(pair.usage),
        "tokens": tokens,
        "cost": "unknown",
        "run_id": pair.run_id,
        "created_at": pair.created_at,
        "updated_at": pair.updated_at,
    }
