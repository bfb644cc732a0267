"""Adds a finished pair to a conversation without a provider call: both texts are given.

    pair = await add_pair(ctx, LOCAL_OWNER, conversation_id, GivenPair("What is 2 + 2?", "4"))

The pair is like any other: filters select it, later sends carry it, and it can be edited and sent again. It has no run
and no entry in the ledger, because nothing was called.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.audit import AuditAction
from app.domain.compare.comparisons import ComparingError
from app.domain.conversation.conversation import ConversationKind, Message, Pair, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text
from app.domain.errors import ConflictError, InputError, SendLockedError
from app.domain.models.model_profile import split_model_name
from app.domain.transfer.records import PairRecord
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit
from app.runs.runtime.event_bus import PairsChanged
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.planning import require_text
from app.runs.topics.topic_commands import use_topic
from app.store.conversation.conversations import load_conversation, next_revision
from app.store.conversation.pairs import load_tail
from app.store.transfer.pair_records import RecordTarget, insert_records


@dataclass(frozen=True, slots=True)
class GivenPair:
    """The two texts of a pair.

    - `model`: the model that wrote the reply, None: the model of the conversation.
    - `topic`: the id of the pair's topic, None: no topic.
    - `created_at`: the time of both messages, None: now.
    - `request_metadata`, `reply_metadata`: the metadata of the messages as JSON text (`metadata.py`).
    """

    user_text: str
    reply_text: str
    model: str | None = None
    topic: str | None = None
    created_at: datetime | None = None
    request_metadata: str = ""
    reply_metadata: str = ""


@shielded
async def add_pair(ctx: AppContext, owner: str, conversation_id: str, given: GivenPair) -> Pair:
    """Add a finished pair after the last pair of a conversation, and return it.

    Raises:
        NotFoundError: this owner has no such conversation or topic.
        ConflictError: it is a child conversation.
        SendLockedError: a reply is running in the conversation.
        ComparingError: a comparison is open in it.
        InputError: a text or the model cannot be used.
    """
    for field, text in (("user_text", given.user_text), ("reply_text", given.reply_text)):
        require_text(field, text)
        if not text.strip():
            raise InputError(field, "is empty. Give the text of the message.")
    if given.model is not None:
        split_model_name(given.model)
    at = now()
    created = given.created_at or at
    async with ctx.store.write() as session:
        conversation = await load_conversation(session, owner, conversation_id)
        model = given.model or conversation.model
        if conversation.kind is ConversationKind.TOOL:
            raise ConflictError("This conversation belongs to another one. Add the messages to that one.")
        if model is None:
            raise InputError("model", "is missing here and in the conversation. Give the model that wrote the reply.")
        tail = await load_tail(session, conversation_id)
        if tail.running is not None:
            raise SendLockedError(conversation_id)
        if tail.comparing is not None:
            raise ComparingError
        if given.topic is not None:
            await use_topic(session, owner, given.topic)
        revision = await next_revision(session, conversation_id, at)
        pair = Pair(
            id=new_id(),
            conversation_id=conversation_id,
            position=tail.position + 1,
            request=Message(new_id(), Role.USER, (Text(given.user_text),), created, given.request_metadata),
            reply=Message(new_id(), Role.ASSISTANT, (Text(given.reply_text),), created, given.reply_metadata),
            model=model,
            lifecycle=Lifecycle.SUCCEEDED,
            created_at=created,
            updated_at=at,
            topic=given.topic,
        )
        target = RecordTarget(owner, conversation_id, revision, ctx.process_id)
        await insert_records(session, target, (PairRecord(pair),))
        await audit(session, owner, conversation_id, AuditAction.CHANGED, subject=pair.id, what="pair added")
    ctx.event_bus.publish(owner, conversation_id, PairsChanged((pair.id,)))
    return pair
