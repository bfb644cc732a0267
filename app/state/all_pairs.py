"""The page of all pairs: those of all conversations that a filter selects, and a new conversation made of some.

    await tab.send(AllPairsState.enter, line="c'budget' d<30d")
    await tab.send(AllPairsState.tick, pair_id=pair_id, ticked=True)
    await tab.send(AllPairsState.begin_conversation)

Not the filter of one conversation (`filters/`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import plain_text
from app.domain.errors import InviewError
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.filters.across import FoundPairs, begin_with_copies, check_across, find_pairs
from app.runs.filters.filter_commands import list_filters
from app.runs.filters.selection_price import SelectionWeight, weigh_selection
from app.runs.send.context_selection import UTC_ZONE
from app.runs.workbench import current
from app.state.address import conversation_path, pair_path
from app.state.faults import describe_fault
from app.state.filters.applied import MAX_FILTER, PARAMETER, FilterState
from app.state.inputs import text_in, whole_in, zone_in
from app.state.titles import name_of
from app.state.toasts import show_fault, show_toast
from app.store.index.owner_pairs import PairPlace
from app.views.composition import describe_cost
from app.views.conversation import cut_snippet
from app.views.figures import money, number, plural
from app.views.screen.filter_line import LineFeedbackView, MistakeView, show_line, show_mistake

PAGE: Final = 50
"""Pairs shown at first, and added by each "Show older"."""
MAX_SHOWN: Final = 1_000
"""Pairs shown at most: who wants to go further back narrows the filter."""

_MAX_ID: Final = 64
_NOTHING: Final = LineFeedbackView()


@dataclass(frozen=True, slots=True)
class FoundPairItem:
    """A pair of the list: the beginnings of what was asked and answered, in which conversation, and its address.

    `at` is when it was first sent, ISO 8601; `about` names its model, its topic and its stars.
    """

    id: str
    asked: str
    answered: str
    conversation: str
    path: str
    at: str
    about: str


class AllPairsState(rx.State):
    """`pairs` are the newest that `filter` selects; `description` says it in plain words. `more`: there are older ones.

    `searching`: pairs are being read. `refusal` is why the line used last is not in force, None if it is. `feedback` is
    about the line while it is typed, `past` are lines used before, None until they were asked for. `done` grows when a
    line is put in force, `steps` when a person did it. `read` is the address read last: its page and its filter.
    `selected` are the ticked ones, `weight` says how many tokens they have and what reading them costs, "" until that
    is known; `turn` grows when all are ticked or none.
    """

    filter: rx.Field[str] = rx.field("")
    description: rx.Field[str] = rx.field("")
    refusal: rx.Field[MistakeView | None] = rx.field(None)
    feedback: rx.Field[LineFeedbackView] = rx.field(default_factory=lambda: _NOTHING)
    past: rx.Field[tuple[str, ...] | None] = rx.field(None)
    done: rx.Field[int] = rx.field(0)
    steps: rx.Field[int] = rx.field(0)
    read: rx.Field[str] = rx.field("")
    pairs: rx.Field[tuple[FoundPairItem, ...]] = rx.field(())
    more: rx.Field[bool] = rx.field(default=False)
    searching: rx.Field[bool] = rx.field(default=False)
    loaded: rx.Field[bool] = rx.field(default=False)
    selected: rx.Field[tuple[str, ...]] = rx.field(())
    turn: rx.Field[int] = rx.field(0)
    weight: rx.Field[str] = rx.field("")
    beginning: rx.Field[bool] = rx.field(default=False)
    _place: PairPlace | None = None
    _search: int = 0  # of a newer search an older one knows nothing
    _typed: int = 0

    @rx.event(background=True)
    async def load(self) -> None:
        """Show the pairs that the address asks for."""
        async with self:
            asked = text_in(parse_qs(self.router.url.query).get(PARAMETER, [""])[0], MAX_FILTER) or ""
            self.read = f"{self.router.url.path} {asked}"
            self.feedback, self.beginning = _NOTHING, False
        await self._use(asked)

    @rx.event
    async def begin(self) -> None:
        """The line is entered: offer what was used before."""
        self.past = (await list_filters(current(), caller())).history

    @rx.event
    async def leave(self) -> None:
        """The line is left: what was typed is forgotten."""
        self._typed += 1
        self.feedback = _NOTHING

    @rx.event(background=True)
    async def check(self, line: str, cursor: int) -> None:
        """Say what a line means as far as it is typed; `cursor` counts the characters before it."""
        typed, at = text_in(line, MAX_FILTER), whole_in(cursor)
        if typed is None or at is None:
            return
        async with self:
            self._typed += 1
            number = self._typed
        try:
            feedback = show_line(typed, await check_across(current(), caller(), typed, cursor=at))
        except InviewError as error:
            feedback = show_mistake(typed, error)
        async with self:
            if number == self._typed:
                self.feedback = feedback

    @rx.event(background=True)
    async def enter(self, line: str) -> None:
        """Show the pairs that this line selects."""
        typed = text_in(line, MAX_FILTER)
        if typed is None:
            return
        await self._use(typed.strip(), steps=1)

    @rx.event(background=True)
    async def clear(self) -> None:
        """Show all pairs."""
        await self._use("", steps=1)

    @rx.event(background=True)
    async def show_more(self) -> None:
        """Show older pairs below."""
        async with self:
            line, place, number = self.filter, self._place, self._search
        await self._read_on(line, place, number, len(self.pairs) + PAGE)

    @rx.event
    async def tick(self, pair_id: str, ticked: bool) -> rx.event.EventType[()] | None:
        """Select a pair, or take it out of the selection."""
        wanted = text_in(pair_id, _MAX_ID)
        if not wanted or all(pair.id != wanted for pair in self.pairs):
            return None
        others = tuple(one for one in self.selected if one != wanted)
        self.selected, self.weight = (*others, wanted) if ticked is True else others, ""
        return AllPairsState.weigh

    @rx.event
    async def tick_all(self) -> rx.event.EventType[()]:
        """Select all that are shown."""
        self.selected, self.turn, self.weight = tuple(pair.id for pair in self.pairs), self.turn + 1, ""
        return AllPairsState.weigh

    @rx.event
    async def tick_none(self) -> None:
        """Select none."""
        self.selected, self.turn, self.weight = (), self.turn + 1, ""

    @rx.event(background=True)
    async def weigh(self) -> None:
        """Say how many tokens the selected pairs have, and what reading them costs."""
        async with self:
            selected = self.selected
        try:
            weight = await weigh_selection(current(), caller(), selected) if selected else None
        except InviewError as error:
            said = describe_fault(error)
        else:
            said = "" if weight is None else _describe_weight(weight)
        async with self:
            if self.selected == selected:  # not of a selection that was changed meanwhile
                self.weight = said

    @rx.event(background=True)
    async def begin_conversation(self) -> EventSpec | None:
        """Begin a conversation with copies of the selected pairs, and open it."""
        async with self:
            if self.beginning or not self.selected:
                return None
            self.beginning, wanted = True, self.selected
        try:
            made = await begin_with_copies(current(), caller(), wanted)
        except InviewError as error:
            async with self:
                self.beginning = False
                await show_fault(self, error)
            return None
        async with self:
            self.beginning, self.selected = False, ()
            await show_toast(self, translate("all_pairs.begun", count=len(wanted)))
        return rx.redirect(conversation_path(made))

    async def _use(self, line: str, *, steps: int = 0) -> None:
        """Put a filter in force and show what it selects. If it cannot be used, what was shown stays.

        `steps`: how many steps Back has more for it.
        """
        async with self:
            self._search += 1
            number, self.searching = self._search, True
        try:
            found = await self._find(line, None)
        except InviewError as error:
            async with self:
                if number == self._search:
                    self.searching, self.loaded = False, True
                    self.refusal = show_mistake(line, error).mistake
                    self.feedback = show_mistake(line, error)
            return
        async with self:
            if number != self._search:
                return
            self.filter, self.description, self.refusal = line, found.sentence, None
            self.done, self.steps = self.done + 1, self.steps + steps
            self._take((), found)
            shown = {pair.id for pair in self.pairs}
            kept = tuple(one for one in self.selected if one in shown)
            self.weight = self.weight if kept == self.selected else ""
            self.selected = kept
        await self._read_on(line, found.next_place, number, PAGE)

    async def _read_on(self, line: str, place: PairPlace | None, number: int, wanted: int) -> None:
        """Read until so many pairs are shown, or there are no more."""
        while True:
            async with self:
                if number != self._search:
                    return
                if place is None or len(self.pairs) >= min(wanted, MAX_SHOWN):
                    self.searching, self.loaded = False, True
                    return
                self.searching = True
            found = await self._find(line, place)
            async with self:
                if number != self._search:
                    return
                self._take(self.pairs, found)
            place = found.next_place

    async def _find(self, line: str, place: PairPlace | None) -> FoundPairs:
        async with self:
            zone = zone_in((await self.get_state(FilterState)).zone) or UTC_ZONE
        return await find_pairs(current(), caller(), line, limit=PAGE, place=place, zone=zone)

    def _take(self, before: tuple[FoundPairItem, ...], found: FoundPairs) -> None:
        self.pairs = (*before, *(_show(pair, found) for pair in found.pairs))
        self._place, self.more = found.next_place, found.next_place is not None and len(self.pairs) < MAX_SHOWN


def _describe_weight(weight: SelectionWeight) -> str:
    tokens = plural(weight.tokens, "token")
    about = f"~{tokens} ± {number(round(100 * weight.band))} %" if weight.band else tokens
    cost = translate("all_pairs.price_unknown") if weight.cost is None else money(describe_cost(weight.cost))
    return translate("all_pairs.weight", tokens=about, cost=cost, model=weight.model.partition(":")[2])


def _show(pair: Pair, found: FoundPairs) -> FoundPairItem:
    topic = "" if pair.topic is None or pair.topic not in found.topics.paths else found.topics.path_text(pair.topic)
    stars = "★" * pair.stars
    answered = "" if pair.reply is None else plain_text(pair.reply.parts)
    return FoundPairItem(
        pair.id,
        cut_snippet(plain_text(pair.request.parts)),
        cut_snippet(answered),
        name_of(found.titles.get(pair.conversation_id, ""), ""),
        pair_path(pair.conversation_id, str(pair.position)),
        pair.created_at.isoformat(),
        " · ".join(part for part in (pair.model, topic, stars) if part),
    )
