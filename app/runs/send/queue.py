"""The queue: texts that a person sent while a reply is running. They are sent after the reply has succeeded.

    queue = await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("And then?"))
    await resume_queue(ctx, LOCAL_OWNER, conversation_id)          # after a stop, a failure, a refusal or a pause

The queue is stored, so closing the page changes nothing. Each reply that succeeds starts the send of the next text.
After a stop or a failure the queue is held until a person resumes it, because its texts were meant to follow that
reply. A text is removed from the queue in the transaction that stores its pair: either it is sent once, or it is still
queued.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.audit import AuditAction
from app.domain.compare.comparisons import ComparingError
from app.domain.conversation.damage import require_settings
from app.domain.conversation.parts import Part
from app.domain.errors import ConflictError, InputError, InviewError, NotFoundError, SendLockedError
from app.domain.models.model_profile import split_model_name
from app.domain.run.queue import MAX_QUEUED, Hold, HoldReason, Queue, QueuedText, decide_hold, move, require_readable
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.engine.live import LiveRun
from app.runs.request.attachments import AttachedParts
from app.runs.runtime.event_bus import QueueChanged
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.commands import start_reply
from app.runs.send.context_selection import ViewOptions, parse_filter_line
from app.runs.send.planning import require_text
from app.runs.send.send_request import SendRequest
from app.store.attachments.attachments import keep_attachments, use_named
from app.store.attachments.uploads import return_uploads, take_uploads
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_tail
from app.store.run import queues
from app.store.run.deliveries import delete_deliveries
from app.store.trash.unused_attachments import list_bytes, release_attachments

ATTEMPTS = 5
"""Number of attempts to send the first text of a queue, if the queue or a running reply gets in the way each time.

After that, the text stays in the queue until Inview tries again, for example when the next reply has succeeded.
"""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class QueuedChanges:
    """Changes of a queued text: its words and its place in the queue (0: the next one). None: not changed."""

    text: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class DroppedText:
    """A text that was removed from the queue, with the attachments that are needed to queue it again."""

    item: QueuedText
    attached: AttachedParts


class _MovedError(ConflictError):
    """The queue changed before its first text was sent."""


async def read_queue(ctx: AppContext, owner: str, conversation_id: str) -> Queue:
    """Read the queue of a conversation.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    async with ctx.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        return await queues.load_queue(session, owner, conversation_id)


def request_of_queued(item: QueuedText) -> SendRequest:
    """Return a queued text as a request, with its attachments and the options of its send."""
    options = ViewOptions(item.filter, item.model, item.topic, item.zone, agent=item.agent_id)
    return SendRequest(item.text, options, item.parameters, item.over_budget, attached=AttachedParts(item.attached))


async def send_text(ctx: AppContext, owner: str, conversation_id: str, request: SendRequest) -> None:
    """Start the reply to a text, or queue the text while another reply is running.

    A queued text is sent with the pairs in view at that later time; the selection of the request is then ignored.

    Raises:
        InviewError: the errors of `queue_text`, and those of `start_reply` except SendLockedError.
    """
    if not ctx.engine.runs_of(conversation_id):
        try:
            await start_reply(ctx, owner, conversation_id, request)
        except SendLockedError:  # another page or program has just started a reply
            pass
        else:
            return
    await queue_text(ctx, owner, conversation_id, request)


