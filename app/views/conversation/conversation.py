"""The view of a conversation without its pairs, for a list of conversations and for the head of one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.conversation.conversation import (
    Checkpoint,
    Conversation,
    ConversationKind,
    ConversationStatus,
    ToolMode,
)
from app.domain.conversation.metadata import decode_metadata
from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.privacy.secrets import cut_outside_secrets
from app.domain.retry_policy import RetryLimits, RetryPolicy
from app.views.conversation.pair import DamageView, describe_damage
from app.views.request.parameters import ParametersView, show_parameters

SNIPPET_LENGTH = 160
"""Maximum number of characters of a snippet, including its ellipsis."""
_MARKUP = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"(?<![\w\])])!?\[([^\]\n]+)\]\([^)\s]+\)",
        r"`([^`\n]+)`",
        r"(?<![\w*/])\*\*(?=[^\s*/])(.+?)(?<=[^\s*/])\*\*(?![\w*/])",
        r"(?<![\w*/])\*(?=[^\s*/,.;:)])([^*\n]+?)(?<=[^\s/(])\*(?![\w*/])",
        r"^ {0,3}(?:#{1,6} +|> ?)()",
    )
)
"""Patterns of common marks of Markdown: links, code, bold, italic, headings, quotes. Group 1: the marked text."""
_FENCE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,})[^\n`]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FoundView:
    """The best match of a search in a conversation: a pair, with an `excerpt` around the match, or the title.

    If the title matches, `pair_id` and `position` are null. `others` is the number of other matches in the
    conversation.
    """

    pair_id: str | None
    position: int | None
    excerpt: str
    others: int


@dataclass(frozen=True, slots=True)
class ConversationView:
    """A conversation without its pairs. `snippet` is the beginning of its newest request, on one line.

    - `titled_by_model`: a model wrote the title, so a new title of a model may replace it.
    - `parent_id`, `fork_pair_id`: for a fork, its parent, and the last pair that it copied from the parent.
    - `checkpoint`: a summary that is sent instead of the pairs with positions lower than its `position`.
    - `damage`: unreadable values. While one of them is a setting that a send depends on, nothing can be sent.
    - `found`: the best match of a search; null without a search.
    """

    id: str
    title: str
    kind: ConversationKind
    status: ConversationStatus
    agent_id: str | None
    folder_id: str | None
    model: str | None
    system_prompt: str
    parameters: ParametersView
    retry_policy: RetryPolicy
    retry_limits: RetryLimits
    middleware: MiddlewareChoices
    metadata: dict[str, Any]
    filter: str
    tool_mode: ToolMode
    ticked_tools: tuple[str, ...]
    parent_id: str | None
    fork_pair_id: str | None
    trigger_message_id: str | None
    temporary: bool
    checkpoint: Checkpoint | None
    titled_by_model: bool
    pair_count: int
    snippet: str
    created_at: datetime
    updated_at: datetime
    damage: tuple[DamageView, ...] = ()
    found: FoundView | None = None


def describe_conversation(
    conversation: Conversation, *, pair_count: int, snippet: str, found: FoundView | None = None
) -> ConversationView:
    """Convert a conversation for the HTTP API. `snippet` is the text of its newest request, which is cut here.

    `found` is the best match of a search; None: there is no search.
    """
    return ConversationView(
        id=conversation.id,
        title=conversation.title,
        kind=conversation.kind,
        status=conversation.status,
        agent_id=conversation.agent_id,
        folder_id=conversation.folder_id,
        model=conversation.model,
        system_prompt=conversation.system_prompt,
        parameters=show_parameters(conversation.parameters),
        retry_policy=conversation.retry_policy,
        retry_limits=conversation.retry_limits,
        middleware=conversation.middleware,
        metadata=decode_metadata(conversation.metadata_json),
        filter=conversation.filter,
        tool_mode=conversation.tool_mode,
        ticked_tools=conversation.ticked_tools,
        parent_id=conversation.parent_id,
        fork_pair_id=conversation.fork_pair_id,
        trigger_message_id=conversation.trigger_message_id,
        temporary=conversation.temporary,
        checkpoint=conversation.checkpoint,
        titled_by_model=conversation.titled_by_model,
        pair_count=pair_count,
        snippet=cut_snippet(snippet),
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
        damage=describe_damage(conversation.damage),
        found=found,
    )


def cut_opening(text: str) -> str:
    r"""Return the first words of a request as the name of its conversation: a snippet without the marks of Markdown.

    >>> cut_opening("## **Why** is `the sky` *blue*?\n> See [this](http://a.b)"), cut_opening("Is 2**3 in src/**/*.py?")
    ('Why is the sky blue? See this', 'Is 2**3 in src/**/*.py?')
    """
    bare, rest = text[: 4 * SNIPPET_LENGTH], text[4 * SNIPPET_LENGTH :]
    for pattern in _MARKUP:
        bare = pattern.sub(r"\1", bare)
    return cut_snippet(bare + rest) or cut_snippet(text)


def cut_snippet(text: str) -> str:
    r"""Return the beginning of a text on one line, without the fences of code, with an ellipsis if it was cut.

    A secret is not cut: the name of a fork is made from the snippet, and may be sent. A part of a secret would not be
    replaced.

    >>> cut_snippet("One  two\nthree"), cut_snippet("```python\nprint(1)\n```")
    ('One two three', 'print(1)')
    """
    # A long pasted text has megabytes, so only its beginning is used.
    line = " ".join(_FENCE.sub("", text[: 4 * SNIPPET_LENGTH]).split())
    if len(line) <= SNIPPET_LENGTH and len(text) <= 4 * SNIPPET_LENGTH:
        return line
    return cut_outside_secrets(line, SNIPPET_LENGTH - 1).rstrip() + "…"
