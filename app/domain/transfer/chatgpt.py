"""Conversations as ChatGPT's data export has them: a `mapping` of nodes, of which `current_node` was shown last.

Nobody publishes a schema. What is read here is what public descriptions of the export agree on; fields that are not
known are passed over. Contents by `content_type`:

    text, multimodal_text   texts, and pointers to images (`file-service://file-…`, `sediment://file_…`)
    code                    a call of a tool, if it is addressed to one (`recipient`)
    execution_output, tether_quote, tether_browsing_display   what a tool answered
    thoughts                reasoning
    system_error            why there is no reply

Hidden messages (`is_visually_hidden_from_conversation`, `weight` 0) say nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any, Final

from app.domain.conversation.parts import Text, Thinking, ToolCall, ToolResult
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

_POINTER: Final = re.compile(r"(?:file-service|sediment)://(file[-_][0-9A-Za-z]+)")
_CITATION: Final = re.compile(" ?\ue200[^\ue201]{0,2000}\ue201")
"""A reference to a search result, which only ChatGPT can follow, with the blank before it."""
_SPEAKERS: Final = {"user": Speaker.USER, "assistant": Speaker.ASSISTANT, "tool": Speaker.ASSISTANT}
_ANSWERS: Final = ("text", "result", "summary")
"""Fields in which a tool's answer may be."""
_INSTRUCTIONS: Final = ("user_editable_context", "model_editable_context")
"""Types of contents that a person's settings in ChatGPT become. They are hidden in the conversation."""


def is_chatgpt(item: dict[str, Any]) -> bool:
    """Whether this is a conversation of that kind."""
    return isinstance(item.get("mapping"), dict)


def read_chatgpt(item: dict[str, Any]) -> ForeignConversation:
    """A conversation.

    Raises:
        UnreadableError: it has no mapping.
    """
    if not is_chatgpt(item):
        raise UnreadableError("It has no messages: “mapping” is missing.")
    nodes = object_of(item["mapping"])
    lacking: Counter[str] = Counter()
    parents = _find_parents(nodes)
    usual = text_of(item.get("default_model_slug"))
    messages = tuple(_read_node(key, object_of(node), parents.get(key), usual, lacking) for key, node in nodes.items())
    title = title_of(item.get("title"))
    created = moment_of(item.get("create_time"))
    return ForeignConversation(
        id=text_of(item.get("conversation_id")) or text_of(item.get("id")) or f"{title}|{item.get('create_time')}",
        title=title,
        messages=messages,
        current=text_of(item.get("current_node")) or None,
        created_at=created,
        updated_at=moment_of(item.get("update_time")) or created,
        lacking=dict(lacking),
    )


def _find_parents(nodes: dict[str, Any]) -> dict[str, str]:
    """By the nodes' own word, else by that of the node which names them as its children."""
    parents: dict[str, str] = {}
    for key, node in nodes.items():
        for child in list_of(object_of(node).get("children")):
            if isinstance(child, str):
                parents.setdefault(child, key)
    for key, node in nodes.items():
        if named := text_of(object_of(node).get("parent")):
            parents[key] = named
    return parents


def _read_node(key: str, node: dict[str, Any], parent: str | None, usual: str, lacking: Counter[str]) -> ForeignMessage:
    message = object_of(node.get("message"))
    role = text_of(object_of(message.get("author")).get("role"))
    metadata = object_of(message.get("metadata"))
    speaker = _SPEAKERS.get(role, Speaker.SYSTEM)
    hidden = metadata.get("is_visually_hidden_from_conversation") is True or message.get("weight") == 0
    content = object_of(message.get("content"))
    kind = text_of(content.get("content_type"))
    if kind in _INSTRUCTIONS:
        lacking["custom instructions and memories"] += 1
    failed = kind == "system_error" and role == "assistant"
    unsaid = hidden or not message or failed or kind in _INSTRUCTIONS
    return ForeignMessage(
        id=key,
        parent=parent,
        speaker=speaker,
        parts=() if unsaid else tuple(_read_content(role, message, lacking)),
        created_at=moment_of(message.get("create_time")),
        model=text_of(metadata.get("model_slug")) or usual,
        failure=(text_of(content.get("text")) or "The reply failed.") if failed else "",
    )


