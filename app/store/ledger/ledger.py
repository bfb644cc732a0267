"""The ledger: one row per provider call, written with the result of the call, never changed or deleted.

It has raw counters only; sums and costs are computed on reading. A counter that the provider did not report is None,
never 0. Databases of earlier versions may have invalid counters: they count as not reported (`counts.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from functools import cache
from typing import Any, Literal, get_args

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    String,
    and_,
    bindparam,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Conversation, ConversationKind
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ErrorClass, NotFoundError, StoreError
from app.domain.tokens.calibration import MAX_OBSERVATIONS, Observation
from app.domain.usage import COUNTERS, MAX_SUM, Usage, read_count, read_counters
from app.store.conversation.conversations import decode_found, select_conversation
from app.store.conversation.rows import CONVERSATION, PAIR
from app.store.database.damage import (
    UNKNOWN_MODEL,
    UNKNOWN_TIME,
    Reading,
    a_model,
    a_number,
    a_text,
    a_text_or_none,
    a_time,
)
from app.store.database.mapping import decode_word
from app.store.database.row_names import show_id
from app.store.ledger.counts import clean, describe_wrong
from app.store.ledger.rows_ledger import LEDGER

Purpose = Literal["reply", "count", "summary", "title", "delegated", "comparison", "keep_warm"]
REPLIES: tuple[Purpose, ...] = ("reply", "delegated", "comparison")
"""The purposes of calls that answer the user or another model."""

ENTRY: ColumnElement[int] = literal_column("ledger.rowid", Integer)
"""The number of an entry. Later entries have higher numbers: SQLite numbers its rows, and no entry is ever deleted."""
LOOKED_AT = 4 * MAX_OBSERVATIONS
"""Maximum number of a model's newest calls that are read to find calls with both token counts.

