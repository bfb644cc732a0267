"""What a model gets of what a tool gave: words for every case, and no more than it can take.

    >>> cut_result((Text("a" * 50_000),), 8_000)[1].text.strip()
    '[Cut here: 8,000 of 50,000 characters were given. Ask the tool for less, or for the part you need.]'

What is cut is said at the place of the cut, to the model and to whoever reads the pair alike.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.conversation.parts import Text, ToolCall
from app.domain.run.run import ToolFinished
from app.domain.tools.tools import ToolContent, ToolOutcome

MAX_CHARACTERS = 100_000
"""Of one result at most, whatever the model's window is."""
LEAST_CHARACTERS = 1_000
MAX_KEPT = 2_000_000
"""Characters of a result that are kept for people to read."""
MAX_PIECES = 100


def say_result(call: ToolCall, text: str, seconds: float | None, *, denied: bool = False) -> ToolFinished:
    """Inview's own result instead of a tool's: why there is none. `denied`: a person denied the call."""
    return ToolFinished(call.tool_call_id, (Text(text),), is_error=True, seconds=seconds, denied=denied)


def whole_result(outcome: ToolOutcome) -> tuple[ToolContent, ...]:
    """All that a tool gave. Where it gave structured content alone, that is its words."""
    if not outcome.content and outcome.structured_json is not None:
        return _cut((Text(outcome.structured_json),), MAX_KEPT)
    return _cut(outcome.content, MAX_KEPT)


def cut_result(content: tuple[ToolContent, ...], window: int) -> tuple[ToolContent, ...]:
    """What of it a model with such a window of tokens gets: a quarter of that at most."""
    return _cut(content, max(LEAST_CHARACTERS, min(MAX_CHARACTERS, window)))


def without_attachments(outcome: ToolOutcome, why: str) -> ToolOutcome:
    """The outcome without images and files, which could not be kept."""
    words = tuple(piece for piece in outcome.content if isinstance(piece, Text))
    left = len(outcome.content) - len(words)
    note = Text(f"[{left} {'image or file was' if left == 1 else 'images and files were'} left out: {why}]")
    return ToolOutcome((*words, note), outcome.structured_json, outcome.is_error)


def spread_problems(problems: Iterable[tuple[str, str]]) -> str:
    """What is wrong with arguments, a line each."""
    return "\n".join(f"- {path}: {words}" if path else f"- {words}" for path, words in problems)


def _cut(content: tuple[ToolContent, ...], most: int) -> tuple[ToolContent, ...]:
    total = sum(len(piece.text) for piece in content if isinstance(piece, Text))
    if total <= most and len(content) <= MAX_PIECES:
        return content
    kept: list[ToolContent] = []
    given = 0
    for piece in content[:MAX_PIECES]:
        if not isinstance(piece, Text):
            kept.append(piece)
        elif given < most:
            kept.append(Text(piece.text[: most - given]))
            given = min(most, given + len(piece.text))
    note = f"[Cut here: {given:,} of {total:,} characters were given. Ask the tool for less, or for the part you need.]"
    return (*kept, Text(f"\n\n{note}"))