@shielded
async def queue_text(  # noqa: PLR0913 - the request, and its place in the queue
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    request: SendRequest,
    *,
    place: int | None = None,
    paused: bool = False,
) -> Queue:
    """Queue a text until the running reply has succeeded. Send the text at once if nothing runs and nothing is queued.

    The text keeps the filter, model, agent and topic that are set now, but not its selection. `place` is its place in
    the queue, from 0; None: the end. `paused`: also pause the queue, unless it is held already.

    Raises:
        NotFoundError: this owner has no such conversation.
        ConflictError: the queue is full, or a setting of the conversation cannot be read.
        FilterError: the filter cannot be used.
        InputError: the text or the model cannot be used.
    """
    options, attached = request.options, request.attached
    _require_words(request.text, attached.parts)
    async with ctx.store.write() as session:
        conversation = await load_conversation(session, owner, conversation_id)
        require_settings(conversation.damage)
        item = QueuedText(
            id=new_id(),
            conversation_id=conversation_id,
            text=request.text,
            filter=conversation.filter if options.filter is None else options.filter,
            model=options.model or conversation.model,
            agent_id=(conversation.agent_id or "") if options.agent is None else options.agent,
            topic=options.topic,
            zone=options.zone,
            parameters=request.parameters,
            over_budget=request.over_budget,
            created_at=now(),
            attached=attached.parts,
        )
        parse_filter_line(item.filter)
        if item.model is not None:
            split_model_name(item.model)
        queue = await queues.load_queue(session, owner, conversation_id)
        waiting = queue.items
        if len(waiting) >= MAX_QUEUED:
            raise ConflictError(
                f"This conversation already has {MAX_QUEUED} queued texts. Send or remove some of them."
            )
        if request.alongside is not None:
            await request.alongside(session)
        await queues.insert_queued(session, owner, item)
        await keep_attachments(session, owner, conversation_id, attached.files, item.created_at)
        await use_named(session, owner, conversation_id, attached.parts)
        await take_uploads(session, owner, conversation_id, attached.uploads)
        ids = tuple(one.id for one in waiting)
        await queues.write_order(session, move(ids, item.id, len(ids) if place is None else place))
        if paused and queue.hold is None:
            await queues.write_hold(session, owner, conversation_id, Hold(HoldReason.PAUSED), now())
        await audit(session, owner, conversation_id, AuditAction.CHANGED, subject=item.id, what="queue")
    ctx.event_bus.publish(owner, conversation_id, QueueChanged())
    await go_on(ctx, owner, conversation_id)
    return await read_queue(ctx, owner, conversation_id)


@shielded
async def change_queued(  # noqa: PLR0913 - the queued text, its changes and a condition
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    queued_id: str,
    changes: QueuedChanges,
    *,
    version: int | None = None,
) -> Queue:
    """Change the text or the place of a queued text. `version`: change it only if it still has this version.

    Raises:
        NotFoundError: no such text is queued, because it was sent or removed.
        ConflictError: the text has another version.
        InputError: the text cannot be used.
    """
    async with ctx.store.write() as session:
        waiting = (await queues.load_queue(session, owner, conversation_id)).items
        item = _find(waiting, queued_id)
        text, place = changes.text, changes.place
        if text is not None:
            require_readable(item)
            _require_words(text, item.attached)
        if version is not None and version != item.version:
            raise ConflictError("This text was just edited elsewhere. Check it, then try again.")
        if text is not None and text != item.text:
            await queues.write_text(session, item, text)
        if place is not None:
            await queues.write_order(session, move(tuple(one.id for one in waiting), queued_id, place))
        await audit(session, owner, conversation_id, AuditAction.CHANGED, subject=queued_id, what="queue")
    ctx.event_bus.publish(owner, conversation_id, QueueChanged())
    return await read_queue(ctx, owner, conversation_id)


@shielded
async def drop_queued(ctx: AppContext, owner: str, conversation_id: str, queued_id: str) -> DroppedText:
    """Remove a text from the queue without sending it, and return it. The files of the text become uploads again.

    Raises:
        NotFoundError: no such text is queued, because it was sent or removed.
    """
    async with ctx.store.write() as session:
        waiting = (await queues.load_queue(session, owner, conversation_id)).items
        item = _find(waiting, queued_id)
        await queues.delete_queued(session, queued_id)
        await delete_deliveries(session, conversation_id)
        uploads = await return_uploads(session, owner, conversation_id, list_bytes(item.attached))
        await release_attachments(session, owner, conversation_id, uploads)
        if len(waiting) == 1:
            await queues.write_hold(session, owner, conversation_id, None, now())
        await audit(session, owner, conversation_id, AuditAction.CHANGED, subject=queued_id, what="queue")
    ctx.event_bus.publish(owner, conversation_id, QueueChanged())
    return DroppedText(item, AttachedParts(item.attached, uploads=tuple(uploads.values())))


@shielded
async def pause_queue(ctx: AppContext, owner: str, conversation_id: str) -> Queue:
    """Send nothing from the queue until it is resumed. A queue that is already held keeps its reason.

    Raises:
        NotFoundError: this owner has no such conversation.
    """
    await _hold(ctx, owner, conversation_id, Hold(HoldReason.PAUSED))
    return await read_queue(ctx, owner, conversation_id)


