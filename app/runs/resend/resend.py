"""Sending a pair again, edited or unchanged, with the same model or another; and restoring an older version.

    again = await resend_pair(wb, LOCAL_OWNER, Replacement(pair_id, "Shorter, please", Later.KEEP))
    await restore_version(wb, LOCAL_OWNER, pair_id, number=1)

The pair keeps its position; its earlier content becomes a version. The context is the pairs above it that are in view.
Nothing is lost: pairs that leave the history leave an accounting node and can be brought back.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from app.domain.conversation.comparisons import ComparingError
from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parts import list_attached, plain_text
from app.domain.costs.accounting import Departure
from app.domain.errors import (
    InputError,
    InviewError,
    LaterPairsError,
    NotFoundError,
    PairChangedError,
    SendLockedError,
)
from app.runs.process.event_bus import PairsChanged
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.request.preview import Preview
from app.runs.request.send_plan import list_sent
from app.runs.resend.forks import fork_conversation
from app.runs.resend.in_place import CallInPlace, Resent, messages_in, send_in_place
from app.runs.send.commands import start_reply
from app.runs.send.context_selection import count_sent
from app.runs.send.intents import DEFAULT_OPTIONS, Branch, Resend, SendOptions
from app.runs.send.plan import plan_send, preview_send
from app.runs.usage.accounting import note_departure
from app.runs.workbench import Workbench
from app.store.conversation import conversations, pairs, versions
from app.store.run.comparisons import load_open


class Later(StrEnum):
    """What becomes of the pairs after one that is sent again: they stay, they go, or it is sent in a fork instead."""

    KEEP = "keep"
    DISCARD = "discard"
    BRANCH = "branch"


@dataclass(frozen=True, slots=True)
class Seen:
    """What the caller has seen: which version of the pair, how many pairs after it. None if the caller does not say."""

    version: int | None = None
    later: int | None = None


NOTHING_SEEN = Seen()


@dataclass(frozen=True, slots=True)
class Replacement:
    """Which pair is sent again: with another `text` or (None) its own, and what becomes of the pairs after it.

    `later` None: they do not say, which is refused where there are any.
    """

    pair_id: str
    text: str | None = None
    later: Later | None = None
    seen: Seen = NOTHING_SEEN


@shielded
async def resend_pair(
    wb: Workbench, owner: str, replacement: Replacement, options: SendOptions = DEFAULT_OPTIONS
) -> Resent:
    """Send a pair again, in its place or in a branch, which has pairs of its own.

    Raises:
        NotFoundError: no such pair of this owner.
        PairChangedError: it is not what was `seen`.
        LaterPairsError: pairs come after it, and `later` does not say what becomes of them, or not of so many.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        OverBudgetError: more is in view above it than may be sent, and no option was chosen.
        SelectionChangedError: it would carry other pairs than the `selection`.
        InputError: the text, the filter, the model or the time zone cannot be used.
        ProviderError: the provider lacks its key.
    """
    later = replacement.later
    async with wb.store.read() as session:
        pair = await pairs.load_pair(session, owner, replacement.pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
    text = plain_text(pair.request.parts) if replacement.text is None else replacement.text
    if not text.strip() and not list_attached(pair.request.parts):
        raise InputError("text", "is empty. Write something to send.")
    require_seen(pair, after, later, replacement.seen)
    if later is Later.BRANCH:
        async with branch_above(wb, owner, pair) as fork_id:
            started = await start_reply(wb, owner, Branch(fork_id, pair, text), replace(options, selection=None))
        return Resent(started, fork_id)
    planned = await plan_send(wb, owner, Resend(pair, text), options)
    base = planned.composed.base
    call = CallInPlace(
        text=text,
        provider=planned.plan.provider,
        wire=planned.wire,
        content_hash=planned.plan.content_hash,
        sent=list_sent(planned.sent),
        parameters=planned.built.request.parameters,
        agent_id=base.conversation.agent_id,
        agent=planned.agent_name,
        counted=count_sent(planned.composed, planned.sent, planned.plan),
        cache=planned.plan.cache,
        tools=planned.built.request.tools,
        loop=planned.loop,
        sent_with=planned.plan.sent_with,
        retry_policy=base.conversation.retry_policy,
    )
    return await send_in_place(wb, owner, pair, call, after if later is Later.DISCARD else ())


async def preview_resend(
    wb: Workbench, owner: str, pair_id: str, text: str | None = None, options: SendOptions = DEFAULT_OPTIONS
) -> Preview:
    """Exactly what `resend_pair` with the same arguments would send in the pair's place. Nothing is called or stored.

    Raises:
        NotFoundError: no such pair of this owner.
        ConflictError: the pair is before the checkpoint.
        InputError: the text, the filter, the model or the time zone cannot be used.
    """
    async with wb.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
    words = plain_text(pair.request.parts) if text is None else text
    return await preview_send(wb, owner, Resend(pair, words), options)


def require_seen(pair: Pair, after: Sequence[str], later: Later | None, seen: Seen) -> None:
    """Replace and discard nothing but what was seen.

    Raises:
        PairChangedError: the pair has another version now.
        LaterPairsError: no choice was made about the pairs `after` it, or others would be discarded than were seen.
    """
    _require_version(pair, seen)
    unseen = later is Later.DISCARD and seen.later is not None and seen.later != len(after)
    if after and (later is None or unseen):
        raise LaterPairsError(len(after))


@shielded
async def restore_version(wb: Workbench, owner: str, pair_id: str, number: int, seen: Seen = NOTHING_SEEN) -> None:
    """Restore another version of a pair; the one that it had stays as a version too.

    Raises:
        NotFoundError: no such pair of this owner, or no such version of it.
        SendLockedError: its reply is running.
        ComparingError: it is being answered again by several models, and none was kept yet.
        PairChangedError: its version is not the one `seen`.
    """
    at = now()
    async with wb.store.write() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        if pair.lifecycle in RUNNING:
            raise SendLockedError(pair.conversation_id)
        if not 1 <= number <= pair.versions:
            raise NotFoundError("version", f"{number} of pair {pair_id}")
        if number == pair.version:
            return
        _require_version(pair, seen)
        comparison = await load_open(session, owner, pair.conversation_id)
        if comparison is not None and comparison.pair_id == pair_id:
            raise ComparingError
        revision = await conversations.next_revision(session, pair.conversation_id, None)
        await note_departure(session, owner, pair.conversation_id, pair.position, Departure.RESTORE, messages_in(pair))
        await versions.restore_version(session, pair, number, revision, at)
    wb.event_bus.publish(owner, pair.conversation_id, PairsChanged((pair_id,)))


@asynccontextmanager
async def branch_above(wb: Workbench, owner: str, pair: Pair) -> AsyncGenerator[str, None]:
    """A new conversation with copies of the pairs above this one, to send in. If that is refused it goes again."""
    async with wb.store.read() as session:
        above = await pairs.load_earlier_ids(session, owner, pair)
    fork_id = await fork_conversation(wb, owner, pair.conversation_id, above)
    try:
        yield fork_id
    except InviewError:  # refused: nobody asked for a branch with nothing new in it
        async with wb.store.write() as session:
            await conversations.delete_conversation(session, owner, fork_id)
        raise


def _require_version(pair: Pair, seen: Seen) -> None:
    if seen.version is not None and seen.version != pair.version:
        raise PairChangedError(pair.position, pair.version, pair.versions)
