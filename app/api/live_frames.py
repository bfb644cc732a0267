"""The live socket's frames: what is said to a browser, as text. Pure; `live.py` decides when.

The first character says what a frame is: `t`, `h`, `i` are text, thinking and tool input, appended to the reply that is
streaming; `p` asks for a sign of life; `{` is a control frame in JSON. The whole protocol is docs/live-socket.md.

    >>> from app.domain.run_log import LogEvent
    >>> ReplyFrames("p1").write((LogEvent(4, "text", {"index": 0, "text": "Hi"}),))
    ['tHi']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from app.api.cursors import write_pair_cursor
from app.domain.errors import InviewError
from app.domain.filters.errors import FilterError
from app.domain.parts import Part, Text, Thinking
from app.domain.run_log import LogEvent
from app.runs.composing import Composed
from app.views.composition import boundary_of, describe_estimate
from app.views.encode import to_json
from app.views.pair import PairHeadView, ScreenPairView

PING = "p"
LONGEST_PIECE = 64_000
"""Characters of a text frame at most: 256 KB in the widest script."""
WINDOW_BYTES = 256_000
"""Bytes of a window of pairs at most, unless its newest pair alone is larger."""

_UNSAID = object()
_APPENDS = {"text": "t", "thinking": "h", "tool_input": "i"}
# A part that begins like this is begun by its first text frame as well; only another kind in between says so.
_BEGUN_BY_TEXT = frozenset({"text", "thinking"})


@dataclass(slots=True)
class ReplyFrames:
    """Writes one run's log as frames. Remembers only the kind of the part that is open in the browser."""

    pair_id: str
    open_part: str = field(default="", init=False)

    def write(self, events: Sequence[LogEvent]) -> list[str]:
        """The frames for these events, without the end: that one needs the stored pair."""
        frames: list[str] = []
        for event in events:
            kind = event.kind
            if (letter := _APPENDS.get(kind)) is not None:
                frames += cut_piece(letter, event.data["text"])
            elif kind == "part_started":
                frames += self._start_part(event)
            elif kind == "tool_call":
                frames.append(control("tool_call", **_without_index(event)))
            elif kind == "tool_result":
                frames += self._tell_result(event)
            elif kind == "retry":
                frames.append(control("retry", pair_id=self.pair_id, **event.data))
        return frames

    def _tell_result(self, event: LogEvent) -> Iterable[str]:
        """The result is a part of its own; and its call has come to its end."""
        self.open_part = "tool_result"
        said = {name: event.data[name] for name in ("tool_call_id", "is_error", "seconds", "content")}
        state = "output-error" if event.data["is_error"] else "output-available"
        yield control("part", part={"type": "tool_result", **said})
        yield control("tool_call", tool_call_id=event.data["tool_call_id"], state=state)

    def _start_part(self, event: LogEvent) -> Iterable[str]:
        kind: str = event.data["type"]
        implied = kind in _BEGUN_BY_TEXT and kind != self.open_part
        self.open_part = kind
        return () if implied else (control("part", part=_without_index(event)),)


def cut_piece(letter: str, text: str) -> list[str]:
    """Text as frames, none longer than a frame may be."""
    if len(text) <= LONGEST_PIECE:
        return [letter + text]
    return [letter + text[start : start + LONGEST_PIECE] for start in range(0, len(text), LONGEST_PIECE)]


def control(kind: str, **fields: object) -> str:
    """A control frame."""
    return to_json({"type": kind, **fields}).decode()


def window_frame(pairs: Sequence[ScreenPairView], *, older: bool, **fields: object) -> tuple[str, int]:
    """The newest of these pairs that fit in one frame, and how many those are. `older`: there are still others."""
    kept: list[orjson.Fragment] = []
    size = 0
    for pair in reversed(pairs):
        written = to_json(pair)
        size += len(written)
        if kept and size > WINDOW_BYTES:
            older = True
            break
        kept.append(orjson.Fragment(written))
    cursor = write_pair_cursor("before", pairs[-len(kept)].position) if older else None
    return control("window", pairs=kept[::-1], first=older, cursor=cursor, **fields), len(kept)


def join_sizes(sizes: Mapping[int, int]) -> dict[str, list[int]]:
    """Sizes by position, as a `tokens` frame says them: those of neighbours in one list, under the first's position.

    >>> join_sizes({7: 120, 3: 40, 8: 95})
    {'3': [40], '7': [120, 95]}
    """
    runs: dict[str, list[int]] = {}
    run: list[int] = []
    last = None
    for position in sorted(sizes):
        if last is None or position != last + 1:
            run = runs[str(position)] = []
        run.append(sizes[position])
        last = position
    return runs


def view_fields(composed: Composed, topic: str | None) -> dict[str, object]:
    """What a view frame says of what is in view, without the instant at which it was read."""
    base, composition = composed.base, composed.composition
    boundary, boundary_reason = boundary_of(composition)
    return {
        "filter": base.filter,
        "model": base.profile.model,
        "topic": topic,
        "sentence": base.sentence,
        "notices": base.notices,
        "x": composition.x,
        "y": composition.y,
        "boundary": boundary,
        "boundary_reason": boundary_reason,
        "estimate": asdict(describe_estimate(composition.estimate)),
        "tools": _describe_tools(composed),
        "prelude": base.beside.prelude,
        "secrets": composed.secrets,
    }


def _describe_tools(composed: Composed) -> dict[str, object] | None:
    """How many tools go along, of how many; None where there are none to go along."""
    choice = composed.tools
    if not choice.decided:
        return None
    return {"count": len(choice.tools), "of": len(choice.decided), "able": choice.offer.able}


def view_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, object]:
    """What a view frame says of a view that is not the first: fields that are not as before, of the estimate too."""
    changes = keep_changes(before, after)
    if before.get("estimate") and "estimate" in changes:
        changes["estimate"] = keep_changes(before["estimate"], after["estimate"])
    return changes


def describe_refusal(error: InviewError) -> dict[str, object]:
    """Why a view cannot be had. Of a filter also where: `position` counts characters from 0."""
    if isinstance(error, FilterError):
        place = {"position": error.position, "found": error.found, "expected": error.expected, "hint": error.hint}
        return {"message": error.message, **place}
    return {"message": str(error), "position": None, "found": None, "expected": None, "hint": None}


def shows_as_streamed(parts: Iterable[Part]) -> bool:
    """Whether a browser that got all frames of a reply has its parts already."""
    return all(isinstance(part, Text) or (isinstance(part, Thinking) and part.text != "") for part in parts)


def end_frame(pair_id: str, begun: Mapping[str, object], over: Mapping[str, object]) -> str:
    """The end of a reply: what is not as it was when it began."""
    return control("end", pair={"id": pair_id, **keep_changes(begun, over)})


def read_fields(view: PairHeadView | ScreenPairView) -> Mapping[str, object]:
    """The fields of a view as a browser reads them."""
    return orjson.loads(to_json(view))


def keep_changes(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, object]:
    """The fields that are not as before.

    >>> keep_changes({"x": 1, "y": 2}, {"x": 1, "y": 3})
    {'y': 3}
    """
    return {name: value for name, value in after.items() if before.get(name, _UNSAID) != value}


def _without_index(event: LogEvent) -> dict[str, object]:
    return {name: value for name, value in event.data.items() if name != "index"}
