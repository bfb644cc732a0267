"""What a browser says over the live socket, read and bounded. Pure; the protocol is docs/live-socket.md.

>>> read_message('{"type":"draft","text":"Hello"}')
Draft(text='Hello')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import orjson

from app.runs.composing import UTC_ZONE, Look

MOST_CHARACTERS = 4_000_000
"""Of a message: a longer draft than any model reads."""
LONGEST_NAME = 300
LONGEST_FILTER = 20_000
"""Far more than a filter may have; what is between is refused by its parser, in words."""
LARGEST_POSITION = 2**53 - 1
MOST_MESSAGES = 300
PER_SECONDS = 10.0
"""So many messages in so long: five times what a page sends for somebody who types and changes filters at once."""


class MessageError(Exception):
    """A message that no page sends. `code` is the one the connection is closed with."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


NOT_UNDERSTOOD = 4400
TOO_LARGE = 4413
TOO_MANY = 4429


@dataclass(frozen=True, slots=True)
class View:
    """Look at the conversation like this from now on."""

    look: Look


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the composer."""

    text: str


@dataclass(frozen=True, slots=True)
class Have:
    """The browser has read older pages: it has all pairs in view from this position on."""

    position: int


@dataclass(slots=True)
class Pace:
    """Counts messages, so that nobody keeps the server busy with nothing."""

    _since: float = field(default=float("-inf"), init=False)
    _count: int = field(default=0, init=False)

    def count(self, now: float) -> None:
        """One more message at this time, in seconds.

        Raises:
            MessageError: there were too many of late.
        """
        if now - self._since > PER_SECONDS:
            self._since, self._count = now, 0
        self._count += 1
        if self._count > MOST_MESSAGES:
            raise MessageError(TOO_MANY, "too many messages")


def read_message(text: str | None) -> View | Draft | Have:
    """The message.

    Raises:
        MessageError: it is none.
    """
    if text is None:
        raise _not_understood("messages are text")
    if len(text) > MOST_CHARACTERS:
        raise MessageError(TOO_LARGE, "a message is too large")
    try:
        said: Any = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise _not_understood("it is not JSON") from None
    if not isinstance(said, dict):
        raise _not_understood("it is no object")
    match cast("dict[str, Any]", said):
        case {"type": "view"}:
            return View(read_look(cast("dict[str, Any]", said)))
        case {"type": "draft", "text": str(draft)}:
            return Draft(draft)
        case {"type": "have", "from": int(position)} if 0 <= position <= LARGEST_POSITION:
            return Have(position)
        case _:
            raise _not_understood("docs/live-socket.md knows no such message")


def read_look(said: Mapping[Any, Any]) -> Look:
    """How the browser looks at the conversation: a message's fields, or the parameters of the address.

    Raises:
        MessageError: a field is not what it must be.
    """
    return Look(
        filter=_text(said, "filter", LONGEST_FILTER),
        model=_text(said, "model", LONGEST_NAME) or None,
        topic=_text(said, "topic", LONGEST_NAME) or None,
        zone=_text(said, "zone", LONGEST_NAME) or UTC_ZONE,
    )


def _text(said: Mapping[Any, Any], name: str, longest: int) -> str | None:
    value = said.get(name)
    if value is not None and not isinstance(value, str):
        raise _not_understood(f"{name} is no text")
    if value is not None and len(value) > longest:
        raise MessageError(TOO_LARGE, f"{name} is too long")
    return value


def _not_understood(why: str) -> MessageError:
    return MessageError(NOT_UNDERSTOOD, f"a message was not understood: {why}")
