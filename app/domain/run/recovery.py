"""Recovery: an open page sends back text of a reply that it still shows, but that the server lost in a crash.

    >>> recover_parts((Text("one"),), (ShownPart("text", "one, two"),))
    (Text(text='one, two'),)

Only text and unsigned thinking are accepted from a page, never tool calls or tool results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.domain.conversation.page_bytes import measure_parts
from app.domain.conversation.parts import Part, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ConflictError, ErrorClass, Failure
from app.domain.run.reply_size import MAX_REPLY_BYTES
from app.domain.run.run import Failed, RunState

MAX_PARTS: Final = 2_000

_TYPES: Final[dict[type[Part], str]] = {
    Text: "text",
    Thinking: "thinking",
    ToolCall: "tool_call",
    ToolResult: "tool_result",
}


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A part of a reply in the form that a page shows. `text` is "" if the `type` is neither text nor thinking."""

    type: str
    text: str


class RecoveryRefusedError(ConflictError):
    """Error: the text from a page was refused. The stored reply does not change."""


def recover_reply(state: RunState, shown: Sequence[ShownPart]) -> RunState:
    """Return an interrupted run with the longer reply that a page shows. The run's failure counts the added characters.

    Raises:
        RecoveryRefusedError: the run was not interrupted, or the shown reply does not continue the stored one.
    """
    if not isinstance(state.outcome, Failed) or state.outcome.reason.error_class is not ErrorClass.INTERRUPTED:
        raise RecoveryRefusedError("The reply was not interrupted.")
    parts = recover_parts(state.parts, shown)
    gained = measure_parts(parts) - measure_parts(state.parts)
    return replace(state, parts=parts, outcome=Failed(describe_recovered(state.outcome.reason, gained)))


def recover_parts(stored: tuple[Part, ...], shown: Sequence[ShownPart]) -> tuple[Part, ...]:
    """Return the stored parts, extended by the text and thinking that the page shows after them.

    Raises:
        RecoveryRefusedError: the shown parts differ from the stored ones, add nothing, or are too large.
    """
    _check_size(shown)
    if len(shown) < len(stored):
        raise RecoveryRefusedError("The page shows less than is stored.")
    parts = [
        _continue_part(part, one, last=at == len(stored) - 1)
        for at, (part, one) in enumerate(zip(stored, shown, strict=False))
    ]
    if not stored or isinstance(stored[-1], Text | Thinking):
        for one in shown[len(stored) :]:
            if one.type not in {"text", "thinking"} or not one.text:
                break
            parts.append(Text(one.text) if one.type == "text" else Thinking(one.text))
    if tuple(parts) == stored:
        raise RecoveryRefusedError("The page shows no more than is stored.")
    return tuple(parts)


def describe_recovered(reason: Failure, characters: int) -> Failure:
    """Return the failure of an interrupted reply, with the number of characters that an open page sent back."""
    recovered = reason.recovered + characters
    last = "The last character was" if recovered == 1 else f"The last {recovered:,} characters were"
    return replace(
        reason,
        recovered=recovered,
        next_step=f"{last} recovered from an open page; what came after may be missing. Send again for all of it.",
    )


def _continue_part(stored: Part, shown: ShownPart, *, last: bool) -> Part:
    if shown.type != _TYPES.get(type(stored)):
        raise RecoveryRefusedError("The page shows different parts from the stored ones.")
    if not isinstance(stored, Text | Thinking) or shown.text == stored.text:
        return stored
    is_open = last and (isinstance(stored, Text) or not (stored.signature or stored.redacted))
    if not is_open or not shown.text.startswith(stored.text):
        raise RecoveryRefusedError("The page shows a different text from the stored one.")
    return replace(stored, text=shown.text)


def _check_size(shown: Sequence[ShownPart]) -> None:
    try:
        size = sum(len(part.text.encode()) for part in shown)
    except UnicodeEncodeError:  # it has a lone surrogate
        raise RecoveryRefusedError("The page sent text that cannot be stored.") from None
    if len(shown) > MAX_PARTS or size > MAX_REPLY_BYTES:
        raise RecoveryRefusedError("The page sent more than the maximum size of a reply.")
