"""The filter in force on a page, with the other view options: model, topic and time zone.

A filter stands in the address (`?f=`) and is kept with its conversation. `FilterState.open` reads the address before
the conversation is followed, so the first screen is already the filtered one. Not here: the line a filter is typed in
(`line.py`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qs

import reflex as rx

from app.domain.errors import InviewError
from app.runs.filters.filter_commands import apply_filter
from app.runs.send.commands import LOCAL_OWNER
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.runs.watch.screen import Screen
from app.runs.workbench import bench_of, current
from app.state.address import conversation_in
from app.state.filters.kept_topics import read_kept
from app.state.inputs import text_in, zone_in
from app.state.watching import watcher_of
from app.views.screen.context import RefusalView

MAX_FILTER: Final = 20_000
"""Characters. Far more than a filter may have: what is shorter is refused by its parser, which says where."""
MAX_NAME: Final = 300
PARAMETER: Final = "f"
"""Of the address: the filter."""


class FilterState(rx.State):
    """`filter` is the line in force, `description` says it in plain words, `notices` which names in it mean nothing.

    `known`: the first screen of the conversation has said so. `refusal` is why the line asked for last cannot be used;
    the one in force stays. `steps` grows with each filter that a person applies: Back leads to the one before. `done`
    grows when what was entered in the filter bar is done.
    `read` is the address read last: its page and its filter, with a blank between them.
    `topic` is the id of the one chosen in the composer, "" for none. `as_of` is the instant at which ages were read
    (ISO 8601). `temporary`: the conversation is kept in memory alone.

    Kept in the browser: `zone`, the reader's time zone, because the browser takes tens of milliseconds to tell it;
    `topics`, the ids of chosen topics by conversation, as JSON (`topics/kept.py`).
    """

    filter: rx.Field[str] = rx.field("")
    description: rx.Field[str] = rx.field("")
    notices: rx.Field[tuple[str, ...]] = rx.field(())
    known: rx.Field[bool] = rx.field(default=False)
    refusal: rx.Field[RefusalView | None] = rx.field(None)
    steps: rx.Field[int] = rx.field(0)
    done: rx.Field[int] = rx.field(0)
    read: rx.Field[str] = rx.field("")
    topic: rx.Field[str] = rx.field("")
    as_of: rx.Field[str] = rx.field("")
    temporary: rx.Field[bool] = rx.field(default=False)
    zone: str = rx.LocalStorage("", name="inview.zone")
    topics: str = rx.LocalStorage("", name="inview.topics", sync=True)
    _look: ViewOptions = ViewOptions()
    _page: tuple[str, str] = ("", "")  # the conversation, and the connection on which it was opened

    @rx.event
    async def open(self) -> None:
        """Take the view options of the page: the filter of the address, else the conversation's own.

        Runs before the conversation is followed. A navigation within the page (Back, Forward, a link) that names no
        filter asks for all pairs. The address of a temporary conversation says nothing of its filter.
        """
        conversation_id = conversation_in(self.router.url.path)
        asked = _filter_in(self.router.url.query)
        self.read = f"{self.router.url.path} {asked or ''}"
        before, self._page = self._page, (conversation_id, self.router.session.session_id)
        self.temporary = bool(conversation_id) and await bench_of(current(), conversation_id) is not current()
        if self._page == before:
            if conversation_id and not (asked is None and self.temporary):
                await self._step(conversation_id, asked or "")
            return
        same = conversation_id == before[0]
        if not same:
            self.filter, self.description, self.notices, self.as_of = "", "", (), ""
        self.known, self.refusal = False, None
        self.topic = read_kept(self.topics, conversation_id)
        zone, model = zone_in(self.zone) or UTC_ZONE, self._look.model if same else None
        self._look = ViewOptions(filter=asked, model=model, topic=self.topic or None, zone=zone)

    @rx.event(background=True)
    async def clear(self) -> None:
        """Show all pairs."""
        await self._put_in_force("")

    @rx.event
    async def use_model(self, model: str) -> None:
        """Compose for this model from now on; anything but a name: for the conversation's own."""
        self._look_as(replace(self._look, model=text_in(model, MAX_NAME) or None))

    @rx.event
    async def learn_zone(self, zone: str) -> None:
        """Read dates and ages in this time zone from now on; anything but a time zone changes nothing."""
        if (known := zone_in(zone)) is not None:
            self.zone = known
            self._look_as(replace(self._look, zone=known))

    @property
    def wanted(self) -> ViewOptions:
        """How a person wants to look at the conversation."""
        return self._look

    async def _put_in_force(self, line: str) -> None:
        """Apply this filter, and close the filter bar. For background handlers. Raises as `_apply`."""
        await self._apply(line, ends=True)

    async def _apply(self, line: str, *, ends: bool = False) -> None:
        """Show what this filter selects, and keep it with the conversation. `ends`: the filter bar closes then.

        Raises:
            FilterError: it cannot be used; it says where. The one in force stays.
            InputError: the model or the time zone cannot be used.
            ConflictError: the conversation changes faster than it can be read.
        """
        async with self:
            conversation_id = conversation_in(self.router.url.path)
            look, watcher = replace(self._look, filter=line), watcher_of(self)
            self.steps += 1  # before the screen comes, which is written into the address at once
        if watcher is not None:
            await watcher.try_look(look)
        async with self:
            self._look = replace(self._look, filter=line)
            self.done += ends
        if conversation_id:
            await _keep_filter(conversation_id, line)

    async def _step(self, conversation_id: str, line: str) -> None:
        """Go to the filter that the address says now."""
        if line == self.filter and self.refusal is None:
            return
        self._look = replace(self._look, filter=line)
        with suppress(InviewError):  # the screen says what is wrong with it
            await _keep_filter(conversation_id, line)

    def _look_as(self, look: ViewOptions) -> None:
        if look == self._look:
            return
        self._look = look
        if (watcher := watcher_of(self)) is not None:
            watcher.look_as(look)


def show_filter(state: FilterState, screen: Screen, shown: Screen | None) -> None:
    """Copy what the filter line shows of a screen, as far as it is not what was shown before."""
    if shown is None or screen.refusal is not shown.refusal:
        state.refusal = screen.refusal
    context, before = screen.context, None if shown is None else shown.context
    if context is None:
        return
    if before is None or (context.filter, context.notices) != (before.filter, before.notices):
        state.filter, state.description, state.notices = context.filter, context.description, context.notices
        state.known = True
    if before is None or (context.topic, context.as_of) != (before.topic, before.as_of):
        state.topic, state.as_of = context.topic or "", context.as_of


async def _keep_filter(conversation_id: str, line: str) -> None:
    await apply_filter(await bench_of(current(), conversation_id), LOCAL_OWNER, conversation_id, line)


def _filter_in(query: str) -> str | None:
    """The filter that an address names, None if it names none.

    >>> _filter_in("f=s%3E%3D2"), _filter_in("f="), _filter_in("")
    ('s>=2', '', None)
    """
    found = parse_qs(query, keep_blank_values=True).get(PARAMETER, [])
    return text_in(found[0], MAX_FILTER) if found else None
