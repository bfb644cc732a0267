"""A conversation as another application exported it: a tree of messages, whatever the application.

    ForeignConversation("c1", "Plans", messages=(ForeignMessage("m1", None, Speaker.USER, (Text("Hi"),)),))

An edited request is a second child of the same parent, and so is a regenerated reply. A message without parts says
nothing and only holds the tree together. Pairs and versions are made of it in `tree.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from math import isfinite
from typing import Any, cast

from app.domain.conversation.parts import Text, TextFile, Thinking, ToolCall, ToolResult

MAX_TITLE = 300
_FIRST = datetime(1971, 1, 1, tzinfo=UTC)
_LARGEST = 1e20
"""Of a number that is a time in nanoseconds at most."""
_LAST = datetime(2999, 1, 1, tzinfo=UTC)


class UnreadableError(ValueError):
    """A conversation that cannot be taken. The message says why, for people."""


class Speaker(StrEnum):
    """Who speaks. Calls of tools and their results are the assistant's."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Asset:
    """An image or a file: by the `key` under which the archive has its bytes, or with its `data`."""

    key: str
    name: str
    data: bytes = field(default=b"", repr=False)


ForeignPart = Text | Thinking | ToolCall | ToolResult | TextFile | Asset


@dataclass(frozen=True, slots=True)
class Rating:
    """What a person noted at a pair. `topic` is a path, such as "AI > Planning"; "" for none."""

    stars: int = 0
    flagged: bool = False
    topic: str = ""


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    """A message. `parent` None: it begins the conversation. `model` "" where the export names none.

    `failure`: why there is no reply, "" if nothing failed. `rating` is that of the pair which this request begins.
    """

    id: str
    parent: str | None
    speaker: Speaker
    parts: tuple[ForeignPart, ...]
    created_at: datetime | None = None
    model: str = ""
    failure: str = ""
    rating: Rating = Rating()


@dataclass(frozen=True, slots=True)
class ForeignConversation:
    """A conversation. `current` is the message that the application showed last, None if it does not say.

    `lacking` counts what the export does not hold or Inview has no place for, by what it is.
    """

    id: str
    title: str
    messages: tuple[ForeignMessage, ...]
    current: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    system_prompt: str = ""
    lacking: Mapping[str, int] = field(default_factory=dict[str, int])


# --- reading what may be anything ---


def object_of(value: Any) -> dict[str, Any]:
    """The object, an empty one if it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The list, an empty one if it is none."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_of(value: Any) -> str:
    r"""The text, "" if it is none. Half a surrogate pair, which no file can hold, becomes "\ufffd".

    >>> text_of("Hi"), text_of(None)
    ('Hi', '')
    """
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def title_of(value: Any) -> str:
    """A title on one line."""
    return " ".join(text_of(value).split())[:MAX_TITLE]


def moment_of(value: Any) -> datetime | None:
    """A time, as seconds or milliseconds since 1970 or as ISO 8601 writes it; None if it is none that can be.

    >>> moment_of(1700000000), moment_of("2023-11-14T22:13:20Z") == moment_of(1700000000000.0), moment_of("soon")
    (datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=datetime.timezone.utc), True, None)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_seconds(value)
    if not isinstance(value, str):
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return None
    try:
        at = read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except OverflowError:
        return None
    return at if _FIRST <= at < _LAST else None


def _from_seconds(value: float) -> datetime | None:
    if (isinstance(value, float) and not isfinite(value)) or abs(value) > _LARGEST:
        return None
    seconds = value
    for _ in range(3):  # milliseconds, microseconds, nanoseconds
        if abs(seconds) < 1e11:
            break
        seconds /= 1000
    if not _FIRST.timestamp() <= seconds < _LAST.timestamp():
        return None
    return datetime.fromtimestamp(seconds, UTC)
