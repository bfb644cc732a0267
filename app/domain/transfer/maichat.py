"""Pairs as MaiChat's `:export json` writes them: one file, its `pairs` in the order of the screen.

Source: MaiChat's public repository (ebuyakin/maichat), `docs/history_export_spec.md`, schema version 1. MaiChat has no
conversations: a file is what its filter selected, and becomes one. A blue flag ("blue", or "b" as its store has it) is
a flag, a grey one is none.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from app.domain.conversation.parts import Text
from app.domain.transfer.foreign import (
    ForeignConversation,
    ForeignMessage,
    Rating,
    Speaker,
    UnreadableError,
    list_of,
    moment_of,
    object_of,
    text_of,
    title_of,
)

_MAX_STARS = 3


def is_maichat(item: dict[str, Any]) -> bool:
    """Whether this is a file of that kind. Inview's own, by hand, has `user_text` in its pairs."""
    pairs = list_of(item.get("pairs"))
    return bool(pairs) and ("schemaVersion" in item or "userText" in object_of(pairs[0]))


def read_maichat(item: dict[str, Any]) -> ForeignConversation:
    """All pairs of a file as one conversation.

    Raises:
        UnreadableError: it has no pairs.
    """
    if not is_maichat(item):
        raise UnreadableError("It has no pairs.")
    pairs = [object_of(one) for one in list_of(item["pairs"])]
    messages: list[ForeignMessage] = []
    before: str | None = None
    for number, pair in enumerate(pairs):
        messages += _read_pair(pair, number, before)
        before = messages[-1].id
    at = moment_of(item.get("generatedAt"))
    times = [message.created_at for message in messages if message.created_at is not None]
    wanted = title_of(item.get("filterInput")).partition(":export")[0].strip()
    named = "\n".join(text_of(pair.get("id")) or text_of(pair.get("userText")) for pair in pairs)
    return ForeignConversation(
        id=sha256(named.encode()).hexdigest(),
        title=" · ".join(filter(None, ("MaiChat", wanted, "" if at is None else f"{at:%Y-%m-%d}"))),
        messages=tuple(messages),
        created_at=min(times, default=at),
        updated_at=max(times, default=at),
    )


def _read_pair(pair: dict[str, Any], number: int, before: str | None) -> list[ForeignMessage]:
    at, model = moment_of(pair.get("createdAt")), text_of(pair.get("model"))
    stars = pair.get("stars")
    rating = Rating(
        stars=min(max(stars, 0), _MAX_STARS) if isinstance(stars, int) and not isinstance(stars, bool) else 0,
        flagged=text_of(pair.get("flagColor")) in {"blue", "b"},
        topic=text_of(pair.get("topicPath")),
    )
    asked, answered = text_of(pair.get("userText")), text_of(pair.get("assistantText"))
    failed = pair.get("errorState") is True
    failure = (text_of(pair.get("errorMessage")) or "The reply failed.") if failed else ""
    request = ForeignMessage(f"{number} request", before, Speaker.USER, (Text(asked),), at, model, rating=rating)
    reply = ForeignMessage(
        f"{number} reply", request.id, Speaker.ASSISTANT, (Text(answered),) if answered else (), at, model, failure
    )
    return [request, reply]
