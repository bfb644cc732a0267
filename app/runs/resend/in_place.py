"""Sends a call whose reply replaces the content of a pair. The old content becomes a version.

    going = PlannedCall(provider, wire, content_hash, sent)
    resent = await send_in_place(ctx, LOCAL_OWNER, Replacement(pair, "Shorter, please", under=pair), going)

Not here: planning the call, from the pairs in view (`resend.py`) or from a stored request (`kept_requests.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.audit import AuditAction
from app.domain.compare.comparisons import ComparingError
from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.conversation.lifecycle import RUNNING, Lifecycle, Step, apply_step
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.conversation.parts import list_attached, plain_text
from app.domain.errors import PairChangedError, SendLockedError
from app.domain.request.hashing import Hashed
from app.domain.request.request import ToolDefinition
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy
from app.domain.run.run import RunStart
from app.domain.settings.rate_limits import NO_RATE_LIMITS, RateLimits
from app.providers.base import Provider, WireRequest
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.conversation.accounting import note_departure, note_pairs
from app.runs.engine.live import Loop
from app.runs.request.attachments import AttachedParts, write_request
from app.runs.runtime.event_bus import PairsRemoved, RunStarted
from app.runs.runtime.ids import new_id, now
from app.runs.send.commands import StartedRun
from app.runs.usage.rate_limits import require_rate
from app.store.cache.prompt_caches import CacheUse
from app.store.conversation import conversations, pairs, versions
from app.store.conversation.marks import write_marks
from app.store.ledger.ledger import CountedRequest
from app.store.run import runs
from app.store.run.runs import SentWith


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A planned call that will replace a pair's content.

    - `sent`: the positions of the pairs in its request; None if they are unknown.
    - `tools`: the tools in its request.
    - `loop`: the data to call tools; None if the reply cannot call any, because the request after a tool call could not
      be built.
    - `request`: the request in the form of all providers; None: it is the first request of the `loop`, or only its
      bytes are known.
    """

    provider: Provider
    wire: WireRequest
    content_hash: str
    sent: runs.Sent | None
    counted: CountedRequest | None = None
    cache: CacheUse | None = None
    tools: tuple[ToolDefinition, ...] = ()
    loop: Loop | None = None
    sent_with: SentWith = runs.SENT_ALONE
    retry_policy: RetryPolicy = RetryPolicy.EXPONENTIAL
    retry_limits: RetryLimits = USUAL_RETRIES
    rate_limits: RateLimits = NO_RATE_LIMITS
    request: Hashed | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """The pair to replace, with its new `text`.

    - `under`: a pair that has the agent and the parameters of the call.
    - `gone`: the ids of the later pairs to delete.
    """

    pair: Pair
    text: str
    under: Pair
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResendResult:
    """The result of a resend: the started run and the id of its conversation.

    `undo` are the changes of marks that restore discarded pairs.
    """

    started: StartedRun
    conversation_id: str
    undo: tuple[PairMarks, ...] = ()


async def send_in_place(ctx: AppContext, owner: str, replacement: Replacement, going: PlannedCall) -> ResendResult:
    """Send a pair again with its new text. The text and the reply to the call `going` replace the pair's content.

    Raises:
        RateLimitedError: a rate limit is reached.
        ConflictError: as for `require_unchanged`.
    """
    pair, under, gone = replacement.pair, replacement.under, replacement.gone
    at = now()
    start = RunStart(
        new_id(),
        pair.id,
        pair.conversation_id,
        going.wire.model,
        going.content_hash,
        retry_policy=going.retry_policy,
        retry_limits=going.retry_limits,
    )
    reply = Message(new_id(), Role.ASSISTANT, (), at)
    again = replace(
        pair,
        request=_edit(pair.request, replacement.text, at),
        reply=reply,
        model=start.model,
        parameters=under.parameters,
        agent_id=under.agent_id,
        agent=under.agent,
        run_id=start.run_id,
        lifecycle=apply_step(pair.lifecycle, Step.SEND),
        failure=None,
        stop_reason=None,
        usage=None,
        redacted=going.sent_with.replaced or (),
        version=pair.versions + 1,
        versions=pair.versions + 1,
        updated_at=at,
    )
    place = runs.RunPlace(owner, pair.conversation_id, pair.id, reply.id)
    try:
        async with ctx.store.write() as session:
            await require_unchanged(session, owner, pair)
            replaced = 1 if again.request is pair.request else messages_in(pair)
            await note_departure(session, owner, pair.conversation_id, pair.position, _why(pair, again), replaced)
            revision = await conversations.next_revision(session, pair.conversation_id, at)
            await versions.begin_version(session, owner, pair, again, revision)
            run = runs.NewRun(
                place, start, ctx.process_id, at, going.sent, going.cache, tools=going.tools, sent_with=going.sent_with
            )
            await runs.insert_run(session, run)
            if gone:
                await note_pairs(session, owner, pair.conversation_id, gone, RemovalReason.DISCARD)
                await write_marks(session, gone, Marks(deleted=True), revision, at)
            what = "resend" if again.request is pair.request else "edit"
            await audit(session, owner, pair.conversation_id, AuditAction.SENT, subject=pair.id, what=what)
            await require_rate(ctx, session, owner, pair.conversation_id, going.rate_limits)
    except IntegrityError as error:
        # As in `start_reply`: another process may have stored a running pair since the check at the start.
        async with ctx.store.read() as session:
            if (await pairs.load_tail(session, pair.conversation_id)).running is None:
                raise
        raise SendLockedError(pair.conversation_id) from error
    if gone:
        ctx.event_bus.publish(owner, pair.conversation_id, PairsRemoved(gone))
    ctx.event_bus.publish(owner, pair.conversation_id, RunStarted(start.run_id, pair.id, again))
    ctx.engine.start(place, start, going.provider, going.wire, going.counted, loop=going.loop, request=going.request)
    undo = tuple(PairMarks(pair_id, Marks(deleted=False)) for pair_id in gone)
    return ResendResult(StartedRun(start.run_id, pair.id, start.request_hash), pair.conversation_id, undo)


async def require_unchanged(session: AsyncSession, owner: str, seen: Pair) -> None:
    """Check that a pair is unchanged since it was read as `seen`.

    Otherwise the send would replace content that the caller has not seen.

    Raises:
        NotFoundError: the pair was deleted.
        SendLockedError: a reply is running in its conversation.
        ComparingError: a comparison is open in it.
        PairChangedError: the pair has another version.
    """
    pair = await pairs.load_pair(session, owner, seen.id)
    tail = await pairs.load_tail(session, pair.conversation_id)
    if pair.lifecycle in RUNNING or tail.running is not None:
        raise SendLockedError(pair.conversation_id)
    if tail.comparing is not None:
        raise ComparingError
    if (pair.version, pair.versions) != (seen.version, seen.versions):
        raise PairChangedError(pair.position, pair.version, pair.versions)


def _edit(request: Message, text: str, at: datetime) -> Message:
    """Return a request with this text and the attachments and metadata of `request`; for an equal text, `request`."""
    if plain_text(request.parts) == text:
        return request
    parts = write_request(text, AttachedParts(list_attached(request.parts)))
    return Message(new_id(), request.role, parts, at, request.metadata_json)


def _why(pair: Pair, again: Pair) -> RemovalReason:
    if again.request is not pair.request:
        return RemovalReason.EDIT
    return RemovalReason.RETRY if pair.lifecycle is Lifecycle.ERROR else RemovalReason.REGENERATE


def messages_in(pair: Pair) -> int:
    """Count the messages of a pair."""
    return 1 if pair.reply is None else 2
