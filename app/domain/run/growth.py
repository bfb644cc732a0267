"""The growth of a reply since it was last stored. Storing the growth is much less work than storing the whole reply.

>>> growth = describe_growth((Text("one"),), (Text("one, two"),))
>>> growth
Growth(kept=1, text=', two', parts=())
>>> apply_growth((Text("one"),), growth)
(Text(text='one, two'),)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.conversation.parts import Part, Text, Thinking


@dataclass(frozen=True, slots=True)
class Growth:
    """The difference between two states of a reply.

    The first `kept` parts stay. `text` is appended to the last of them. `parts` are added after them.
    """

    kept: int
    text: str
    parts: tuple[Part, ...]


def describe_growth(before: tuple[Part, ...], after: tuple[Part, ...]) -> Growth:
    """Return the growth from `before` to `after`.

    A part that changed in any way except added text is included whole.
    """
    kept = 0
    while kept < min(len(before), len(after)) and (before[kept] is after[kept] or before[kept] == after[kept]):
        kept += 1
    if kept < min(len(before), len(after)) and (text := _find_added(before[kept], after[kept])):
        return Growth(kept + 1, text, after[kept + 1 :])
    return Growth(kept, "", after[kept:])


def apply_growth(parts: tuple[Part, ...], growth: Growth) -> tuple[Part, ...]:
    """Return the parts after this growth.

    Raises:
        ValueError: the growth does not fit these parts.
    """
    if growth.kept > len(parts):
        raise ValueError(f"{growth.kept} parts were kept of {len(parts)}")
    kept = parts[: growth.kept]
    if not growth.text:
        return (*kept, *growth.parts)
    match kept[-1:]:
        case (Text() | Thinking() as last,):
            return (*kept[:-1], replace(last, text=last.text + growth.text), *growth.parts)
        case _:
            raise ValueError("the continued part is not text")


def _find_added(before: Part, after: Part) -> str:
    """Return the text that was appended to a part; "" if nothing was, or something else differs too."""
    if not isinstance(before, Text | Thinking) or not isinstance(after, Text | Thinking):
        return ""
    if not after.text.startswith(before.text) or replace(before, text=after.text) != after:
        return ""
    return after.text[len(before.text) :]