@shielded
async def resume_queue(  # noqa: PLR0913 - the queue, a condition, and options for its first text
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    *,
    only: HoldReason | None = None,
    model: str | None = None,
    over_budget: OverBudget | None = None,
) -> Queue:
    """Resume the queue. Its first text is sent now, or when the running reply has succeeded.

    `only`: resume only if the queue is held for this reason. `model` and `over_budget` apply to the first text.

    Raises:
        NotFoundError: this owner has no such conversation.
        OverBudgetError: the view exceeds the budget, and neither the caller nor the preferences chose how to continue.
            This error, and any other error of `start_reply` except SendLockedError, holds the queue.
    """
    if (await read_queue(ctx, owner, conversation_id)).items and await _let_go(ctx, owner, conversation_id, only):
        ctx.event_bus.publish(owner, conversation_id, QueueChanged())
        if (refusal := await go_on(ctx, owner, conversation_id, model, over_budget)) is not None:
            raise refusal
    return await read_queue(ctx, owner, conversation_id)


async def _let_go(ctx: AppContext, owner: str, conversation_id: str, only: HoldReason | None) -> bool:
    """Remove the hold, unless its reason differs from `only`. Return True if it was removed."""
    async with ctx.store.write() as session:
        hold = (await queues.load_queue(session, owner, conversation_id)).hold
        if only is not None and (hold is None or hold.reason is not only):
            return False
        await queues.write_hold(session, owner, conversation_id, None, now())
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="queue")
    return True


async def go_on_after(ctx: AppContext, run: LiveRun) -> None:
    """Continue the queue after the end of `run`.

    If the reply succeeded, send the next text; else publish that the queue is held.

    The hold was stored with the end of the run. It is not stored again here, because the user may have resumed the
    queue meanwhile. If the conversation was deleted meanwhile, nothing happens: its queue is in the trash with it.
    """
    owner, conversation_id = run.place.owner, run.place.conversation_id
    async with ctx.store.read() as session:
        queue = await queues.load_queue(session, owner, conversation_id)
    if not queue.items or run.state.outcome is None:
        return
    if decide_hold(run.state.outcome) is not None:
        ctx.event_bus.publish(owner, conversation_id, QueueChanged())
    elif queue.hold is None:
        with suppress(NotFoundError):
            await go_on(ctx, owner, conversation_id)


async def go_on(
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    model: str | None = None,
    over_budget: OverBudget | None = None,
) -> InviewError | None:
    """Send the first queued text, unless the queue is held, a reply is running or a comparison is open.

    If the text is refused, hold the queue and return the error.
    """
    for _ in range(ATTEMPTS):
        async with ctx.store.read() as session:
            queue = await queues.load_queue(session, owner, conversation_id)
            running = (await load_tail(session, conversation_id)).running
        if not queue.items or queue.hold is not None or running is not None:
            return None
        item = queue.items[0]
        try:
            require_readable(item)
            request = request_of_queued(item)
            send = replace(
                request,
                options=replace(request.options, model=model or item.model),
                over_budget=over_budget or item.over_budget,
                alongside=partial(_take, owner=owner, item=item),
            )
            await start_reply(ctx, owner, conversation_id, send)
        except ComparingError:
            return None  # the queue continues when one of the compared replies is kept
        except (SendLockedError, _MovedError):
            continue  # another sender was faster, so the queue is read again
        except InviewError as error:
            _log.info("a queued text was refused", conversation_id=conversation_id, reason=str(error))
            await _hold(ctx, owner, conversation_id, Hold(HoldReason.REFUSED, str(error)))
            return error
        ctx.event_bus.publish(owner, conversation_id, QueueChanged())
        return None
    return None


async def _take(session: AsyncSession, *, owner: str, item: QueuedText) -> None:
    """Remove this text from the queue, in the transaction that stores its pair."""
    queue = await queues.load_queue(session, owner, item.conversation_id)
    if queue.hold is not None or queue.items[:1] != (item,):
        raise _MovedError("The queue has just changed.")
    await queues.delete_queued(session, item.id)


async def _hold(ctx: AppContext, owner: str, conversation_id: str, hold: Hold) -> None:
    async with ctx.store.write() as session:
        await load_conversation(session, owner, conversation_id)
        queue = await queues.load_queue(session, owner, conversation_id)
        stays = queue.hold is not None and hold.reason is HoldReason.PAUSED
        if queue.items and not stays:
            await queues.write_hold(session, owner, conversation_id, hold, now())
            await audit(session, owner, conversation_id, AuditAction.CHANGED, what="queue")
    ctx.event_bus.publish(owner, conversation_id, QueueChanged())


def _find(waiting: tuple[QueuedText, ...], queued_id: str) -> QueuedText:
    for item in waiting:
        if item.id == queued_id:
            return item
    raise NotFoundError("queued text", queued_id)


def _require_words(text: str, attached: tuple[Part, ...]) -> None:
    require_text("text", text)
    if not text.strip() and not attached:
        raise InputError("text", "is empty. Write something to queue.")
