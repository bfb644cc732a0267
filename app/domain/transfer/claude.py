"""Conversations as the data export of claude.ai has them: `chat_messages`, each with the `uuid` of the one before it.

Nobody publishes a schema. What is read here is what public descriptions of the export agree on: contents of the types
`text`, `voice_note`, `thinking`, `tool_use` and `tool_result`; `attachments` whose text was extracted; `files` that are
only named. An export before branches has no parents: its messages follow each other. The model is often left out.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from typing import Any

from app.domain.conversation.parts import Text, TextFile, Thinking, ToolCall, ToolResult
from app.domain.transfer.foreign import (
    Asset,
    ForeignConversation,
    ForeignMessage,
    ForeignPart,
    Speaker,
    UnreadableError,
    list_of,
    moment_of,
    object_of,
    text_of,
    title_of,
)


def is_claude(item: dict[str, Any]) -> bool:
    """Whether this is a conversation of that kind."""
    return isinstance(item.get("chat_messages"), list)


def read_claude(item: dict[str, Any]) -> ForeignConversation:
    """A conversation.

    Raises:
        UnreadableError: it has no messages.
    """
    if not is_claude(item):
        raise UnreadableError("It has no messages: “chat_messages” is missing.")
    given = [object_of(one) for one in list_of(item["chat_messages"])]
    lacking: Counter[str] = Counter()
    branches = any(text_of(one.get("parent_message_uuid")) for one in given)
    usual = text_of(item.get("model"))
    ids = [text_of(one.get("uuid")) or f"message {number}" for number, one in enumerate(given)]
    messages = tuple(
        ForeignMessage(
            id=ids[number],
            parent=text_of(one.get("parent_message_uuid")) if branches else ids[number - 1] if number else None,
            speaker=Speaker.USER if text_of(one.get("sender")) in {"human", "user"} else Speaker.ASSISTANT,
            parts=tuple(_read_parts(one, lacking)),
            created_at=moment_of(one.get("created_at")),
            model=text_of(one.get("model")) or usual,
        )
        for number, one in enumerate(given)
    )
    created = moment_of(item.get("created_at"))
    return ForeignConversation(
        id=text_of(item.get("uuid")) or f"{item.get('name')}|{item.get('created_at')}",
        title=title_of(item.get("name")),
        messages=messages,
        current=text_of(item.get("current_leaf_message_uuid")) or None,
        created_at=created,
        updated_at=moment_of(item.get("updated_at")) or created,
        lacking=dict(lacking),
    )


def _read_parts(message: dict[str, Any], lacking: Counter[str]) -> list[ForeignPart]:
    files: list[ForeignPart] = []
    for one in map(object_of, list_of(message.get("attachments"))):
        name = text_of(one.get("file_name")) or "file"
        text = text_of(one.get("extracted_content"))
        files.append(TextFile(name, text) if text else Asset(text_of(one.get("id")), name))
    named: dict[str, Asset] = {}
    for one in map(object_of, chain(list_of(message.get("files")), list_of(message.get("files_v2")))):
        name, key = text_of(one.get("file_name")) or "file", text_of(one.get("file_uuid"))
        named.setdefault(key or name, Asset(key, name))
    blocks = [part for block in list_of(message.get("content")) for part in _read_block(object_of(block), lacking)]
    text = text_of(message.get("text"))
    if text and not any(isinstance(part, Text) for part in blocks):
        blocks.append(Text(text))
    return [*files, *named.values(), *blocks]


def _read_block(block: dict[str, Any], lacking: Counter[str]) -> list[ForeignPart]:
    match block.get("type"):
        case "text" | "voice_note":
            text = text_of(block.get("text"))
            return [Text(text)] if text else []
        case "thinking":
            text = text_of(block.get("thinking"))
            return [Thinking(text)] if text else []
        case "tool_use":
            written = json.dumps(object_of(block.get("input")), ensure_ascii=False)
            return [ToolCall(text_of(block.get("id")), text_of(block.get("name")) or "tool", text_of(written), True)]  # noqa: FBT003
        case "tool_result":
            content = block.get("content")
            pieces = [content] if isinstance(content, str) else [_describe(object_of(one)) for one in list_of(content)]
            words = "\n".join(filter(None, map(text_of, pieces)))
            failed = block.get("is_error") is True
            return [ToolResult(text_of(block.get("tool_use_id")), (Text(words),) if words else (), is_error=failed)]
        case "token_budget" | "flag":
            return []
        case other:
            lacking[f"contents of the type “{text_of(other)[:60]}”"] += 1
            return []


def _describe(piece: dict[str, Any]) -> str:
    """What a piece of a result says. Of a page that was found: its title and address."""
    found = " ".join(filter(None, (text_of(piece.get("title")), text_of(piece.get("url")))))
    return text_of(piece.get("text")) or found
