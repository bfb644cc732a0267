"""Resend of a pair, edited or unchanged, with the same model or another; and restore of an older version.

    again = await resend_pair(ctx, LOCAL_OWNER, pair_id, ResendOptions(later=Later.KEEP), text="Shorter, please")
    await restore_version(ctx, LOCAL_OWNER, pair_id, number=1)

The pair keeps its position; its earlier content becomes a version. The context is the older pairs that are in view.
Nothing is lost: pairs that are discarded can be restored, and an accounting node records their tokens.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from app.domain.audit import AuditAction
from app.domain.compare.comparisons import ComparingError
from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.conversation import Pair, Parameters
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import list_attached, plain_text
from app.domain.errors import (
    ErrorClass,
    InputError,
    InviewError,
    LaterPairsError,
    NotFoundError,
    PairChangedError,
    SendLockedError,
)
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.conversation.accounting import note_departure
from app.runs.conversation.forks import fork_conversation
from app.runs.request.attachments import AttachedParts
from app.runs.request.preview import Preview
from app.runs.request.send_plan import list_sent
from app.runs.resend.in_place import PlannedCall, Replacement, ResendResult, messages_in, send_in_place
from app.runs.runtime.event_bus import PairsChanged
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.runs.send.commands import start_reply
from app.runs.send.composition import count_sent
from app.runs.send.context_selection import ViewOptions
from app.runs.send.planning import PlanRequest, plan_reply
from app.runs.send.send_request import DEFAULT_OPTIONS, SendRequest
from app.store.compare.comparisons import load_open
from app.store.conversation import conversations, pairs, versions
from app.store.ledger.ledger import load_request_tokens


class Later(StrEnum):
    """The choice for the pairs after a resent pair: keep them, discard them, or send the request in a fork."""

    KEEP = "keep"
    DISCARD = "discard"
    BRANCH = "branch"


@dataclass(frozen=True, slots=True)
class Seen:
    """The state of a resent pair and of its later pairs that the caller has seen.

    - `version`: the version of the pair; None if the caller gives none.
    - `later`: the number of later pairs; None if the caller gives none.
    """

    version: int | None = None
    later: int | None = None


NOTHING_SEEN = Seen()


@dataclass(frozen=True, slots=True)
class ResendOptions:
    """The options of a resend.

    - `options`: the view options. Only older pairs are in view.
    - `parameters`: replace the parameters of the pair for this send; None: those of the pair apply.
    - `later`: the choice for the later pairs.
    - `over_budget`: the choice for pairs that do not fit into the budget; None: the preferences decide.
    - `selection`: the pairs that a preview counted, as a short text; a send of other pairs is refused. BRANCH ignores
      it, because the pairs of the new conversation are copies.
    """

    options: ViewOptions = DEFAULT_OPTIONS
    parameters: Parameters | None = None
    later: Later | None = None
    over_budget: OverBudget | None = None
    seen: Seen = NOTHING_SEEN
    selection: str | None = None


USUAL_RESEND = ResendOptions()


@shielded
async def resend_pair(
    ctx: AppContext, owner: str, pair_id: str, resend: ResendOptions = USUAL_RESEND, *, text: str | None = None
) -> ResendResult:
    """Send a pair again; the reply replaces its content. `text` replaces the pair's text (None: unchanged).

    Raises:
        NotFoundError: this owner has no such pair.
        PairChangedError: the pair's version is not the one that the caller has seen.
        LaterPairsError: there are later pairs, and the caller made no choice for them, or chose to discard another
            number of them.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        OverBudgetError: the older pairs in view exceed the budget, and the caller made no choice for this case.
        SelectionChangedError: the request would carry other pairs than the selection.
        InputError: the text, the filter, the model or the time zone cannot be used.
        ProviderError: the provider lacks its key.
    """
    async with ctx.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
        after = await pairs.load_later_ids(session, owner, pair)
    request = request_of_pair(pair, resend, text)
    if not request.text.strip() and not request.attached.parts:
        raise InputError("text", "is empty. Write something to send.")
    require_seen(pair, after, resend)
    if resend.later is Later.BRANCH:
        async with branch_above(ctx, owner, pair) as fork_id:
            started = await start_reply(ctx, owner, fork_id, replace(request, selection=None))
        return ResendResult(started, fork_id)
    planned = await plan_resend(ctx, owner, pair, request, sends=True)
    base = planned.composed.base
    under = replace(
        pair,
        agent_id=base.conversation.agent_id,
        agent=planned.agent_name,
        parameters=planned.built.request.parameters,
    )
    going = PlannedCall(
        planned.plan.provider,
        planned.wire,
        planned.plan.content_hash,
        list_sent(planned.sent),
        count_sent(planned.composed, planned.sent, planned.plan),
        planned.plan.cache,
        planned.built.request.tools,
        planned.loop,
        planned.plan.sent_with,
        base.conversation.retry_policy,
        base.conversation.retry_limits,
        base.rate_limits,
    )
    gone = after if resend.later is Later.DISCARD else ()
    return await send_in_place(ctx, owner, Replacement(pair, request.text, under, gone), going)


async def preview_resend(
    ctx: AppContext, owner: str, pair_id: str, resend: ResendOptions = USUAL_RESEND, *, text: str | None = None
) -> Preview:
    """Plan exactly the call that `resend_pair` with the same arguments would make, except with `Later.BRANCH`.

    Nothing is called or stored.

    Raises:
        NotFoundError: this owner has no such pair.
        ConflictError: the pair is older than the checkpoint.
        InputError: the text, the filter, the model or the time zone cannot be used.
    """
    async with ctx.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
    return await plan_resend(ctx, owner, pair, request_of_pair(pair, resend, text))


def request_of_pair(pair: Pair, resend: ResendOptions, text: str | None = None) -> SendRequest:
    """Return a send request with the text and the attachments of a pair's request. `text` replaces this text."""
    return SendRequest(
        plain_text(pair.request.parts) if text is None else text,
        resend.options,
        resend.parameters or NO_PARAMETERS,
        resend.over_budget,
        resend.selection,
        AttachedParts(list_attached(pair.request.parts)),
        again=pair if resend.parameters is None else None,
        metadata_json=pair.request.metadata_json,
    )


