"""Reply deltas: what each part of a reply gained between two points of time.

    >>> [delta.text for delta in list_deltas((Text("Hel"),), (Text("Hello"), Text("!")))]
    ['lo', '!']

Not here: the log of a run with its positions (`run_log.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.conversation.parts import Part, Text, Thinking, ToolCall


@dataclass(frozen=True, slots=True)
class Delta:
    """What a part gained: `text` of it (a call's input), and of the `signature` of thinking. `opened`: it is new."""

    index: int
    part: Part
    opened: bool
    text: str
    signature: str = ""


def list_deltas(before: tuple[Part, ...], after: tuple[Part, ...]) -> Iterator[Delta]:
    """What `after`, which only grew at its end, has that `before` had not."""
    for index in range(max(0, len(before) - 1), len(after)):
        part, opened = after[index], index >= len(before)
        old = None if opened else before[index]
        if part != old:
            signature = _signature(part)[len(_signature(old)) :]
            yield Delta(index, part, opened, _text(part)[len(_text(old)) :], signature)


def _text(part: Part | None) -> str:
    match part:
        case Text() | Thinking():
            return part.text
        case ToolCall():
            return part.input_json
        case _:
            return ""


def _signature(part: Part | None) -> str:
    return part.signature or "" if isinstance(part, Thinking) else ""
