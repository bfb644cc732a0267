"""Kinds of messages, and a filter that selects messages by their kind. The filter of the context selects whole pairs.

>>> sorted(MessageFilter(frozenset({MessageKind.TOOL})).kinds)
[<MessageKind.TOOL: 'tool'>]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from app.domain.conversation.conversation import ConversationKind, Message, Pair
from app.domain.conversation.parts import ToolCall, ToolResult


class MessageKind(StrEnum):
    """A kind of message. A reply with tool calls has two kinds, because the calls and results are parts of the reply.

    - `human`: the request of a pair.
    - `assistant`: the reply of a pair.
    - `tool`: a reply with tool calls or tool results.
    """

    HUMAN = "human"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """A condition for messages.

    - `kinds`: a message must have one of these kinds; empty: any kind.
    - `cache_hit`: True: only replies whose provider read input from its cache. False: only replies whose provider
      reported that it read nothing from its cache. None: any message.
    """

    kinds: frozenset[MessageKind] = frozenset()
    cache_hit: bool | None = None


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message with its pair, and the kind of its conversation."""

    message: Message
    pair: Pair
    conversation_kind: ConversationKind


ALL_MESSAGES = MessageFilter()


def kinds_of(pair: Pair, message: Message) -> tuple[MessageKind, ...]:
    """Return the kinds of a message of this pair."""
    if message is pair.request:
        return (MessageKind.HUMAN,)
    has_tools = any(isinstance(part, ToolCall | ToolResult) for part in message.parts)
    return (MessageKind.ASSISTANT, MessageKind.TOOL) if has_tools else (MessageKind.ASSISTANT,)


def is_cache_hit(pair: Pair, message: Message) -> bool | None:
    """Return whether the provider read input of this reply from its cache. None: it is unknown, or not a reply."""
    return None if message is pair.request or pair.usage is None else pair.usage.cache_read_tokens > 0


def select_messages(pair: Pair, wanted: MessageFilter = ALL_MESSAGES, *, newest: bool = False) -> Iterator[Message]:
    """Yield the messages of a pair that meet the condition: the request, then the reply. `newest`: the reply first."""
    for message in (pair.reply, pair.request) if newest else (pair.request, pair.reply):
        if message is None or (wanted.kinds and wanted.kinds.isdisjoint(kinds_of(pair, message))):
            continue
        if wanted.cache_hit is None or is_cache_hit(pair, message) is wanted.cache_hit:
            yield message