def _read_content(role: str, message: dict[str, Any], lacking: Counter[str]) -> list[ForeignPart]:
    content = object_of(message.get("content"))
    kind = text_of(content.get("content_type"))
    if role == "tool":
        return _read_answer(content, lacking)
    recipient = text_of(message.get("recipient")) or "all"
    match kind:
        case "code" | "text" if recipient != "all" and role == "assistant":
            return [ToolCall("", recipient, _write_input(_words(content)), complete=True)]
        case "code":
            language = text_of(content.get("language")).replace("unknown", "")
            return _text(f"```{language}\n{text_of(content.get('text'))}\n```")
        case "thoughts":
            said = [_read_thought(object_of(one)) for one in list_of(content.get("thoughts"))]
            text = "\n\n".join(filter(None, said))
            return [Thinking(text)] if text else []
        case "reasoning_recap":
            return []
        case _:
            parts = _read_parts(content, lacking)
            if not parts and kind not in {"text", "multimodal_text", ""}:
                lacking[f"contents of the type “{kind[:60]}”"] += 1
            return _add_attachments(message, parts)


def _read_parts(content: dict[str, Any], lacking: Counter[str]) -> list[ForeignPart]:
    """Texts and images of a message."""
    read: list[ForeignPart] = []
    given = list_of(content.get("parts")) or [content.get("text")]
    for part in given:
        if isinstance(part, str):
            read += _text(_drop_citations(text_of(part), lacking))
            continue
        fields = object_of(part)
        pointer = _POINTER.match(text_of(fields.get("asset_pointer")))
        if fields.get("content_type") == "audio_transcription":
            read += _text(text_of(fields.get("text")))
        elif fields.get("content_type") == "image_asset_pointer" and pointer:
            read.append(Asset(pointer.group(1), ""))
        elif "audio" in text_of(fields.get("content_type")):
            lacking["recordings"] += 1
        elif fields:
            lacking["parts of an unknown kind"] += 1
    return read


def _add_attachments(message: dict[str, Any], parts: list[ForeignPart]) -> list[ForeignPart]:
    """The parts with the names of their files, and the files that were uploaded with a message and are no part."""
    given = [object_of(one) for one in list_of(object_of(message.get("metadata")).get("attachments"))]
    names = {key: text_of(one.get("name")) for one in given if (key := text_of(one.get("id")))}
    named = [replace(part, name=names.pop(part.key, "")) if isinstance(part, Asset) else part for part in parts]
    return [*named, *(Asset(key, name) for key, name in names.items())]


def _read_answer(content: dict[str, Any], lacking: Counter[str]) -> list[ForeignPart]:
    """What a tool answered. Images that it made stand after it, for results hold none that are not there."""
    parts = _read_parts(content, lacking)
    words = "\n".join(part.text for part in parts if isinstance(part, Text))
    words = words or next(filter(None, (text_of(content.get(name)) for name in _ANSWERS)), "")
    images = [part for part in parts if isinstance(part, Asset)]
    if not words and not images:
        return []
    failed = text_of(content.get("content_type")) == "system_error"
    return [ToolResult("", (Text(words),) if words else (), is_error=failed), *images]


def _read_thought(thought: dict[str, Any]) -> str:
    summary, content = text_of(thought.get("summary")), text_of(thought.get("content"))
    return "\n\n".join(filter(None, (f"**{summary}**" if summary else "", content)))


def _words(content: dict[str, Any]) -> str:
    return text_of(content.get("text")) or "\n".join(map(text_of, list_of(content.get("parts"))))


def _write_input(text: str) -> str:
    """The input of a call as JSON: what is none is its `code`."""
    try:
        if isinstance(json.loads(text), dict):
            return text
    except (ValueError, RecursionError):
        pass
    return json.dumps({"code": text}, ensure_ascii=False)


def _drop_citations(text: str, lacking: Counter[str]) -> str:
    kept, count = _CITATION.subn("", text)
    if count:
        lacking["citations"] += count
    return kept


def _text(text: str) -> list[ForeignPart]:
    return [Text(text)] if text else []
