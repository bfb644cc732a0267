"""The view of a pair for programs. The page has another one (`app/views/reply/pair.py`).

Unknown figures are never zero: `tokens` and `usage` are null, `cost` is "unknown".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from typing_extensions import TypedDict

from app.domain.context.context import OutReason, decide_out
from app.domain.conversation.conversation import Checkpoint, Mark, Pair, Replaced
from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import list_attached, plain_text
from app.domain.costs.costs import UNKNOWN, Cost
from app.domain.errors import Failure
from app.domain.stream.stream_events import StopReason
from app.domain.usage import Usage
from app.views.conversation.parts import PartView, describe_parts
from app.views.request.parameters import ParametersView, show_parameters
from app.views.usage.cost import describe_amount

# The field cannot be named `class`, which is a keyword.
FailureView = TypedDict("FailureView", {"class": str, "message": str, "next_step": str})


@dataclass(frozen=True, slots=True)
class UsageView:
    """The raw token counts of the provider calls of a reply. Input, cache read and cache write do not overlap."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int


@dataclass(frozen=True, slots=True)
class ReplacedView:
    """Secrets of one kind at one place that were redacted: in the request, a mark replaced each of them.

    - `place`: `system`, `request`, `reply`, `tool_call` or `tool_result`.
    - `pair_id`: the pair that contains them; null: they were in the system text, or in the message that was being sent.
    - `count`: their number.
    """

    kind: str
    place: str
    pair_id: str | None
    count: int


@dataclass(frozen=True, slots=True)
class DamageView:
    """A stored value that cannot be read, with the reason. `size` is in bytes; null: the row is missing."""

    table: str
    row_id: str
    column: str
    reason: str
    size: int | None


@dataclass(frozen=True, slots=True)
class PairFacts:
    """The facts about a pair that are not stored with it, or that depend on the current view options.

    - `tokens`: the size of the pair for the chosen model; None: its reply is running.
    - `topic`: the path of its topic; `topic_is_missing`: no topic has the stored id.
    - `out`: the reason why the next send leaves the pair out.
    - `unsupported` describes the parts that the model does not accept.
    - `checkpoint`: the checkpoint of the conversation.
    - `cost`: the cost of the current reply.
    - `cache_saving`: the amount in US dollars that the provider's cache saved for it; None: unknown.
    - `secrets`: the secrets that a send would redact now.
    """

    tokens: int | None = None
    topic: str | None = None
    topic_is_missing: bool = False
    out: OutReason | None = None
    unsupported: tuple[str, ...] = ()
    checkpoint: Checkpoint | None = None
    cost: Cost = UNKNOWN
    cache_saving: Decimal | None = None
    secrets: tuple[Replaced, ...] = ()


NO_FACTS = PairFacts()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """A pair for programs.

    - `out`: the reason why the next send leaves it out; null: it is sent, or still running.
    - `topic`: a path, as in `AI > Planning`.
    - `topic_is_missing`: no topic has the pair's `topic_id`.
    - `tokens`: the pair's size for the chosen model.
    - `unsupported`: describes the parts that the model does not accept, a sentence each.
    - `cost`: the cost of the reply at the prices of that time, in US dollars as decimal text.
    - `cost_at_least`: the real cost may be higher.
    - `replayed`: the reply was read from the database and no provider was called.
    - `damage`: unreadable values; a pair with damage is not sent.
    - `structured`: the reply must match a JSON schema.
    - `parameters`: the parameters of the request, with the defaults of the conversation and the agent.
    - `secrets`: the secrets that a send would redact now.
    - `redacted`: the secrets that were redacted in the request of the reply.
    - `reply_text`: the reply as plain text, without thinking and tools.
    - `attached`: the images and files of the request. They are sent in this order after its text.
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
    """Convert a pair for the HTTP API. `facts` are the facts about the pair that are not stored with it."""
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
    """Convert the descriptions of unreadable values to the form that the HTTP API returns."""
    return tuple(DamageView(one.table, one.row_id, one.column, one.reason, one.size) for one in damage)


def describe_usage(usage: Usage) -> UsageView:
    """Convert the token counts of a reply to the form that the HTTP API returns.

    `cache_write_tokens` is the sum of the tokens written for all cache lifetimes.
    """
    return UsageView(
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens + usage.cache_write_1h_tokens,
        usage.reasoning_tokens,
    )


def describe_replaced(replaced: Iterable[Replaced]) -> tuple[ReplacedView, ...]:
    """Convert redacted secrets for the HTTP API. Secrets of one kind in the same text become one item with a count."""
    counted = Counter((one.kind, one.place, one.pair_id) for one in replaced)
    return tuple(ReplacedView(*what, count) for what, count in counted.items())


def describe_failure(failure: Failure) -> FailureView:
    """Return the reason why a reply failed, and the next step."""
    return {"class": failure.error_class.value, "message": failure.message, "next_step": failure.next_step}
