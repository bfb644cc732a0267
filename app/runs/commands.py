"""What can be asked of the workbench, by a page, a program or the command line alike.

    started = await start_reply(wb, LOCAL_OWNER, conversation.id, "Hello")

Every command is done to its end once begun, also if whoever asked goes away, and raises the errors of `domain.errors`.

Not here: reading (`store/`), watching (`broadcast.py`) and setting up providers (`provider_commands.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from sqlalchemy.exc import IntegrityError

from app.domain.context import BuiltRequest
from app.domain.conversation import Conversation, Message, Pair, Parameters, Role, ToolMode
from app.domain.errors import (
    ConflictError,
    ErrorClass,
    InputError,
    ProviderError,
    SendLockedError,
    failure,
)
from app.domain.lifecycle import RUNNING, Lifecycle, Step, apply_step
from app.domain.model_profile import split_model_name
from app.domain.parts import Text
from app.domain.run import RunStart
from app.providers.base import WireRequest
from app.runs.catalogue import DEFAULT_MODEL
from app.runs.feeds import ConversationChanged, ConversationRemoved, RunStarted
from app.runs.ids import new_id, now
from app.runs.sending import Plan, build_view, plan_send
from app.runs.to_the_end import to_the_end
from app.runs.workbench import Workbench
from app.store import conversations, pairs, runs

LOCAL_OWNER = "local"
"""The one owner of an installation without accounts."""

NO_PARAMETERS = Parameters()
STOP_SECONDS = 2.0
"""How long a command waits for a reply it stopped to be stored."""


@dataclass(frozen=True, slots=True)
class Preview:
    """One call that would be made: the request and the exact bytes. `hashes` as of `domain.hashing.content_hashes`."""

    built: BuiltRequest
    wire: WireRequest
    hashes: tuple[str, ...]

    @property
    def url(self) -> str:
        return self.wire.url


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A reply that is on. `content_hash` is that of its whole request."""

    run_id: str
    pair_id: str
    content_hash: str


# --- conversations ---


@to_the_end
async def create_conversation(
    wb: Workbench, owner: str, *, title: str = "", model: str | None = None, system_prompt: str = ""
) -> Conversation:
    """A new conversation, without pairs.

    Raises:
        InputError: a text or the model cannot be one.
    """
    at = now()
    conversation = Conversation(
        id=new_id(), owner=owner, created_at=at, updated_at=at, title=title, model=model, system_prompt=system_prompt
    )
    _require_valid(conversation)
    async with wb.store.write() as session:
        await conversations.insert_conversation(session, conversation)
    return conversation


@to_the_end
async def change_conversation(  # noqa: PLR0913 - a conversation has many fields
    wb: Workbench,
    owner: str,
    conversation_id: str,
    *,
    title: str | None = None,
    model: str | None = None,
    system_prompt: str | None = None,
    filter: str | None = None,  # noqa: A002 - the noun's own name, here as in the API
    tool_mode: ToolMode | None = None,
) -> Conversation:
    """Change what is given; None leaves a field as it is. Its place in the list, the time of its last pair, stays.

    Raises:
        NotFoundError: no such conversation of this owner.
        InputError: a text or the model cannot be one.
    """
    wanted = {
        "title": title,
        "model": model,
        "system_prompt": system_prompt,
        "filter": filter,
        "tool_mode": tool_mode,
    }
    changes = {name: value for name, value in wanted.items() if value is not None}
    async with wb.store.write() as session:
        conversation = replace(
            await conversations.load_conversation(session, owner, conversation_id),
            **changes,
        )
        _require_valid(conversation)
        if changes:
            await conversations.update_conversation(session, owner, conversation_id, changes)
    wb.feeds.publish(owner, conversation_id, ConversationChanged())
    return conversation


@to_the_end
async def delete_conversation(wb: Workbench, owner: str, conversation_id: str) -> None:
    """Delete a conversation with its pairs; a reply that is on is stopped. The ledger keeps its calls.

    Raises:
        NotFoundError: no such conversation of this owner.
    """
    async with wb.store.read() as session:
        await conversations.load_conversation(session, owner, conversation_id)
    for run in wb.engine.runs_of(conversation_id):
        await _stop(wb, run.run_id)
    async with wb.store.write() as session:
        await conversations.delete_conversation(session, owner, conversation_id)
    wb.histories.forget(conversation_id)
    wb.feeds.publish(owner, conversation_id, ConversationRemoved())


# --- sending ---


async def preview_send(  # noqa: PLR0913, PLR0917 - the same arguments as start_reply
    wb: Workbench,
    owner: str,
    conversation_id: str,
    text: str,
    model: str | None = None,
    parameters: Parameters | None = None,
) -> Preview:
    """Exactly what `start_reply` with the same arguments would send. Nothing is called or stored.

    Raises:
        NotFoundError: no such conversation of this owner.
        InputError: the text or the model cannot be sent.
    """
    _, plan = await _plan(wb, owner, conversation_id, text, model, parameters or NO_PARAMETERS)
    return Preview(plan.built, plan.wire, plan.hashes)


