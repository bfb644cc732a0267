"""Conversations as shown: what a list and a header need. Never the pairs themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation import Conversation, ConversationKind, ConversationStatus, ToolMode

SNIPPET_LENGTH = 160
"""Characters of a snippet, its ellipsis included."""


@dataclass(frozen=True, slots=True)
class ConversationView:
    """A conversation without its pairs. `snippet` is the beginning of its newest request, on one line."""

    id: str
    title: str
    kind: ConversationKind
    status: ConversationStatus
    agent_id: str | None
    model: str | None
    system_prompt: str
    filter: str
    tool_mode: ToolMode
    parent_id: str | None
    trigger_message_id: str | None
    temporary: bool
    pair_count: int
    snippet: str
    created_at: datetime
    updated_at: datetime


def describe_conversation(conversation: Conversation, *, pair_count: int, snippet: str) -> ConversationView:
    """The conversation as shown. `snippet` is any text to cut from."""
    return ConversationView(
        id=conversation.id,
        title=conversation.title,
        kind=conversation.kind,
        status=conversation.status,
        agent_id=conversation.agent_id,
        model=conversation.model,
        system_prompt=conversation.system_prompt,
        filter=conversation.filter,
        tool_mode=conversation.tool_mode,
        parent_id=conversation.parent_id,
        trigger_message_id=conversation.trigger_message_id,
        temporary=conversation.temporary,
        pair_count=pair_count,
        snippet=cut_snippet(snippet),
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
    )


def cut_snippet(text: str) -> str:
    r"""The beginning of a text on one line, with an ellipsis where it was cut.

    >>> cut_snippet("One  two\nthree")
    'One two three'
    """
    # A long paste has megabytes; the first words are all that can be seen.
    line = " ".join(text[: 4 * SNIPPET_LENGTH].split())
    if len(line) <= SNIPPET_LENGTH and len(text) <= 4 * SNIPPET_LENGTH:
        return line
    return line[: SNIPPET_LENGTH - 1].rstrip() + "…"
