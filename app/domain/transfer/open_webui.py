"""Chats as Open WebUI exports them: `chat.history.messages` by id, of which `currentId` was shown last.

Source: "Import & Export" in Open WebUI's documentation (the standard and the legacy form of a chat). What a model
thought stands in its text as `<details type="reasoning">`, a call of a tool as `<details type="tool_calls">` with
`arguments` and `result` as escaped JSON. Images are data URLs, or files of that server, which an
export lacks.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections import Counter
from collections.abc import Iterable
from html import unescape
from typing import Any, Final

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

_DATA_URL: Final = re.compile(r"data:image/[a-z+.-]+;base64,", re.IGNORECASE)
_BLOCK: Final = re.compile('<details type="(?P<type>reasoning|tool_calls)"(?P<rest>[^>]*)>')
_ATTRIBUTE: Final = re.compile('([a-z]+)="([^"]*)"')
_END: Final = "</details>"
_SPEAKERS: Final = {"system": Speaker.SYSTEM, "user": Speaker.USER}


def is_open_webui(item: dict[str, Any]) -> bool:
    """Whether this is a chat of that kind."""
    chat = _chat_of(item)
    return isinstance(object_of(chat.get("history")).get("messages"), dict) or isinstance(chat.get("messages"), list)


def read_open_webui(item: dict[str, Any]) -> ForeignConversation:
    """A chat.

    Raises:
        UnreadableError: it has no messages.
    """
    if not is_open_webui(item):
        raise UnreadableError("It has no messages: “chat.history.messages” is missing.")
    chat = _chat_of(item)
    history = object_of(chat.get("history"))
    by_id = object_of(history.get("messages"))
    lacking: Counter[str] = Counter()
    usual = next((text_of(one) for one in list_of(chat.get("models")) if text_of(one)), "")
    if by_id:
        given = [(key, object_of(one), text_of(object_of(one).get("parentId")) or None) for key, one in by_id.items()]
    else:
        given = list(_follow(list_of(chat.get("messages"))))
    created = moment_of(item.get("created_at")) or moment_of(chat.get("timestamp"))
    title = title_of(item.get("title")) or title_of(chat.get("title"))
    return ForeignConversation(
        id=text_of(item.get("id")) or text_of(chat.get("id")) or f"{title}|{created}|{len(given)}",
        title=title,
        messages=tuple(_read(key, message, parent, usual, lacking) for key, message, parent in given),
        current=text_of(history.get("currentId")) or None,
        created_at=created,
        updated_at=moment_of(item.get("updated_at")) or created,
        system_prompt=text_of(object_of(chat.get("params")).get("system")) or text_of(chat.get("system")),
        lacking=dict(lacking),
    )


def _chat_of(item: dict[str, Any]) -> dict[str, Any]:
    return object_of(item.get("chat")) or item


def _follow(messages: list[Any]) -> Iterable[tuple[str, dict[str, Any], str | None]]:
    """A list of messages, each below the one before it."""
    before: str | None = None
    for number, one in enumerate(map(object_of, messages)):
        key = f"message {number}"
        yield key, one, before
        before = key


def _read(key: str, message: dict[str, Any], parent: str | None, usual: str, lacking: Counter[str]) -> ForeignMessage:
    speaker = _SPEAKERS.get(text_of(message.get("role")), Speaker.ASSISTANT)
    files = [part for one in list_of(message.get("files")) for part in _read_file(object_of(one))]
    return ForeignMessage(
        id=key,
        parent=parent,
        speaker=speaker,
        parts=(*files, *_read_content(message.get("content"), speaker, lacking)),
        created_at=moment_of(message.get("timestamp")),
        model=text_of(message.get("model")) or usual,
        failure=_read_failure(message.get("error")) if speaker is Speaker.ASSISTANT else "",
    )


def _read_content(content: Any, speaker: Speaker, lacking: Counter[str]) -> list[ForeignPart]:
    if isinstance(content, str):
        text = text_of(content)
        return list(_split_blocks(text)) if speaker is Speaker.ASSISTANT else [Text(text)] if text else []
    read: list[ForeignPart] = []
    for piece in map(object_of, list_of(content)):
        address = text_of(object_of(piece.get("image_url")).get("url"))
        if text := text_of(piece.get("text")):
            read.append(Text(text))
        elif address:
            read.append(_read_image(address))
        else:
            lacking[f"contents of the type “{text_of(piece.get('type'))[:60]}”"] += 1
    return read


def _split_blocks(text: str) -> Iterable[ForeignPart]:
    """The text, with what was thought and the calls of tools taken out of it."""
    place = 0
    while found := _BLOCK.search(text, place):
        end = text.find(_END, found.end())
        if end < 0:
            break
        if before := text[place : found.start()].strip("\n"):
            yield Text(before)
        inside = text[found.end() : end].strip()
        if inside.startswith("<summary>") and "</summary>" in inside:
            inside = inside.partition("</summary>")[2].strip()
        if found["type"] == "reasoning":
            thought = "\n".join(line.removeprefix(">").removeprefix(" ") for line in unescape(inside).split("\n"))
            yield from [Thinking(thought)] if thought else []
        else:
            yield from _read_call(dict(_ATTRIBUTE.findall(found["rest"])), unescape(inside))
        place = end + len(_END)
    rest = text[place:].lstrip("\n") if place else text
    if rest:
        yield Text(rest)


def _read_call(attributes: dict[str, str], inside: str) -> Iterable[ForeignPart]:
    """A call of a tool and what it answered, which stands in an attribute or, since 2026, inside the block."""
    key = unescape(attributes.get("id", ""))
    arguments = _read_json(unescape(attributes.get("arguments", "")))
    given = object_of(arguments) if isinstance(arguments, dict) or not arguments else {"arguments": arguments}
    name = unescape(attributes.get("name", "")) or "tool"
    yield ToolCall(key, name, text_of(json.dumps(given, ensure_ascii=False)), complete=True)
    answer = _read_json(unescape(attributes.get("result", "")) or inside)
    words = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    if attributes.get("done") != "false":
        yield ToolResult(key, (Text(text_of(words)),) if words else ())


def _read_json(text: str) -> Any:
    """The value of a JSON text, of one that is itself within a JSON text, or the text."""
    value: Any = text
    for _ in range(2):
        if not isinstance(value, str):
            break
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            break
    return value


def _read_file(file: dict[str, Any]) -> Iterable[ForeignPart]:
    inner = object_of(file.get("file"))
    name = text_of(file.get("name")) or text_of(inner.get("filename")) or "file"
    address = text_of(file.get("url"))
    if file.get("type") == "image":
        yield _read_image(address)
    elif text := text_of(object_of(inner.get("data")).get("content")) or text_of(file.get("content")):
        yield TextFile(name, text)
    elif file:
        yield Asset(text_of(file.get("id")), name)


def _read_image(address: str) -> Asset:
    """An image: its bytes if they are in the address."""
    found = _DATA_URL.match(address)
    if found is None:
        return Asset("", "image")
    try:
        return Asset("", "image", b64decode(address[found.end() :], validate=True))
    except (NotBase64, ValueError):
        return Asset("", "image")


def _read_failure(error: Any) -> str:
    if not error:
        return ""
    inner = object_of(error)
    return text_of(error) or text_of(inner.get("content")) or text_of(inner.get("detail")) or "The reply failed."
