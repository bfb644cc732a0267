"""Pairs as programs get them: a reply as parts, and its words joined as `reply_text`.

Figures nobody knows are said to be unknown, never zero: `tokens` and `usage` are null, `cost` is "unknown".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from typing_extensions import TypedDict

from app.domain.context.context import OutReason, decide_out
from app.domain.conversation.conversation import Checkpoint, Mark, Pair, Replaced
from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import list_attached, plain_text
from app.domain.costs.costs import UNKNOWN, Cost
from app.domain.errors import Failure
from app.domain.stream_events import StopReason
from app.domain.usage import Usage
from app.views.conversation.parts import PartView, describe_parts
from app.views.request.parameters import ParametersView, show_parameters
from app.views.usage.cost import describe_amount

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


@dataclass(frozen=True, slots=True)
class ReplacedView:
    """Secrets of one kind that marks stand for. `place`: `system`, `request`, `reply`, `tool_call` or `tool_result`.

    `pair_id` null: what stands before all pairs, or the request that was being sent.
    """

    kind: str
    place: str
    pair_id: str | None
    count: int


@dataclass(frozen=True, slots=True)
class DamageView:
    """A stored piece that cannot be read. `size` is in bytes; null: its row is missing."""

    table: str
    row_id: str
    column: str
    reason: str
    size: int | None


@dataclass(frozen=True, slots=True)
class PairFacts:
    """What is known of a pair only where it is looked at: its size for a model, and what that model cannot take of it.

    `tokens` None: its reply is not over. `topic` is the path of its topic; `topic_is_missing`: no topic has its id.
    `out`: why the next send leaves it out.
    `checkpoint` is the conversation's. `cost` is that of the reply that stands in it. `secrets` are those of it that go
    out as marks now.
    """

    tokens: int | None = None
    topic: str | None = None
    topic_is_missing: bool = False
    out: OutReason | None = None
    unsupported: tuple[str, ...] = ()
    checkpoint: Checkpoint | None = None
    cost: Cost = UNKNOWN
    secrets: tuple[Replaced, ...] = ()


NO_FACTS = PairFacts()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """A pair as programs get it. `out`: why the next send leaves it out; null: it is sent, or still running.

    `topic` is a path, as in `AI > Planning`. `topic_is_missing`: no topic has the pair's `topic_id`. `tokens` is
    the pair's size for the chosen model, `unsupported` says what of it that model cannot take, a sentence each.
    `cost` is US dollars as decimal text, what its reply cost when it was asked for; `cost_at_least`: it may have
    been more. `replayed`: given again from the database, nobody was asked. `damage` is what of it cannot be read:
    such a pair is not sent. `structured`: its reply was asked to fit a JSON schema. `parameters` are those that its
    model was asked with, whoever set them. `secrets` are those of it that go out as marks when it is sent now,
    `redacted` those that did of all that was sent for its reply. `reply_text` is the reply as plain words, without
    thinking and tools. `attached` are the images and files of the request, in the order in which they are sent
    after its text.
    """

    id: str
    conversation_id: str
    position: int
    topic: str | None
    topic_id: str | None
    topic_is_missing: bool
    model: str
    agent_id: str | None
    agent: str | None
    stars: int
    flagged: bool
    mark: Mark | None
    lifecycle: Lifecycle
    out: OutReason | None
    damage: tuple[DamageView, ...]
    error: FailureView | None
    stop_reason: StopReason | None
    usage: UsageView | None
    tokens: int | None
    unsupported: tuple[str, ...]
    cost: str
    cost_at_least: bool
    run_id: str | None
    replayed: bool
    structured: bool
    parameters: ParametersView
    secrets: tuple[ReplacedView, ...]
    redacted: tuple[ReplacedView, ...]
    version: int
    versions: int
    created_at: datetime
    updated_at: datetime
    user_text: str
    attached: tuple[PartView, ...]
    parts: tuple[PartView, ...]
    reply_text: str


def describe_pair(pair: Pair, facts: PairFacts = NO_FACTS) -> PairView:
    """The pair as programs get it."""
    parts = () if pair.reply is None else pair.reply.parts
    runs = pair.lifecycle in RUNNING
    return PairView(
        id=pair.id,
        conversation_id=pair.conversation_id,
        position=pair.position,
        topic=facts.topic,
        topic_id=pair.topic,
        topic_is_missing=facts.topic_is_missing,
        model=pair.model,
        agent_id=pair.agent_id,
        agent=pair.agent,
        stars=pair.stars,
        flagged=pair.flagged,
        mark=pair.mark,
        lifecycle=pair.lifecycle,
        out=None if runs else decide_out(pair, facts.checkpoint) or facts.out,
        damage=describe_damage(pair.damage),
        error=None if pair.failure is None else describe_failure(pair.failure),
        stop_reason=pair.stop_reason,
        usage=None if pair.usage is None else describe_usage(pair.usage),
        tokens=None if runs else facts.tokens,
        unsupported=facts.unsupported,
        cost=describe_amount(facts.cost),
        cost_at_least=facts.cost.at_least,
        run_id=pair.run_id,
        replayed=pair.replayed,
        structured=pair.parameters.reply_schema is not None,
        parameters=show_parameters(pair.parameters),
        secrets=describe_replaced(facts.secrets),
        redacted=describe_replaced(pair.redacted),
        version=pair.version,
        versions=pair.versions,
        created_at=pair.created_at,
        updated_at=pair.updated_at,
        user_text=plain_text(pair.request.parts),
        attached=describe_parts(list_attached(pair.request.parts)),
        parts=describe_parts(parts),
        reply_text=plain_text(parts),
    )


def describe_damage(damage: tuple[Damage, ...]) -> tuple[DamageView, ...]:
    """Values of a pair that cannot be read."""
    return tuple(DamageView(one.table, one.row_id, one.column, one.reason, one.size) for one in damage)


def describe_usage(usage: Usage) -> UsageView:
    """The counters as shown: tokens written to a cache are one number, for however long they were written."""
    return UsageView(
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens + usage.cache_write_1h_tokens,
        usage.reasoning_tokens,
    )


def describe_replaced(replaced: Iterable[Replaced]) -> tuple[ReplacedView, ...]:
    """What marks stand for, as shown: the same kind at the same place once."""
    counted = Counter((one.kind, one.place, one.pair_id) for one in replaced)
    return tuple(ReplacedView(*what, count) for what, count in counted.items())


def describe_failure(failure: Failure) -> FailureView:
    """Why a reply failed and what to do about it."""
    return {"class": failure.error_class.value, "message": failure.message, "next_step": failure.next_step}
