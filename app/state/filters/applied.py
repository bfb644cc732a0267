"""The filter applied on a page, with the other view options: topic and time zone.

A filter is part of the address (`?f=`) and is stored with its conversation. `open_filter` reads the address before the
page follows the conversation, so the first screen is already filtered. The text field for filters is in `line.py`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qs, urlencode

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.filters.filter_commands import apply_filter
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import UTC_ZONE, ViewOptions
from app.runs.watch.screen import Screen
from app.state.filters.kept_topics import read_kept
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in, zone_in
from app.state.tab.tab_watchers import watcher_of
from app.views.composer.context import RefusalView

MAX_FILTER: Final = 20_000
"""Maximum number of characters of a filter that a handler accepts.

A filter may have far fewer: the parser refuses a longer one with an error that says where the mistake is.
"""
PARAMETER: Final = "f"
"""The name of the query parameter that holds the filter."""


class FilterState(rx.State):
    """The applied filter and the other view options of the conversation on screen.

    The filter:

    - `filter`: the applied filter.
    - `description`: the filter in plain words.
    - `notices`: a sentence for each name in the filter that does not exist or is ambiguous.
    - `known`: the first screen of the conversation has set these three vars.
    - `refusal`: the reason why the last filter cannot be used. The applied filter is then unchanged.
    - `steps`: grows with each filter that the user applies. The page then adds an entry to the browser's history, so
      that Back returns to the previous filter.
    - `done`: grows when the line entered in the filter bar has been carried out.
    - `read`: the last address that was read: its path and its filter, separated by a blank.

    The other options:

    - `topic`: the id of the topic chosen in the composer, "" for none.
    - `as_of`: the time that ages refer to (ISO 8601).
    - `export_query`: the part of the address of an export that selects the pairs in view.
    - `temporary`: True if the conversation is only in memory.
    - `zone`: the user's time zone. The browser stores it, because asking the browser for it takes tens of milliseconds.
    - `topics`: the ids of the chosen topics by conversation, as JSON that the browser stores (`kept_topics.py`).
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
    export_query: rx.Field[str] = rx.field("")
    temporary: rx.Field[bool] = rx.field(default=False)
    zone: str = rx.LocalStorage("", name="inview.zone")
    topics: str = rx.LocalStorage("", name="inview.topics", sync=True)
    _view_options: ViewOptions = ViewOptions()
    _page: tuple[str, str] = ("", "")  # the conversation, and the connection that opened it

    @rx.event
    async def open(self) -> None:
        """Set the view options of the page: the filter in the address, else the filter stored with the conversation.

        Runs before the page follows the conversation. A navigation within the page (Back, Forward, a link) to an
        address without a filter shows all pairs. The address of a temporary conversation does not contain its filter.
        """
        conversation_id = conversation_in(self.router.url.path)
        await self._read_address(
            temporary=bool(conversation_id) and await context_for(current(), conversation_id) is not current()
        )

    async def _read_address(self, *, temporary: bool) -> None:
        conversation_id = conversation_in(self.router.url.path)
        line = _filter_in(self.router.url.query)
        before, self._page = self._page, (conversation_id, self.router.session.session_id)
        set_changed(self, read=_name_address(self), temporary=temporary)
        if self._page == before:
            if conversation_id and not (line is None and temporary):
                await self._step(conversation_id, line or "")
            return
        if conversation_id != before[0]:
            set_changed(self, filter="", description="", notices=(), as_of="")
        set_changed(self, known=False, refusal=None, topic=read_kept(self.topics, conversation_id))
        self._view_options = ViewOptions(filter=line, topic=self.topic or None, zone=zone_in(self.zone) or UTC_ZONE)

    @rx.event(background=True)
    async def clear(self) -> None:
        """Remove the filter, so that all pairs are shown."""
        await self._put_in_force("")

    @rx.event
    async def learn_zone(self, zone: str) -> None:
        """Use this time zone for dates and ages. A value that is no time zone is ignored."""
        if (known := zone_in(zone)) is not None:
            self.zone = known
            self._set_options(replace(self._view_options, zone=known))

    @property
    def view_options(self) -> ViewOptions:
        """The view options that the user chose."""
        return self._view_options

    async def _put_in_force(self, line: str) -> None:
        """Apply this filter and close the filter bar. For background handlers.

        Raises:
            InviewError: as `_apply`.
        """
        await self._apply(line, ends=True)

    async def _apply(self, line: str, *, ends: bool = False) -> None:
        """Show the pairs that this filter selects, and store the filter. `ends`: close the filter bar.

        Raises:
            FilterError: the filter cannot be used; the error says where. The applied filter is unchanged.
            InputError: the time zone cannot be used.
            ConflictError: the conversation changes faster than it can be read.
        """
        async with self:
            conversation_id = conversation_in(self.router.url.path)
            options, watcher = replace(self._view_options, filter=line), watcher_of(self)
            self.steps += 1  # now, because the page writes the filter of the new screen into the address at once
        if watcher is not None:
            await watcher.try_options(options)
        async with self:
            self._view_options = replace(self._view_options, filter=line)
            self.done += ends
        if conversation_id:
            await _keep_filter(conversation_id, line)

    async def _step(self, conversation_id: str, line: str) -> None:
        """Apply the filter in the address that a navigation within the page has led to."""
        if line == self.filter and self.refusal is None:
            return
        self._view_options = replace(self._view_options, filter=line)
        with suppress(InviewError):  # the screen shows the reason of the error
            await _keep_filter(conversation_id, line)

    def _set_options(self, options: ViewOptions) -> None:
        if options == self._view_options:
            return
        self._view_options = options
        if (watcher := watcher_of(self)) is not None:
            watcher.set_options(options)


async def open_filter(state: FilterState, *, temporary: bool) -> None:
    """Set the view options of the page, as `FilterState.open` does. `temporary`: the conversation is only in memory."""
    await state._read_address(temporary=temporary)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


def note_address(state: FilterState) -> None:
    """Note the address of a page that is loaded. `open_filter` applies its filter."""
    set_changed(state, read=_name_address(state), known=False)  # so the page writes no other filter into it


def show_filter(state: FilterState, screen: Screen, shown: Screen | None) -> None:
    """Copy the applied filter from `screen` to `state`, if it differs from that in `shown`, the screen copied last."""
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
    set_changed(state, export_query=_write_export_query(state))


def _name_address(state: FilterState) -> str:
    return f"{state.router.url.path} {_filter_in(state.router.url.query) or ''}"


def _write_export_query(state: FilterState) -> str:
    """Return the filter and all values that it depends on, so that an export selects the pairs that are shown."""
    if not state.filter:
        return ""
    zone = state.view_options.zone
    query = {"filter": state.filter, "topic": state.topic, "zone": zone, "as_of": state.as_of}
    return urlencode({name: value for name, value in query.items() if value})


async def _keep_filter(conversation_id: str, line: str) -> None:
    await apply_filter(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id, line)


def _filter_in(query: str) -> str | None:
    """Return the filter in the query of an address, None if it has none.

    >>> _filter_in("f=s%3E%3D2"), _filter_in("f="), _filter_in("")
    ('s>=2', '', None)
    """
    found = parse_qs(query, keep_blank_values=True).get(PARAMETER, [])
    return text_in(found[0], MAX_FILTER) if found else None
