"""Views of messages in their stored form, for programs that store or inspect the raw history of a conversation.

The history has every part with its signature, and also messages that are never sent. Nothing is joined or hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.conversation.conversation import ConversationKind, Message, Pair, Role
from app.domain.conversation.message_kinds import MessageKind, is_cache_hit, kinds_of
from app.domain.conversation.metadata import decode_metadata
from app.views.conversation.parts import PartView, describe_parts


@dataclass(frozen=True, slots=True)
class MessageView:
    """One stored message. `pair_id` and `position` identify its pair.

    - `conversation_kind`: `tool` for a child conversation, such as a title, a summary or a delegated task.
    - `kinds`: `human` for a request, `assistant` for a reply, also `tool` for a reply with tool calls.
    - `cache_hit`: the provider read input of the reply from its cache; null for a request, and if it is unknown.
    - `metadata`: the object of the program that added the message.
    """

    id: str
    conversation_id: str
    conversation_kind: ConversationKind
    pair_id: str
    position: int
    role: Role
    kinds: tuple[MessageKind, ...]
    cache_hit: bool | None
    parts: tuple[PartView, ...]
    created_at: datetime
    metadata: dict[str, Any]


def describe_message(message: Message, pair: Pair, kind: ConversationKind = ConversationKind.AGENT) -> MessageView:
    """Convert a stored message for the HTTP API. `kind` is the kind of the conversation of its pair."""
    return MessageView(
        message.id,
        pair.conversation_id,
        kind,
        pair.id,
        pair.position,
        message.role,
        kinds_of(pair, message),
        is_cache_hit(pair, message),
        describe_parts(message.parts, raw=True),
        message.created_at,
        decode_metadata(message.metadata_json),
    )
