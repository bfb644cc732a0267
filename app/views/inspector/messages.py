"""The list of the stored messages of a conversation in the inspector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.conversation.conversation import ConversationKind, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.message_kinds import MessageKind, StoredMessage, kinds_of
from app.domain.conversation.parts import File, Image, Text, TextFile, ToolCall
from app.domain.usage import Usage
from app.views.conversation.conversation import SNIPPET_LENGTH, cut_snippet
from app.views.reply.pair import describe_cache_hit
from app.views.usage.figures import number, plural

_LABELS: Final = {MessageKind.HUMAN: "Human", MessageKind.ASSISTANT: "Assistant"}
_TASKS: Final = {
    Role.SYSTEM_TITLE: "Title",
    Role.TITLE: "Title",
    Role.SYSTEM_SUMMARY: "Summary",
    Role.SUMMARY: "Summary",
    Role.KEEP_WARM: "Cache keep-alive",
}
RUNNING: Final = "Running…"
_STATUSES: Final = {
    Lifecycle.SENDING: RUNNING,
    Lifecycle.AWAITING: RUNNING,
    Lifecycle.ERROR: "Failed",
    Lifecycle.CANCELED: "Stopped",
}


@dataclass(frozen=True, slots=True)
class MessageItem:
    """A message in the list, and the pair that contains it: `position` in the conversation `conversation`.

    - `kind`: "Human" or "Assistant".
    - `task`: the background task of its conversation, "" for a conversation of a person.
    - `status`: "Running…", "Failed" or "Stopped"; "" for a finished reply and for a request.
    - `tools`: the names of the tools that it calls, "" for none.
    - `tokens`: its tokens in words: those of the call, otherwise the estimate of its text; "" for neither.
    - `cached`: the share of the input that the provider read from its cache, "" for none.
    - `text`: the start of its text.
    - `at`: its time (ISO 8601).
    """

    id: str
    conversation: str
    position: int
    kind: str
    task: str
    status: str
    tools: str
    tokens: str
    cached: str
    text: str
    at: str


def text_of(stored: StoredMessage) -> str:
    """Return the text whose tokens are estimated: the texts and text files of a message without reported usage."""
    if _usage_of(stored) is not None:
        return ""
    return "\n".join(part.text for part in stored.message.parts if isinstance(part, Text | TextFile))


def show_messages(messages: Iterable[StoredMessage], counts: Sequence[int]) -> tuple[MessageItem, ...]:
    """Return the items of these messages. `counts` are the estimated tokens of the texts of `text_of`."""
    return tuple(_show(one, count) for one, count in zip(messages, counts, strict=True))


def _show(stored: StoredMessage, count: int) -> MessageItem:
    message, pair, usage = stored.message, stored.pair, _usage_of(stored)
    is_task = stored.conversation_kind is ConversationKind.TOOL
    tools = dict.fromkeys(part.name for part in message.parts if isinstance(part, ToolCall))
    return MessageItem(
        id=message.id,
        conversation=pair.conversation_id,
        position=pair.position,
        kind=_LABELS[kinds_of(pair, message)[0]],
        task=_TASKS.get(message.role, "Background task") if is_task else "",
        status="" if message is pair.request else _STATUSES.get(pair.lifecycle, ""),
        tools=", ".join(tools),
        tokens=_describe_tokens(usage, count),
        cached="" if usage is None else describe_cache_hit(usage, None),
        text=cut_snippet(" ".join(_list_beginnings(stored))),
        at=message.created_at.isoformat(),
    )


def _usage_of(stored: StoredMessage) -> Usage | None:
    return None if stored.message is stored.pair.request else stored.pair.usage


def _describe_tokens(usage: Usage | None, count: int) -> str:
    if usage is not None:
        return f"{number(usage.prompt_tokens)} in · {number(usage.output_tokens)} out"
    return f"about {plural(count, 'token')}" if count else ""


def _list_beginnings(stored: StoredMessage) -> Iterator[str]:
    for part in stored.message.parts:
        match part:
            case Text():
                yield part.text[: 4 * SNIPPET_LENGTH + 1]
            case TextFile() | File():
                yield part.name
            case Image():
                yield "Picture"
            case _:
                pass
