"""The part of a tool's result that a model gets, so that the result does not fill the model's window.

    >>> cut_result((Text("a" * 50_000),), 8_000)[1].text.strip()
    '[Cut here: 8,000 of 50,000 characters were given. Ask the tool for less, or for the part you need.]'

A result that was cut ends with a note that says how much was cut, for the model and for a person who reads the pair.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.conversation.parts import Text, ToolCall
from app.domain.privacy.secrets import MAX_KEY_BLOCK, cut_outside_secrets
from app.domain.run.run_events import ToolFinished
from app.domain.tools.tools import ToolContent, ToolOutcome

MAX_CHARACTERS = 100_000
"""Maximum number of characters of a result for a model, however large its window is."""
LEAST_CHARACTERS = 1_000
MAX_KEPT = 2_000_000
"""Maximum number of characters of a result that are stored for people to read."""
MAX_PIECES = 100


def say_result(call: ToolCall, text: str, seconds: float | None, *, denied: bool = False) -> ToolFinished:
    """Return the event that ends a tool call with an error. `text` is from Inview and is not a result of the tool.

    `denied`: a person denied the call.
    """
    return ToolFinished(call.tool_call_id, (Text(text),), is_error=True, seconds=seconds, denied=denied)


def whole_result(outcome: ToolOutcome) -> tuple[ToolContent, ...]:
    """Return the whole result of a tool call, for people.

    If the tool returned only structured content, the result is its JSON as a text.
    """
    if not outcome.content and outcome.structured_json is not None:
        return _cut((Text(outcome.structured_json),), MAX_KEPT)
    return _cut(outcome.content, MAX_KEPT)


def cut_result(content: tuple[ToolContent, ...], window: int) -> tuple[ToolContent, ...]:
    """Return the part of a tool result that a model gets. `window` is the window of the model in tokens.

    The limit is one character for each token of the window (about a quarter of the window), at least
    `LEAST_CHARACTERS` and at most `MAX_CHARACTERS`. A secret is not cut: a part of it would not be recognised, and sent
    even if secrets are replaced.
    """
    return _cut(content, max(LEAST_CHARACTERS, min(MAX_CHARACTERS, window)))


def without_attachments(outcome: ToolOutcome, why: str) -> ToolOutcome:
    """Return the outcome of a tool call with a note instead of its images and files, which could not be stored.

    `why` is the reason, which the note states.
    """
    words = tuple(piece for piece in outcome.content if isinstance(piece, Text))
    left = len(outcome.content) - len(words)
    note = Text(f"[{left} {'image or file was' if left == 1 else 'images and files were'} left out: {why}]")
    return ToolOutcome((*words, note), outcome.structured_json, outcome.is_error)


def spread_problems(problems: Iterable[tuple[str, str]]) -> str:
    """Write the problems of a tool call's arguments as a list, one per line."""
    return "\n".join(f"- {path}: {words}" if path else f"- {words}" for path, words in problems)


def _cut(content: tuple[ToolContent, ...], most: int) -> tuple[ToolContent, ...]:
    total = sum(len(piece.text) for piece in content if isinstance(piece, Text))
    if total <= most and len(content) <= MAX_PIECES:
        return content
    kept: list[ToolContent] = []
    given, is_full = 0, False
    for piece in content[:MAX_PIECES]:
        if not isinstance(piece, Text):
            kept.append(piece)
        elif not is_full:
            room = most - given
            text = cut_outside_secrets(piece.text[: room + MAX_KEY_BLOCK], room)
            if text:
                kept.append(Text(text))
            given += len(text)
            is_full = len(text) < len(piece.text) or given >= most
    note = f"[Cut here: {given:,} of {total:,} characters were given. Ask the tool for less, or for the part you need.]"
    return (*kept, Text(f"\n\n{note}"))