Inview made one count before the call; the provider reported the other.
"""
_COUNTED = ("counted_text", "counted_messages", "estimated_tokens", "sent_characters", "sent_bytes")


@dataclass(frozen=True, slots=True)
class CountedRequest:
    """The token counts of a request before it was sent, in the model's vocabulary, and the estimate made from them.

    `sent_characters` is the length of its texts, `sent_bytes` the length of its body. For a request with images, every
    field except the estimate is None, because the counts could not be compared with the provider's report.
    """

    counted_text: int | None
    counted_messages: int | None
    estimated_tokens: int
    sent_characters: int | None = None
    sent_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class EndedCall:
    """A provider call that has ended.

    - `usage`: None if the provider reported none.
    - `error_class`: None if the call did not fail.
    - `counted`: None if the tokens of the request were not counted.
    - `report_fault`: names the invalid counts in the provider's report.

    A call for an exact count uses no tokens (`usage` None) and belongs to no pair and no run: its `pair_id` is empty,
    its `run_id` is the id of the call, and its `counted.estimated_tokens` is the provider's count.
    """

    id: str
    owner: str
    conversation_id: str
    pair_id: str
    run_id: str
    attempt: int
    model: str
    outcome: Lifecycle
    started_at: datetime
    ended_at: datetime
    error_class: ErrorClass | None = None
    usage: Usage | None = None
    purpose: Purpose = "reply"
    counted: CountedRequest | None = None
    report_fault: str | None = None

    @property
    def reported(self) -> Observation | None:
        """Return Inview's and the provider's token count of the request, or None if one of them is unknown."""
        counted = self.counted
        if counted is None or counted.counted_text is None or counted.counted_messages is None:
            return None
        if self.purpose == "count":
            tokens = counted.estimated_tokens
        elif self.usage is not None:
            tokens = self.usage.prompt_tokens
        else:
            return None
        return Observation(
            counted.counted_text,
            counted.counted_messages,
            tokens,
            characters=counted.sent_characters,
            size=counted.sent_bytes,
        )


async def insert_calls(session: AsyncSession, calls: Sequence[EndedCall]) -> None:
    """Insert calls into the ledger. The database refuses a call (run and attempt) that is already in the ledger.

    The cost of a call is charged to its conversation or, if that is a child conversation, to the parent (`account_id`).
    A call has the agent of its pair. Both are looked up now, so that the ledger has the values at the time of the call.
    """
    if calls:
        await session.execute(_enter(), _describe_rows(calls))


async def insert_missing_calls(session: AsyncSession, calls: Sequence[EndedCall]) -> None:
    """Insert the calls (run and attempt) that the ledger does not have yet. Otherwise like `insert_calls`."""
    if calls:
        await session.execute(_enter_missing(), _describe_rows(calls))


def _describe_rows(calls: Sequence[EndedCall]) -> list[dict[str, Any]]:
    return [_encode(call) | {"of_conversation": call.conversation_id, "of_pair": call.pair_id} for call in calls]


@cache
def _enter_missing() -> Insert:
    return _enter().on_conflict_do_nothing(index_elements=[LEDGER.c.run_id, LEDGER.c.attempt])


@cache
def _enter() -> Insert:
    """Build the statement of `insert_calls` once: building it takes longer than executing it."""
    own = bindparam("of_conversation", type_=String())
    derived_from = select(CONVERSATION.c.parent_id).where(
        CONVERSATION.c.id == own, CONVERSATION.c.kind == ConversationKind.TOOL
    )
    agent = select(PAIR.c.agent_id).where(PAIR.c.id == bindparam("of_pair"))
    looked_up = {
        "account_id": func.coalesce(derived_from.scalar_subquery(), own),
        "agent_id": agent.scalar_subquery(),
    }
    return insert(LEDGER).values(looked_up)


async def load_calls(session: AsyncSession, owner: str, conversation_id: str) -> tuple[EndedCall, ...]:
    """Return the calls made in a conversation, ordered by time. The conversation may have been deleted."""
    query = (
        select(LEDGER)
        .where(LEDGER.c.owner == owner, LEDGER.c.conversation_id == conversation_id)
        .order_by(LEDGER.c.started_at, LEDGER.c.id)
    )
    return tuple(_decode(row) for row in (await session.execute(query)).mappings())


async def load_call(session: AsyncSession, owner: str, call_id: str) -> EndedCall:
    """Return one call. Its conversation may have been deleted.

    Raises:
        NotFoundError: this owner has no call with that id.
    """
    query = select(LEDGER).where(LEDGER.c.id == call_id, LEDGER.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("call", call_id)
    return _decode(row)


async def sum_usage_by_model(
    session: AsyncSession, owner: str, *, conversation_id: str | None = None, since: datetime | None = None
) -> dict[str, Usage]:
    """Return the usage by model. A call without a report is left out.

    `conversation_id`: only the usage of this conversation and its child conversations. `since`: only the usage since
    this time.
    """
    query = select(LEDGER.c.model, *(func.coalesce(func.sum(clean(LEDGER.c[name])), 0) for name in COUNTERS))
    query = query.where(LEDGER.c.owner == owner if conversation_id is None else on_account(owner, conversation_id))
    if since is not None:
        query = query.where(LEDGER.c.started_at >= since)
    return {model: Usage(*counters) for model, *counters in await session.execute(query.group_by(LEDGER.c.model))}


async def count_calls(session: AsyncSession, owner: str, conversation_id: str) -> int:
    """Return the number of calls of a conversation and its child conversations."""
    query = select(func.count()).select_from(LEDGER).where(on_account(owner, conversation_id))
    return (await session.execute(query)).scalar_one()


async def sum_later_usage(session: AsyncSession, owner: str, conversation_id: str, *, after: int) -> Usage:
    """Return the usage of the calls of a conversation and its child conversations, without the first `after` calls."""
    counters = [func.coalesce(clean(LEDGER.c[name]), 0).label(name) for name in COUNTERS]
    later = (
        select(*counters).where(on_account(owner, conversation_id)).order_by(ENTRY).limit(-1).offset(after).subquery()
    )
    sums = (func.coalesce(func.sum(later.c[name]), 0) for name in COUNTERS)
    return Usage(*(await session.execute(select(*sums))).one())


async def load_entered_calls(  # noqa: PLR0913 - owner, conversation, range and limit
    session: AsyncSession,
    owner: str,
    conversation_id: str,
    *,
    limit: int,
    before: int | None = None,
    run_id: str | None = None,
) -> tuple[tuple[int, EndedCall], ...]:
    """Return the newest calls of a conversation and its child conversations, newest first, each with its entry number.

    `before`: return only calls with a lower number. `run_id`: return only calls of this run.
    """
    query = (
        select(LEDGER, ENTRY.label("entry"))
        .where(on_account(owner, conversation_id))
        .order_by(ENTRY.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(before > ENTRY)
    if run_id is not None:
        query = query.where(LEDGER.c.run_id == run_id)
    return tuple((row["entry"], _decode(row)) for row in (await session.execute(query)).mappings())


async def load_with_latest(
    session: AsyncSession, owner: str, conversation_id: str, purposes: Sequence[str]
) -> tuple[Conversation, tuple[EndedCall, ...]]:
    """Return a conversation, and the newest call for each purpose in it or its child conversations, newest first.

    Calls that failed, and calls without reported usage, are left out. The call of a reply that was made in another
    conversation, for example in a comparison, is included only if a pair of this conversation now has this reply.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    stands = select(PAIR.c.run_id).where(PAIR.c.conversation_id == conversation_id, PAIR.c.run_id.is_not(None))
    newest = (
        select(func.max(ENTRY))
        .where(
            on_account(owner, conversation_id),
            LEDGER.c.purpose.in_(purposes),
            or_(
                LEDGER.c.purpose.not_in(REPLIES),
                LEDGER.c.conversation_id == conversation_id,
                LEDGER.c.run_id.in_(stands),
            ),
            LEDGER.c.outcome != Lifecycle.ERROR,
            LEDGER.c.input_tokens.is_not(None),
        )
        .group_by(LEDGER.c.purpose)
    )
    query = (
        select_conversation()
        .add_columns(ENTRY.label("entry"), *(column.label(f"call_{column.name}") for column in LEDGER.c))
        .select_from(CONVERSATION.outerjoin(LEDGER, ENTRY.in_(newest)))
        .order_by(ENTRY.desc())
    )
    rows = (await session.execute(query, {"conversation": conversation_id, "of_owner": owner})).mappings().all()
    conversation, _ = await decode_found(session, conversation_id, rows[0] if rows else None)
    calls = [{column.name: row[f"call_{column.name}"] for column in LEDGER.c} for row in rows if row["entry"]]
    return conversation, tuple(map(_decode, calls))


