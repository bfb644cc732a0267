"""The text field of the filter bar (the line): feedback while the user types, and the action of Enter.

A line is a filter, or a filter with a command (`s3 :flag`). `applied.py` applies the filter.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Mark
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import InviewError, NotFoundError
from app.domain.filters.bar.chips import (
    ChipName,
    Occurring,
    Option,
    list_options,
    list_others,
    list_terms,
    write_term,
)
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_line
from app.domain.filters.language.plain_words import search_for
from app.runs.app_context import context_for, current
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.filters.filter_commands import list_filters
from app.runs.filters.line_commands import check_line, find_occurring, run_line
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.state.filters.applied import MAX_FILTER, FilterState
from app.state.messages.answered import begin_work, end_work
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import Undo, show_toast
from app.state.tab.address import conversation_in, conversation_path
from app.state.tab.inputs import text_in, whole_in, zone_in
from app.state.tab.turns import Turns
from app.state.tab.visit import VisitedState
from app.views.conversation.marks import ChangeView
from app.views.filters.filter_chips import ChipView, show_chips
from app.views.filters.filter_line import OutcomeView
from app.views.filters.line_feedback import CommandQuestionView, LineFeedbackView, show_line, show_mistake

MAX_UNDOS: Final = 50
MIN_DAY_LEFT: Final = 1_000
"""Minimum of `day_left` in milliseconds, so that a browser whose timer is early does not send many requests."""
_TURNS: Final = Turns()
_NOTHING: Final = LineFeedbackView()


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """A line that the user changed by choosing a term in a chip (a menu of the filter bar).

    `number` grows with each such line, so that the text field also notices a line that is equal to the previous one.
    `before` is the line before the change. A text field whose text differs from `before` does not take over the new
    line, because the user has typed since then.
    """

    number: int = 0
    line: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class Undoing:
    """The changes that undo a command. They are stored on the server, because they may name ten thousand pairs."""

    id: str
    conversation_id: str
    changes: tuple[PairMarks, ...]


class FilterLineState(VisitedState, FilterState):
    """The text field of the filter bar.

    - `feedback`: describes the line that the browser sent last.
    - `past`: the lines used earlier, newest first; None until they are loaded.
    - `asking`: the command that waits for the user's confirmation.
    - `written`: the line that the last choice in a chip (a menu of the filter bar) made. The text field takes it over.
    - `day_left`: the milliseconds from the loading of the chips' options until the user's day ends; 0: not known. When
      the day has ended, the option "Today" of the date chip means another day.
    """

    feedback: rx.Field[LineFeedbackView] = rx.field(default_factory=lambda: _NOTHING)
    past: rx.Field[tuple[str, ...] | None] = rx.field(None)
    asking: rx.Field[CommandQuestionView | None] = rx.field(None)
    written: rx.Field[WrittenLine] = rx.field(default_factory=WrittenLine)
    day_left: rx.Field[int] = rx.field(0)
    _occurring: Occurring = Occurring()
    # the time when the options of the chips were loaded; the option "Today" of the date chip is the day of this time
    _read_at: datetime = datetime.fromtimestamp(0, UTC)
    _typed: str | None = None  # None if the user is not in the text field, which then shows the applied filter
    _commands: tuple[str, ...] = ()
    _undos: tuple[Undoing, ...] = ()
    _newest: int = 0

    @rx.event
    async def begin(self) -> rx.event.EventType[()]:
        """Load the lines used earlier and the chips, because the user has entered the text field."""
        await self._come()
        known = await list_filters(current(), LOCAL_OWNER)
        self.past = tuple(dict.fromkeys((*self._commands, *known.history)))
        return FilterLineState.find_chips

    @rx.event(background=True)
    async def find_chips(self) -> None:
        """Read the values that occur in the pairs of the conversation: they are the options of the chips.

        If the conversation was deleted meanwhile, there are no options.
        """
        async with self:
            conversation_id = conversation_in(self.router.url.path)
        try:
            found = await find_occurring(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
        except NotFoundError:
            found = Occurring()
        async with self:
            if conversation_in(self.router.url.path) == conversation_id:
                self._occurring = found
                self._read_day()

    @rx.event(background=True)
    async def choose_chip(self, name: str, term: str) -> None:
        """Write the term that the user chose in a chip into the line; "": remove the chip's term from the line.

        The new filter is applied at once. A command in the line is carried out only when the user presses Enter.
        """
        async with self:
            token = self.router.session.client_token
            turn = _TURNS.take(token)
        async with _TURNS.held(turn):
            await self._write_chip(name, term)

    async def _write_chip(self, name: str, term: str) -> None:
        async with self:
            known = name in set(ChipName)
            shown = self._options().get(ChipName(name), ()) if known else ()
            at = next((at for at, one in enumerate(shown) if format_filter(one.term) == term), None)
            self._read_day()  # "Today" means the day of the choice, even if the chip was drawn the day before
            options = self._options().get(ChipName(name), ()) if known else ()
            chosen = None if at is None else options[at].term
            kept = self.filter if self.view_options.filter is None else self.view_options.filter
            typed = self._typed
            before = kept if typed is None else typed
            line = _read_words(before)
            if not options or (term and chosen is None):
                return
        try:
            written = write_term(line, chosen, list_others(line, (*shown, *options)))
            if not parse_line(written).call:
                await self._apply(written)
        except InviewError as error:
            async with self:
                self._newest += 1
                self.feedback = replace(show_mistake(line, error), entered=True)
            return
        async with self:
            self.written = WrittenLine(self.written.number + 1, written, before)
            if typed is not None and self._typed == typed:
                self._typed = written

    @rx.var
    def chips(self) -> tuple[ChipView, ...]:
        """The chips of the filter bar. A chip is on while the line contains one of its terms."""
        line = self.filter if self._typed is None else self._typed
        with suppress(FilterError):
            return show_chips(self._options(), list_terms(line))
        return show_chips(self._options(), ())

    @rx.event
    async def leave(self) -> None:
        """Discard the typed text, because the user has left the text field."""
        self._leave()

    @rx.event(background=True)
    async def check(self, line: str, cursor: int) -> None:
        """Show feedback on a line while it is typed. `cursor` is the number of characters to the left of the cursor."""
        typed, at = text_in(line, MAX_FILTER), whole_in(cursor)
        if typed is None or at is None:
            return
        async with self:
            await self._come()
            self._newest += 1
            self._typed = typed
            number = self._newest
            conversation_id, options = self._place()
        feedback = await _read_line(conversation_id, typed, at, options)
        async with self:
            answered = self.feedback.line == typed and (self.feedback.answer or self.feedback.entered)
            if number == self._newest and not answered:
                self.feedback = feedback

    @rx.event(background=True)
    async def enter(self, line: str) -> EventSpec | None:
        """Apply the filter in the line, or carry out its command."""
        typed = text_in(line, MAX_FILTER)
        return None if typed is None else await self._use(typed)

    @rx.event
    async def confirm(self) -> rx.event.EventType[()] | None:
        """Start the command that the person confirmed in the dialog. `carry_out` performs it."""
        question, self.asking = self.asking, None
        if question is None:
            return None
        await begin_work(self)
        return FilterLineState.carry_out(question.line)

    @rx.event(background=True)
    async def carry_out(self, line: str) -> AsyncGenerator[EventSpec | None]:
        """Carry out a confirmed command."""
        typed = text_in(line, MAX_FILTER)
        try:
            yield None if typed is None else await self._command(typed, confirmed=True)
        finally:
            async with self:
                await end_work(self)

    @rx.event
    async def cancel(self) -> None:
        """Close the dialog that asks for confirmation, without carrying out the command."""
        self.asking = None

    @rx.event
    async def undo(self, undo_id: str) -> None:
        """Undo a command of the filter bar."""
        for one in (one for one in self._undos if one.id == undo_id):
            self._undos = tuple(other for other in self._undos if other is not one)
            ctx = await context_for(current(), one.conversation_id)
            await mark_pairs(ctx, LOCAL_OWNER, one.conversation_id, one.changes)

    async def _end_visit(self) -> None:
        self._leave()

    def _leave(self) -> None:
        self._newest += 1
        self.feedback, self.asking, self._typed = _NOTHING, None, None

    def _options(self) -> dict[ChipName, tuple[Option, ...]]:
        zone = ZoneInfo(zone_in(self.zone) or UTC_ZONE)
        return list_options(self._occurring, self._read_at.astimezone(zone).date())

    def _read_day(self) -> None:
        here = now().astimezone(ZoneInfo(zone_in(self.zone) or UTC_ZONE))
        midnight = datetime.combine(here.date() + timedelta(1), time(), here.tzinfo)
        self._read_at = here.astimezone(UTC)
        self.day_left = max(MIN_DAY_LEFT, int((midnight - self._read_at).total_seconds() * 1000) + 1)

    async def _use(self, line: str) -> EventSpec | None:
        try:
            line = _read_words(line)
            if parse_line(line).call is not None:
                return await self._command(line, confirmed=False)
            await self._put_in_force(line)
        except InviewError as error:
            async with self:
                self._newest += 1
                self.feedback = replace(show_mistake(line, error), entered=True)
            return None
        async with self:
            self._typed = None  # None, because the bar closes
            self._remember(line)
        return None

    async def _command(self, line: str, *, confirmed: bool) -> EventSpec | None:
        async with self:
            conversation_id, options = self._place()
        ctx = await context_for(current(), conversation_id)
        try:
            outcome = await run_line(ctx, LOCAL_OWNER, conversation_id, line, options, confirmed=confirmed)
        except InviewError as error:
            outcome = OutcomeView("refused", describe_fault(error), 0, (), None, None)
        async with self:
            if outcome.outcome == "ask":
                await self._come()
                self.asking = CommandQuestionView(line, outcome.message)
                return None
            if outcome.outcome != "done":
                self._newest += 1
                refused = outcome.outcome == "refused"
                self.feedback = LineFeedbackView(line, answer=outcome.message, refused=refused)
                return None
            self._commands = tuple(dict.fromkeys((line, *self._commands)))[:MAX_UNDOS]
            self._remember(line)
            self.done += 1
            await self._report(conversation_id, outcome)
        return _follow_up(outcome)

    def _remember(self, line: str) -> None:
        if line:
            self.past = (line, *(other for other in self.past or () if other != line))

    async def _report(self, conversation_id: str, outcome: OutcomeView) -> None:
        if not outcome.undo:
            await show_toast(self, outcome.message)
            return
        undoing = Undoing(new_id(), conversation_id, _read_changes(outcome.undo))
        self._undos = (*self._undos, undoing)[-MAX_UNDOS:]
        undo = cast("EventSpec", FilterLineState.undo(undoing.id))
        await show_toast(self, outcome.message, undo=Undo(undo))

    def _place(self) -> tuple[str, ViewOptions]:
        """Return the conversation on screen and its view options without the filter."""
        return conversation_in(self.router.url.path), replace(self._view_options, filter=None)


def _read_words(line: str) -> str:
    """Return a line that is not a valid filter as a filter that searches for its words.

    A valid line, and a line without words to search for, is returned unchanged.
    """
    try:
        parse_line(line)
    except FilterError:
        return search_for(line) or line
    return line


async def _read_line(conversation_id: str, line: str, cursor: int, options: ViewOptions) -> LineFeedbackView:
    try:
        ctx = await context_for(current(), conversation_id)
        return show_line(
            line, await check_line(ctx, LOCAL_OWNER, conversation_id, line, cursor=cursor, options=options)
        )
    except InviewError as error:
        return show_mistake(line, error)


def _read_changes(changes: tuple[ChangeView, ...]) -> tuple[PairMarks, ...]:
    return tuple(PairMarks(change["pair_id"], _read_marks(change)) for change in changes)


def _read_marks(change: ChangeView) -> Marks:
    given: Mapping[str, Any] = {name: value for name, value in change.items() if name != "pair_id"}
    mark = given.get("mark")
    return cast("Marks", given if mark is None else {**given, "mark": Mark(mark)})


def _follow_up(outcome: OutcomeView) -> EventSpec | None:
    """Return the browser's next step after a command: open the new conversation, or download the file."""
    if outcome.conversation_id:
        return rx.redirect(conversation_path(outcome.conversation_id))
    return rx.download(url=outcome.export_url) if outcome.export_url else None