async def plan_resend(ctx: AppContext, owner: str, pair: Pair, request: SendRequest, *, sends: bool = False) -> Preview:
    """Plan the call that sends this request as the new request of the pair. Only older pairs are in view.

    Otherwise this is the same as `plan_reply`. `sends`: raise an error if the call cannot be made now.
    """
    refused = await _load_refused(ctx, owner, pair, request.options)
    plan = PlanRequest(request, sends, before=pair.position)
    return await plan_reply(ctx, owner, pair.conversation_id, plan, refused=refused)


def require_seen(pair: Pair, after: Sequence[str], resend: ResendOptions) -> None:
    """Check that the caller has seen all content that would be replaced or discarded.

    Raises:
        PairChangedError: the pair has another version.
        LaterPairsError: there are later pairs (`after`), and the caller made no choice for them, or chose to discard
            them but has seen another number of them.
    """
    later, seen = resend.later, resend.seen
    _require_version(pair, seen)
    unseen = later is Later.DISCARD and seen.later is not None and seen.later != len(after)
    if after and (later is None or unseen):
        raise LaterPairsError(len(after))


@shielded
async def restore_version(ctx: AppContext, owner: str, pair_id: str, number: int, seen: Seen = NOTHING_SEEN) -> None:
    """Restore the version `number` of a pair. The current content is kept as a version.

    Raises:
        NotFoundError: this owner has no such pair, or it has no such version.
        SendLockedError: its reply is running.
        ComparingError: several models are answering it again, and no reply was kept yet.
        PairChangedError: the pair's version is not the one in `seen`.
    """
    at = now()
    async with ctx.store.write() as session:
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
        await note_departure(
            session, owner, pair.conversation_id, pair.position, RemovalReason.RESTORE, messages_in(pair)
        )
        await versions.restore_version(session, pair, number, revision, at)
        await audit(session, owner, pair.conversation_id, AuditAction.CHANGED, subject=pair_id, what="version")
    ctx.event_bus.publish(owner, pair.conversation_id, PairsChanged((pair_id,)))


@asynccontextmanager
async def branch_above(ctx: AppContext, owner: str, pair: Pair) -> AsyncGenerator[str, None]:
    """Create a fork with copies of the pairs that are older than this pair, and yield the id of the fork.

    If the send in the `async with` block is refused with an error, the fork is deleted.
    """
    async with ctx.store.read() as session:
        above = await pairs.load_earlier_ids(session, owner, pair)
    fork_id = await fork_conversation(ctx, owner, pair.conversation_id, above)
    try:
        yield fork_id
    except InviewError:  # the send was refused, so the branch has no new pair and is deleted
        async with ctx.store.write() as session:
            await conversations.delete_conversation_forever(session, owner, fork_id)
            await audit(session, owner, fork_id, AuditAction.DELETED)
        raise


def was_too_long(pair: Pair) -> bool:
    """Return True if the provider rejected the last request of this pair as too long."""
    return pair.failure is not None and pair.failure.error_class is ErrorClass.CONTEXT_LENGTH


async def _load_refused(ctx: AppContext, owner: str, pair: Pair, options: ViewOptions) -> int | None:
    """Return the token count of this pair's last request, if the provider rejected it as too long for this model."""
    if not was_too_long(pair) or pair.run_id is None or options.model not in {None, pair.model}:
        return None
    async with ctx.store.read() as session:
        return await load_request_tokens(session, owner, pair.run_id)


def _require_version(pair: Pair, seen: Seen) -> None:
    if seen.version is not None and seen.version != pair.version:
        raise PairChangedError(pair.position, pair.version, pair.versions)
