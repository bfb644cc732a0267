"""The queue: texts sent while a reply runs wait here, and are sent when the reply has succeeded.

    queue = await queue_text(wb, LOCAL_OWNER, NewSend(conversation_id, "And then?"))
    await resume_queue(wb, LOCAL_OWNER, conversation_id)          # after a stop, a failure, a refusal or a pause

The server keeps it: closing the page changes nothing. Only a reply that succeeded releases the next text. After a stop
or a failure the queue is held until a person resumes it, because its texts were meant as answers to that reply. A text
leaves the queue in the transaction that stores its pair: either it is sent once, or it is still queued.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.comparisons import ComparingError
from app.domain.conversation.parts import Part
from app.domain.errors import ConflictError, InputError, InviewError, NotFoundError, SendLockedError
from app.domain.model_profile import split_model_name
from app.domain.preferences import OverBudget
from app.domain.run.queue import MAX_QUEUED, Hold, HoldReason, Queue, QueuedText, decide_hold, move
from app.runs.engine.live import LiveRun
from app.runs.process.event_bus import QueueChanged
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.request.attachments import Attached
from app.runs.send.commands import StartedRun, start_reply
from app.runs.send.context_selection import ViewOptions, parse_line
from app.runs.send.intents import DEFAULT_OPTIONS, NewSend, SendOptions
from app.runs.send.plan import require_text
from app.runs.workbench import Workbench
from app.store.conversation.attachments import keep_attachments
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_tail
from app.store.run import queues
from app.store.run.runs import RunPlace

ATTEMPTS = 5
"""How often a queue may change under the hand that sends out of it before that waits for the next occasion."""

_log = structlog.get_logger(__name__)


class _MovedError(ConflictError):
    """The queue is not what it was when its first text was about to be sent."""


async def read_queue(wb: Workbench, owner: str, conversation_id: str) -> Queue:
    """What waits in a conversation.

    Raises:
        NotFoundError: no such conversation of this owner.
    """
    async with wb.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        return await queues.load_queue(session, owner, conversation_id)


async def send_text(wb: Workbench, owner: str, send: NewSend, options: SendOptions = DEFAULT_OPTIONS) -> None:
    """Start the reply to a text, or queue the text while another reply is running.

    A text that waits carries what is in view when its turn comes: the selection of the options counts for a send only.

    Raises:
        InviewError: whatever `start_reply` raises but a lock, or `queue_text`.
    """
    if not wb.engine.runs_of(send.conversation_id):
        try:
            await start_reply(wb, owner, send, options)
        except SendLockedError:  # a reply began elsewhere just now
            pass
        else:
            return
    await queue_text(wb, owner, send, options)


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """Where a text is queued. `place` counts from 0; None: behind all others. `paused`: the queue is paused then."""

    place: int | None = None
    paused: bool = False


BEHIND_ALL = QueuePlace()


@shielded
async def queue_text(
    wb: Workbench,
    owner: str,
    send: NewSend,
    options: SendOptions = DEFAULT_OPTIONS,
    at: QueuePlace = BEHIND_ALL,
) -> Queue:
    """Queue a text behind the running reply. If nothing is running or queued, send it immediately.

    Its filter, model, agent and topic are those of now. A queue that is held already stays held for its reason.

    Raises:
        NotFoundError: no such conversation of this owner.
        ConflictError: too many wait already.
        FilterError: the filter cannot be used.
        InputError: the text or the model cannot be used.
    """
    text, attached, conversation_id, view_options = send.text, send.attached, send.conversation_id, options.view_options
    _require_words(text, attached.parts)
    async with wb.store.write() as session:
        conversation = await load_conversation(session, owner, conversation_id)
        item = QueuedText(
            id=new_id(),
            conversation_id=conversation_id,
            text=text,
            filter=conversation.filter if view_options.filter is None else view_options.filter,
            model=view_options.model or conversation.model,
            agent_id=(conversation.agent_id or "") if view_options.agent is None else view_options.agent,
            topic=view_options.topic,
            zone=view_options.zone,
            parameters=options.asked,
            over_budget=options.over_budget,
            created_at=now(),
            attached=attached.parts,
        )
        parse_line(item.filter)
        if item.model is not None:
            split_model_name(item.model)
        queue = await queues.load_queue(session, owner, conversation_id)
        waiting = queue.items
        if len(waiting) >= MAX_QUEUED:
            raise ConflictError(f"{MAX_QUEUED} texts wait in this conversation already. Send or drop some of them.")
        await queues.insert_queued(session, owner, item)
        await keep_attachments(session, owner, conversation_id, attached.files, item.created_at)
        ids = tuple(one.id for one in waiting)
        await queues.write_order(session, move(ids, item.id, len(ids) if at.place is None else at.place))
        if at.paused and queue.hold is None:
            await queues.write_hold(session, owner, conversation_id, Hold(HoldReason.PAUSED), now())
    wb.event_bus.publish(owner, conversation_id, QueueChanged())
    await go_on(wb, owner, conversation_id)
    return await read_queue(wb, owner, conversation_id)


@dataclass(frozen=True, slots=True)
class QueuedChange:
    """What is to change of a queued text; None leaves it as it is. `version`: only if it is still that one."""

    text: str | None = None
    place: int | None = None
    version: int | None = None


@shielded
async def change_queued(wb: Workbench, owner: str, conversation_id: str, queued_id: str, change: QueuedChange) -> Queue:
    """Edit or move a queued text.

    Raises:
        NotFoundError: no such text waits: it was sent or dropped.
        ConflictError: it says something else than at that version.
        InputError: the text cannot be used.
    """
    async with wb.store.write() as session:
        waiting = (await queues.load_queue(session, owner, conversation_id)).items
        item = _find(waiting, queued_id)
        if change.text is not None:
            _require_words(change.text, item.attached)
        if change.version is not None and change.version != item.version:
            raise ConflictError("This text was edited elsewhere just now. Look at it, then try again.")
        if change.text is not None and change.text != item.text:
            await queues.write_text(session, item, change.text)
        if change.place is not None:
            await queues.write_order(session, move(tuple(one.id for one in waiting), queued_id, change.place))
    wb.event_bus.publish(owner, conversation_id, QueueChanged())
    return await read_queue(wb, owner, conversation_id)


@shielded
async def drop_queued(wb: Workbench, owner: str, conversation_id: str, queued_id: str) -> QueuedText:
    """Take a text out of the queue unsent; what it was, to queue it again.

    Raises:
        NotFoundError: no such text waits: it was sent or dropped.
    """
    async with wb.store.write() as session:
        waiting = (await queues.load_queue(session, owner, conversation_id)).items
        item = _find(waiting, queued_id)
        await queues.delete_queued(session, queued_id)
        if len(waiting) == 1:
            await queues.write_hold(session, owner, conversation_id, None, now())
    wb.event_bus.publish(owner, conversation_id, QueueChanged())
    return item


@shielded
async def pause_queue(wb: Workbench, owner: str, conversation_id: str) -> Queue:
    """Send nothing out of the queue until it is resumed. One that is held already stays held for its reason.

    Raises:
        NotFoundError: no such conversation of this owner.
    """
    await _hold(wb, owner, conversation_id, Hold(HoldReason.PAUSED))
    return await read_queue(wb, owner, conversation_id)


@dataclass(frozen=True, slots=True)
class ResumeOptions:
    """What is different for the first text of a queue when it is sent. None: as it was queued."""

    model: str | None = None
    over_budget: OverBudget | None = None


AS_QUEUED = ResumeOptions()


@shielded
async def resume_queue(
    wb: Workbench,
    owner: str,
    conversation_id: str,
    first: ResumeOptions = AS_QUEUED,
    *,
    only: HoldReason | None = None,
) -> Queue:
    """Release a held queue: its first text is sent now, or when the reply that runs has succeeded.

    `only`: if it is held for that reason, else nothing happens.

    Raises:
        NotFoundError: no such conversation of this owner.
        OverBudgetError: more is in view than may be sent, and nobody said what to do about it. And whatever else
            `start_reply` raises but a lock: the queue is held for it then.
    """
    queue = await read_queue(wb, owner, conversation_id)
    if queue.items and (only is None or (queue.hold is not None and queue.hold.reason is only)):
        async with wb.store.write() as session:
            await queues.write_hold(session, owner, conversation_id, None, now())
        wb.event_bus.publish(owner, conversation_id, QueueChanged())
        if (refusal := await go_on(wb, owner, conversation_id, first)) is not None:
            raise refusal
    return await read_queue(wb, owner, conversation_id)


async def go_on_after(wb: Workbench, run: LiveRun) -> None:
    """A reply has ended, and that is stored: send what waited for it, or hold it.

    Nothing is to be done if the conversation was deleted meanwhile: what waits there went into the trash with it.
    """
    owner, conversation_id = run.place.owner, run.place.conversation_id
    async with wb.store.read() as session:
        queue = await queues.load_queue(session, owner, conversation_id)
    if not queue.items or run.state.outcome is None:
        return
    with suppress(NotFoundError):
        if (hold := decide_hold(run.state.outcome)) is not None:
            await _hold(wb, owner, conversation_id, hold)
        elif queue.hold is None:
            await go_on(wb, owner, conversation_id)


async def go_on(
    wb: Workbench, owner: str, conversation_id: str, first: ResumeOptions = AS_QUEUED
) -> InviewError | None:
    """Send the first text unless the queue is held, a reply runs or replies are compared.

    Why it was refused, if it was: the queue is held for that then.
    """
    for _ in range(ATTEMPTS):
        async with wb.store.read() as session:
            queue = await queues.load_queue(session, owner, conversation_id)
            running = (await load_tail(session, conversation_id)).running
        if not queue.items or queue.hold is not None or running is not None:
            return None
        item = queue.items[0]
        try:
            await start_reply(
                wb,
                owner,
                NewSend(conversation_id, item.text, Attached(item.attached)),
                options_of(item, first),
                alongside=partial(_take, owner=owner, item=item),
            )
        except ComparingError:
            return None  # keeping one of them lets the queue go on
        except (SendLockedError, _MovedError):
            continue  # somebody was faster: look again at what is left to do
        except InviewError as error:
            _log.info("a queued text was refused", conversation_id=conversation_id, reason=str(error))
            await _hold(wb, owner, conversation_id, Hold(HoldReason.REFUSED, str(error)))
            return error
        wb.event_bus.publish(owner, conversation_id, QueueChanged())
        return None
    return None


def options_of(item: QueuedText, first: ResumeOptions = AS_QUEUED) -> SendOptions:
    """How a queued text is sent."""
    view_options = ViewOptions(item.filter, first.model or item.model, item.topic, item.zone, agent=item.agent_id)
    return SendOptions(view_options, item.parameters, first.over_budget or item.over_budget)


async def _take(session: AsyncSession, _place: RunPlace, _begun: StartedRun, *, owner: str, item: QueuedText) -> None:
    """Take this text out of the queue, in the transaction that stores its pair."""
    queue = await queues.load_queue(session, owner, item.conversation_id)
    if queue.hold is not None or queue.items[:1] != (item,):
        raise _MovedError("The queue changed just now.")
    await queues.delete_queued(session, item.id)


async def _hold(wb: Workbench, owner: str, conversation_id: str, hold: Hold) -> None:
    async with wb.store.write() as session:
        await load_conversation(session, owner, conversation_id)
        queue = await queues.load_queue(session, owner, conversation_id)
        stays = queue.hold is not None and hold.reason is HoldReason.PAUSED
        if queue.items and not stays:
            await queues.write_hold(session, owner, conversation_id, hold, now())
    wb.event_bus.publish(owner, conversation_id, QueueChanged())


def _find(waiting: tuple[QueuedText, ...], queued_id: str) -> QueuedText:
    for item in waiting:
        if item.id == queued_id:
            return item
    raise NotFoundError("queued text", queued_id)


def _require_words(text: str, attached: tuple[Part, ...]) -> None:
    require_text("text", text)
    if not text.strip() and not attached:
        raise InputError("text", "is empty. Write something to queue.")