@to_the_end
async def start_reply(  # noqa: PLR0913, PLR0917 - what a send is made of
    wb: Workbench,
    owner: str,
    conversation_id: str,
    text: str,
    model: str | None = None,
    parameters: Parameters | None = None,
) -> StartedRun:
    """Store a new pair and start its reply, which from then on belongs to the process.

    Raises:
        NotFoundError: no such conversation of this owner.
        SendLockedError: a reply is running in it.
        InputError: the text or the model cannot be sent.
        ProviderError: the provider lacks its key. Whatever the provider itself says goes into the pair.
    """
    if not text.strip():
        raise InputError("text", "is empty. Write something to send.")
    asked = parameters or NO_PARAMETERS
    conversation, plan = await _plan(wb, owner, conversation_id, text, model, asked, sends=True)
    at = now()
    request = Message(new_id(), Role.USER, (Text(text),), at)
    reply = Message(new_id(), Role.ASSISTANT, (), at)
    start = RunStart(new_id(), new_id(), plan.wire.model, plan.content_hash)
    place = runs.RunPlace(owner, conversation_id, start.pair_id, reply.id)
    try:
        async with wb.store.write() as session:
            tail = await pairs.load_tail(session, conversation_id)
            if tail.running is not None:
                raise SendLockedError(conversation_id)
            revision = await conversations.next_revision(session, conversation_id, at)
            pair = Pair(
                id=start.pair_id,
                conversation_id=conversation_id,
                position=tail.position + 1,
                request=request,
                reply=reply,
                model=start.model,
                lifecycle=apply_step(Lifecycle.IDLE, Step.SEND),
                created_at=at,
                updated_at=at,
                parameters=asked,
                run_id=start.run_id,
            )
            await pairs.insert_pair(session, owner, pair, revision)
            await runs.insert_run(session, place, start, wb.process_id, at)
            if conversation.model is None:
                await conversations.update_conversation(session, owner, conversation_id, {"model": start.model})
    except IntegrityError as error:
        # Perhaps another process was faster by less than our look at the database: its index is the lock.
        async with wb.store.read() as session:
            if (await pairs.load_tail(session, conversation_id)).running is None:
                raise
        raise SendLockedError(conversation_id) from error
    wb.engine.start(place, start, plan.provider, plan.wire)
    wb.feeds.publish(owner, conversation_id, RunStarted(start.run_id, start.pair_id, pair))
    return StartedRun(start.run_id, start.pair_id, start.request_hash)


@to_the_end
async def cancel_run(wb: Workbench, owner: str, run_id: str) -> None:
    """Stop a reply; what was received stays. Nothing happens if it is over.

    Raises:
        NotFoundError: no such run of this owner.
        ConflictError: another process drives it.
    """
    run = wb.engine.runs.get(run_id)
    if run is not None and run.place.owner == owner:
        await _stop(wb, run_id)
        return
    async with wb.store.read() as session:
        stored = await runs.load_run(session, owner, run_id)
    if stored.state.outcome is None:
        raise ConflictError(f"Run {run_id!r} is driven by another process of Inview. Stop it there.")


async def _stop(wb: Workbench, run_id: str) -> None:
    run = wb.engine.cancel(run_id)
    if run is not None and run.finishing is not None:
        await asyncio.wait({run.finishing}, timeout=STOP_SECONDS)


async def _plan(  # noqa: PLR0913, PLR0917 - see start_reply
    wb: Workbench,
    owner: str,
    conversation_id: str,
    text: str,
    model: str | None,
    parameters: Parameters,
    *,
    sends: bool = False,
) -> tuple[Conversation, Plan]:
    """The call that sending this text would make. `sends`: refuse what could not be sent now."""
    _require_text("text", text)
    async with wb.store.read() as session:
        conversation, revision = await conversations.load_with_revision(session, owner, conversation_id)
        chosen = model or conversation.model or DEFAULT_MODEL
        provider, profile = await wb.catalogue.find(session, owner, chosen)
        if sends and not provider.ready:
            raise ProviderError(failure(ErrorClass.AUTH, f'No key for provider "{provider.name}".'))
        history = await wb.histories.load(session, owner, conversation_id, revision)
    if sends and any(pair.lifecycle in RUNNING for pair in history.pairs):
        raise SendLockedError(conversation_id)
    draft = (Text(text),) if text.strip() else ()
    view = build_view(conversation, history.pairs, draft, parameters)
    plan = await plan_send(view, profile, provider, history.hashed)
    wb.histories.remember(conversation_id, plan.hashed)
    return conversation, plan


def _require_valid(conversation: Conversation) -> None:
    for field in ("title", "system_prompt", "filter"):
        _require_text(field, getattr(conversation, field))
    if conversation.model is not None:
        split_model_name(conversation.model)


def _require_text(field: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(field, f"has half a character at place {error.start}. Correct it there.") from None