def on_account(owner: str, conversation_id: str) -> ColumnElement[bool]:
    """Return the SQL condition for this owner's calls of a conversation and of its child conversations.

    If the conversation is itself a child conversation, only its own calls meet the condition. `coalesce` keeps SQLite
    from using the index of owners, with which it would read all calls of this owner.
    """
    theirs = func.coalesce(LEDGER.c.owner, "") == owner
    return and_(theirs, or_(LEDGER.c.account_id == conversation_id, LEDGER.c.conversation_id == conversation_id))


async def has_call(session: AsyncSession, owner: str, run_id: str) -> bool:
    """Return true if a call of this run has ended. A copied pair has a run without calls."""
    query = select(LEDGER.c.id).where(LEDGER.c.run_id == run_id, LEDGER.c.owner == owner).limit(1)
    return (await session.execute(query)).first() is not None


async def load_request_tokens(session: AsyncSession, owner: str, run_id: str) -> int | None:
    """Return the estimated tokens of a run's request, or None if it has no estimate."""
    query = select(func.max(LEDGER.c.estimated_tokens)).where(LEDGER.c.run_id == run_id, LEDGER.c.owner == owner)
    return (await session.execute(query)).scalar_one()


async def load_observations(
    session: AsyncSession, owner: str, model: str, conversation_id: str | None = None
) -> tuple[Observation, ...]:
    """Return Inview's and the provider's token counts of an owner's newest calls of a model, newest first.

    `here` is True for calls in `conversation_id`. A call is left out if one of the two counts is missing, or if a value
    in the provider's report or in the row is invalid.
    """
    rows = (await session.execute(_observations(), {"of_owner": owner, "of_model": model})).mappings()
    calls = (_decode(row) for row in rows)
    return tuple(
        replace(call.reported, here=call.conversation_id == conversation_id)
        for call in calls
        if call.report_fault is None and call.reported is not None
    )


@cache
def _observations() -> Select[Any]:
    """Build the query of `load_observations` once: building it takes longer than executing it."""
    return (
        select(LEDGER)
        .where(
            LEDGER.c.owner == bindparam("of_owner"),
            LEDGER.c.model == bindparam("of_model"),
            LEDGER.c.counted_text.is_not(None),
        )
        .order_by(LEDGER.c.started_at.desc())
        .limit(LOOKED_AT)
    )


def _encode(call: EndedCall) -> dict[str, Any]:
    counters = dict.fromkeys(COUNTERS) if call.usage is None else asdict(call.usage)
    counted = dict.fromkeys(_COUNTED) if call.counted is None else asdict(call.counted)
    plain = {field.name: getattr(call, field.name) for field in fields(call) if field.name not in {"usage", "counted"}}
    return plain | counters | counted


def _decode(row: Any) -> EndedCall:
    """Decode a call. Unreadable columns get neutral values, so that no call is hidden. Stored sums are unaffected."""
    take = (reading := Reading("ledger", show_id(row["id"]))).take

    def text(column: str) -> str:
        return take(column, row[column], a_text, "")

    stored = {name: row[name] for name in COUNTERS}
    counted = {name: None if row[name] is None else read_count(row[name], MAX_SUM) for name in _COUNTED}
    call = EndedCall(
        id=text("id"),
        owner=row["owner"],
        conversation_id=text("conversation_id"),
        pair_id=text("pair_id"),
        run_id=text("run_id"),
        attempt=take("attempt", row["attempt"], a_number, 0),
        model=take("model", row["model"], a_model, UNKNOWN_MODEL),
        outcome=take("outcome", row["outcome"], lambda word: decode_word(Lifecycle, word), Lifecycle.ERROR),
        started_at=take("started_at", row["started_at"], a_time, UNKNOWN_TIME),
        ended_at=take("ended_at", row["ended_at"], a_time, UNKNOWN_TIME),
        error_class=take("error_class", row["error_class"], _decode_class, None),
        usage=None if row["input_tokens"] is None else read_counters(stored),
        purpose=take("purpose", row["purpose"], decode_purpose, "reply"),
        counted=None if counted["estimated_tokens"] is None else CountedRequest(**counted),  # type: ignore[arg-type]
        report_fault=take("report_fault", row["report_fault"], a_text_or_none, None) or describe_wrong(stored),
    )
    return replace(call, report_fault=call.report_fault or str(reading.damage[0])) if reading.damage else call


def _decode_class(stored: Any) -> ErrorClass | None:
    return None if stored is None else decode_word(ErrorClass, stored)


def decode_purpose(stored: Any) -> Purpose:
    """Decode the stored purpose of a provider call."""
    if stored not in get_args(Purpose):
        raise StoreError(f"no call has the purpose {stored!r}")
    return stored
