"""A share: which part of a conversation its link shows, for how long, and what is never in it.

The link has a token of 256 random bits; only its hash is stored, so that who reads the database cannot open a share.

    >>> hash_token("token")[:8]
    '3c469e9d'
    >>> require_choice(ShareChoice(author="Ada"))
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Final

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import File, Part, TextFile, Thinking, ToolCall, ToolResult
from app.domain.errors import InputError
from app.domain.privacy.redaction import redact_part, redact_text

TOKEN_BYTES: Final = 32
"""Random bytes of a link."""
TOKEN: Final = re.compile(r"[\w-]{43}", re.ASCII)
"""What a token looks like: its bytes in base64 for addresses."""
MAX_AUTHOR: Final = 100
"""Characters of the name that a person lets stand on a share."""
DEFAULT_HOURS: Final = 7 * 24
MAX_HOURS: Final = 365 * 24
"""Hours after which a link is not good any more, at most."""
MAX_PAGE_BYTES: Final = 20 * 1024 * 1024
"""Bytes of a page with its images. Larger ones are slow on a phone, and a filter makes them smaller."""


@dataclass(frozen=True, slots=True)
class ShareChoice:
    """What a person lets be seen beside requests and replies. `author`: a name to stand on the page, "" for none.

    `cost`: what the provider counted of each reply and what that came to, and the sum of it.
    """

    system_prompt: bool = False
    thinking: bool = False
    tools: bool = False
    author: str = ""
    cost: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """A link that was made. `pairs` are how many it shows, `views` how often the page was opened."""

    id: str
    owner: str
    conversation_id: str
    title: str
    choice: ShareChoice
    pairs: int
    created_at: datetime
    expires_at: datetime
    views: int = 0


def hash_token(token: str) -> str:
    """What is stored of a token: its SHA-256 in hex. It is random, so it needs no salt."""
    return sha256(token.encode()).hexdigest()


def require_choice(choice: ShareChoice) -> None:
    """Refuse a name that could not stand on a page.

    Raises:
        InputError: it has more than one line, or is too long.
    """
    if len(choice.author) > MAX_AUTHOR:
        raise InputError("author", f"has {len(choice.author)} characters; {MAX_AUTHOR} is the most.")
    if any(unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} for sign in choice.author):
        raise InputError("author", "has a line break or a control character. Write it on one line.")


def require_hours(hours: int) -> None:
    """Refuse a time that a link cannot have.

    Raises:
        InputError: it is none, or too long.
    """
    if not 1 <= hours <= MAX_HOURS:
        raise InputError("hours", f"is {hours:,}. A link is good for 1 to {MAX_HOURS:,} hours.")


def shared_parts(parts: tuple[Part, ...], choice: ShareChoice) -> tuple[Part, ...]:
    """The parts of a message that are shared: without secrets, and without what was not chosen."""
    return tuple(_select(parts, choice))


def count_secrets(pair: Pair, choice: ShareChoice) -> int:
    """How many secrets of a pair stand as marks on its share."""
    messages = [pair.request, *([pair.reply] if pair.reply else [])]
    parts = [part for message in messages for part in message.parts if _is_chosen(part, choice)]
    return sum(len(redact_part(part).kinds) for part in parts)


def shared_title(title: str) -> str:
    """The title as it is shared."""
    return redact_text(title).text


def _select(parts: tuple[Part, ...], choice: ShareChoice) -> Iterator[Part]:
    for part in parts:
        if _is_chosen(part, choice):
            shown = redact_part(part).part
            yield replace(shown, name=_base_name(shown.name)) if isinstance(shown, File | TextFile) else shown


def _is_chosen(part: Part, choice: ShareChoice) -> bool:
    match part:
        case Thinking():
            return choice.thinking and not part.redacted
        case ToolCall() | ToolResult():
            return choice.tools
        case _:
            return True


def _base_name(name: str) -> str:
    """The name of a file without the folders before it."""
    return redact_text(name.replace("\\", "/").rpartition("/")[2]).text
