"""The marks of a pair: stars, flag, tag. A mark is shown at once, then stored.

If the store refuses a mark, the page shows the previous one again.

    await tab.send(MarksState.give_stars, pair_id="p1", stars=2)

Each change offers Undo in a toast. The topic of a pair is in `app/state/topics`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Mark
from app.domain.conversation.marks import MAX_STARS, Marks
from app.domain.errors import InviewError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import Everything, MarkTerm, Not, all_of, leaves
from app.runs.app_context import context_for, current
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.messages.toasts import ToastAction, Undo, show_fault, show_toast
from app.state.reply.pair_lookup import MAX_ID, find_pair_in_background
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.tab_watchers import watcher_of
from app.views.reply.pair import ScreenPairView, ShownMarks
from app.views.usage.figures import plural

_NEXT: Final[Mapping[Mark | None, Mark | None]] = MappingProxyType({None: Mark.IN, Mark.IN: Mark.OUT, Mark.OUT: None})


@dataclass(frozen=True)
class MarkTexts:
    """The texts about a changed mark, without the pair's name: for the toast, and for the message after an undo."""

    message: str
    undone: str


class MarksState(rx.State):
    """A state without vars: the handlers for marks. The marks of a pair are in its view (`TranscriptState.pairs`)."""

    @rx.event(background=True)
    async def give_stars(self, pair_id: str, stars: int) -> None:
        """Set the number of stars of a pair, 0 to 3."""
        valid_stars = whole_in(stars)
        if valid_stars is None or not 0 <= valid_stars <= MAX_STARS:
            return
        pair = await find_pair_in_background(self, pair_id)
        if pair is not None and pair.stars != valid_stars:
            stars_text = plural(valid_stars, "star") if valid_stars else "No stars"
            await self._mark(pair, {"stars": valid_stars}, MarkTexts(stars_text, f", {stars_text.lower()}"))

    @rx.event(background=True)
    async def toggle_flag(self, pair_id: str) -> None:
        """Flag the pair, or remove the flag."""
        if (pair := await find_pair_in_background(self, pair_id)) is not None:
            texts = MarkTexts("Flag removed", ", flag removed") if pair.flagged else MarkTexts("Flagged", " flagged")
            await self._mark(pair, {"flagged": not pair.flagged}, texts)

    @rx.event(background=True)
    async def cycle_mark(self, pair_id: str) -> None:
        """Change the tag of the pair to the next one: "include", "exclude", none."""
        if (pair := await find_pair_in_background(self, pair_id)) is not None:
            mark = _NEXT[pair.mark]
            offer = await self._offer_filter() if mark is Mark.OUT else None
            texts = MarkTexts("Tag removed", ", tag removed")
            if mark is not None:
                texts = MarkTexts(f"Tagged “{mark.tag}”", f" tagged “{mark.tag}”")
            await self._mark(pair, {"mark": mark}, texts, offer)

    @rx.event(background=True)
    async def take_back(self, pair_id: str, field: str, value: str | int | bool | None) -> None:
        """Set a mark (`field`) to its previous value (`value`). Undo sends this event, so no other undo is offered."""
        marks, valid_id = _read(field, value), text_in(pair_id, MAX_ID)
        if marks is not None and valid_id:
            await self._store(valid_id, marks)

    async def _offer_filter(self) -> ToastAction | None:
        """Return the toast's offer to hide the pairs with the tag "exclude", or None if it is not offered.

        It is offered only while no pair on screen has this tag yet and the filter does not use tags.
        """
        watcher = watcher_of(self)
        if watcher is None or any(pair.mark is Mark.OUT for pair in watcher.screen.pairs):
            return None
        async with self:
            line = (await self.get_state(FilterState)).filter
        shown = parse_filter(line)
        if any(isinstance(leaf, MarkTerm) for leaf in leaves(shown)):
            return None
        untagged = Not(MarkTerm(Mark.OUT))
        rest = format_filter(untagged if isinstance(shown, Everything) else all_of(shown, untagged))
        return ToastAction("Show only pairs not tagged “exclude”", cast("EventSpec", FilterLineState.enter(rest)))

    async def _mark(
        self, pair: ScreenPairView, marks: ShownMarks, texts: MarkTexts, offer: ToastAction | None = None
    ) -> None:
        (field,) = marks
        before: Any = getattr(pair, field)
        if await self._store(pair.id, marks):
            value = before.value if isinstance(before, Mark) else before
            undo = cast("EventSpec", MarksState.take_back(pair.id, field, value))
            async with self:
                taken_back = Undo(undo, f"pair {pair.position}{texts.undone}")
                await show_toast(self, f"Pair {pair.position}: {texts.message}", undo=taken_back, offer=offer)

    async def _store(self, pair_id: str, marks: ShownMarks) -> bool:
        """Store these marks and show them, if the page has the pair.

        Return False if they were refused; then the previous marks are shown.
        """
        watcher = watcher_of(self)
        pair = None if watcher is None else watcher.pair(pair_id)
        if watcher is not None:
            watcher.amend(pair_id, **marks)
        try:
            await mark_pair(await context_for(current(), pair_id), LOCAL_OWNER, pair_id, cast("Marks", marks))
        except InviewError as fault:
            if watcher is not None and pair is not None:
                watcher.amend(pair_id, **cast("ShownMarks", {field: getattr(pair, field) for field in marks}))
            async with self:
                await show_fault(self, fault)
            return False
        return True


def _read(field: object, value: object) -> ShownMarks | None:
    match field, value:
        case "stars", int(stars) if 0 <= stars <= MAX_STARS:
            return {"stars": stars}
        case "flagged", bool(flagged):
            return {"flagged": flagged}
        case "mark", None:
            return {"mark": None}
        case "mark", "in" | "out":
            return {"mark": Mark(value)}
        case _:
            return None
