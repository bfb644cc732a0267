"""The growth of a reply between two states of its run: the text that was appended to its last part, and new parts.

Storing or showing the growth is much less work than storing or showing the whole reply. To find the growth, no text is
compared: in a run, only the last part changes, and the text of this part only grows at its end.

>>> from app.domain.run.run import RunStart
>>> before = RunState(RunStart("r1", "p1", "c1", "offline:demo", "hash"), parts=(Text("one"),))
>>> growth = describe_growth(before, replace(before, parts=(Text("one, two"),)))
>>> growth
Growth(kept=1, text=', two', parts=())
>>> apply_growth((Text("one"),), growth)
(Text(text='one, two'),)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.conversation.parts import Part, Text, Thinking, ToolCall
from app.domain.run.run import RunState


@dataclass(frozen=True, slots=True)
class Growth:
    """The difference between two states of a reply.

    The first `kept` parts stay. `text` is appended to the text of the last kept part or, for a tool call, to its input.
    `parts` are added after them.
    """

    kept: int
    text: str
    parts: tuple[Part, ...]

    @property
    def unchanged(self) -> int:
        """The number of parts at the beginning of the reply that did not change."""
        return self.kept - 1 if self.text else self.kept


def describe_growth(before: RunState | None, after: RunState) -> Growth:
    """Return the growth of the reply from `before` to `after`, a later state of the same run.

    If the last part changed in any way except added text, it is included whole. If `before` is None, or if one of the
    states was read from the store and not derived from the other, the whole reply is included.
    """
    if before is None or not before.parts or before.start is not after.start:
        return Growth(0, "", after.parts)
    kept = len(before.parts)
    added = _find_added(before.parts[-1], after.parts[kept - 1])
    return Growth(kept - 1, "", after.parts[kept - 1 :]) if added is None else Growth(kept, added, after.parts[kept:])


def apply_growth(parts: tuple[Part, ...], growth: Growth) -> tuple[Part, ...]:
    """Return the parts of a reply after it has grown by `growth`.

    Raises:
        ValueError: `growth` does not fit these parts.
    """
    if growth.kept > len(parts):
        raise ValueError(f"{growth.kept} parts were kept of {len(parts)}")
    kept = parts[: growth.kept]
    if not growth.text:
        return (*kept, *growth.parts)
    match kept[-1:]:
        case (Text() | Thinking() as last,):
            return (*kept[:-1], replace(last, text=last.text + growth.text), *growth.parts)
        case (ToolCall() as last,):
            return (*kept[:-1], replace(last, input_json=last.input_json + growth.text), *growth.parts)
        case _:
            raise ValueError("the continued part is not text")


def _find_added(before: Part, after: Part) -> str | None:
    """Return the text that was appended to a part of a run; None if something else of the part changed."""
    if before is after:
        return ""
    match before, after:
        case Text(), Text():
            return after.text[len(before.text) :]
        case Thinking(), Thinking() if (before.signature, before.vendor) == (after.signature, after.vendor):
            return after.text[len(before.text) :]
        case ToolCall(), ToolCall() if before.complete == after.complete:
            return after.input_json[len(before.input_json) :]
        case _:
            return None
