"""Describes which secrets are replaced by marks in a send: kinds, places, numbers.

>>> note_kept_back("p1", 3, (ReplacedView("AWS access key", "reply", "p1", 1),), ()).title
'Replaced when this pair is sent: AWS access key in a reply (pair 3).'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.language.translation import translate
from app.views.figures import number, plural
from app.views.pair import ReplacedView

_PLACES: Final[Mapping[str, str]] = {
    "system": "screen.kept_back.in_the_system_text",
    "request": "screen.kept_back.in_a_request",
    "reply": "screen.kept_back.in_a_reply",
    "tool_call": "screen.kept_back.in_tool_call",
    "tool_result": "screen.kept_back.in_tool_result",
}


@dataclass(frozen=True, slots=True)
class KeptBackNote:
    """What is said of a pair whose secrets go out, or went out, as marks: in short, read out, and as a title."""

    text: str
    label: str
    title: str


def describe_kept_back(one: ReplacedView, positions: Mapping[str, int]) -> str:
    """Which secrets marks stand for, and where. `positions` are those of the pairs that are known, by id."""
    count = f"{number(one.count)} \N{MULTIPLICATION SIGN} " if one.count > 1 else ""
    position = positions.get(one.pair_id or "")
    pair = " " + translate("screen.kept_back.pair", position=position) if position else ""
    return f"{count}{one.kind} {translate(_PLACES[one.place]) if one.place in _PLACES else one.place}{pair}"


def note_kept_back(
    pair_id: str, position: int, secrets: tuple[ReplacedView, ...], redacted: tuple[ReplacedView, ...]
) -> KeptBackNote | None:
    """What is said at a pair, None where nothing is kept back.

    `secrets` of it go out as marks with the next send, `redacted` did in the request that its reply answers.
    """
    told = redacted or secrets
    if not told:
        return None
    positions = {pair_id: position}
    sentences = [
        f"{words} {', '.join(describe_kept_back(one, positions) for one in replaced)}."
        for words, replaced in (
            (translate("screen.kept_back.replaced_when_sent"), redacted),
            (translate("screen.kept_back.replaced_on_send"), secrets),
        )
        if replaced
    ]
    total, title = sum(one.count for one in told), " ".join(sentences)
    return KeptBackNote(
        translate("screen.kept_back.kept_back", total=number(total)),
        translate("screen.kept_back.read_out", secrets=plural(total, "secret"), places=title),
        title,
    )
