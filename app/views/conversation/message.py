"""Views of messages in their stored form, for programs that store or inspect the raw history of a conversation.

The history has every part with its signature, and also messages that are never sent. Nothing is joined or hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.conversation.metadata import decode_metadata
from app.views.conversation.parts import PartView, describe_parts


@dataclass(frozen=True, slots=True)
class MessageView:
    """One stored message. `pair_id` and `position` identify its pair; null for a message between pairs.

    `metadata` is the object of the program that added the message.
    """

    id: str
    pair_id: str | None
    position: int | None
    role: Role
    parts: tuple[PartView, ...]
    created_at: datetime
    metadata: dict[str, Any]


def describe_message(message: Message, pair: Pair | None = None) -> MessageView:
    """Convert a stored message for the HTTP API. `pair` is the pair that contains it; None: it is between pairs."""
    return MessageView(
        message.id,
        None if pair is None else pair.id,
        None if pair is None else pair.position,
        message.role,
        describe_parts(message.parts, raw=True),
        message.created_at,
        decode_metadata(message.metadata_json),
    )


def describe_pair_messages(pair: Pair) -> Iterator[MessageView]:
    """Yield the messages of a pair: the request, then the reply if there is one."""
    yield describe_message(pair.request, pair)
    if pair.reply is not None:
        yield describe_message(pair.reply, pair)
