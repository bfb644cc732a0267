"""Describes redacted secrets: their kinds, places and counts.

>>> note_kept_back("p1", 3, (ReplacedView("AWS access key", "reply", "p1", 1),), ()).title
'Redacted whenever this pair is sent: AWS access key in a reply (pair 3).'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.views.conversation.pair import ReplacedView
from app.views.usage.figures import number, plural

_PLACES: Final[Mapping[str, str]] = {
    "system": "in the system text",
    "request": "in a request",
    "reply": "in a reply",
    "tool_call": "in a tool call",
    "tool_result": "in a tool result",
}


@dataclass(frozen=True, slots=True)
class KeptBackNote:
    """The note at a pair with redacted secrets: a short `text`, a `label` for screen readers, the tooltip `title`."""

    text: str
    label: str
    title: str


def describe_kept_back(one: ReplacedView, positions: Mapping[str, int]) -> str:
    """Describe redacted secrets of one kind and their place. `positions` has the positions of known pairs by id."""
    count = f"{number(one.count)} \N{MULTIPLICATION SIGN} " if one.count > 1 else ""
    position = positions.get(one.pair_id or "")
    pair = f" (pair {position})" if position else ""
    return f"{count}{one.kind} {_PLACES.get(one.place, one.place)}{pair}"


def note_kept_back(
    pair_id: str, position: int, secrets: tuple[ReplacedView, ...], redacted: tuple[ReplacedView, ...]
) -> KeptBackNote | None:
    """Return the note at a pair; None if no secret is redacted.

    `secrets` are redacted whenever the pair is sent now, `redacted` were redacted in the request of its reply.
    """
    counted = redacted or secrets
    if not counted:
        return None
    positions = {pair_id: position}
    sentences = [
        f"{words} {', '.join(describe_kept_back(one, positions) for one in replaced)}."
        for words, replaced in (
            ("Redacted in the request of this reply:", redacted),
            ("Redacted whenever this pair is sent:", secrets),
        )
        if replaced
    ]
    total, title = sum(one.count for one in counted), " ".join(sentences)
    return KeptBackNote(f"{number(total)} redacted", f"{plural(total, 'secret')} redacted. {title}", title)
