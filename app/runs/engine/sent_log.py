"""Logs each message of a provider call at level `debug`: role, length and hash, never its text.

    2026-03-01T10:00:00Z debug  message sent  content_length=12 has_tool_calls=False message_index=0 role=user …

It is made of the bytes that leave, so it is true for every protocol. `sha256` is that of the message as JSON without
blanks: equal messages have equal hashes, whatever stands around them. The system text is a message where the protocol
sends it as one, and has a line of its own where it does not.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final, cast

import orjson
import structlog

from app.providers.base import WireRequest

log = structlog.get_logger()

_CALLS: Final = frozenset({"function_call", "tool_use"})
_WORDS: Final = ("text", "input", "arguments", "output", "content", "parts")


def log_sent(run_id: str, attempt: int, wire: WireRequest) -> None:
    """Log the messages of a call that is about to be made, if lines of this level are logged at all."""
    if not log.is_enabled_for(logging.DEBUG):
        return
    for index, message in enumerate(list_messages(wire.body)):
        log.debug("message sent", run_id=run_id, attempt=attempt, model=wire.model, message_index=index, **message)


def list_messages(body: bytes) -> Iterator[dict[str, Any]]:
    """Describe each message of a request's body: its role, the length of its content, its calls and its hash.

    >>> list(list_messages(b'{"messages": [{"role": "user", "content": "Hello"}]}'))[0]["content_length"]
    5
    """
    said: dict[str, Any] = orjson.loads(body)
    for name in ("system", "instructions"):
        if said.get(name):
            yield _describe({"role": "system", "content": said[name]})
    messages = said.get("messages") or said.get("input") or ()
    for message in cast("list[dict[str, Any]]", messages):
        yield _describe(message)


def _describe(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    blocks = cast("list[dict[str, Any]]", content) if isinstance(content, list) else []
    calls = bool(message.get("tool_calls")) or any(one.get("type") in _CALLS for one in (message, *blocks))
    return {
        "role": message.get("role") or message.get("type") or "",
        "content_length": _length(message if content is None else content),
        "has_tool_calls": calls,
        "sha256": sha256(orjson.dumps(message)).hexdigest(),
    }


def _length(content: Any) -> int:
    """The characters of all words in it; pictures and files have none."""
    if isinstance(content, str):
        return len(content)
    if isinstance(content, list):
        return sum(map(_length, cast("list[Any]", content)))
    if isinstance(content, dict):
        fields = cast("dict[str, Any]", content)
        return sum(_length(fields.get(name)) for name in _WORDS)
    return 0
