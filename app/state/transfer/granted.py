"""Conversations that others share with the person: the list in the sidebar, and reading and copying one of them.

    await tab.send(GrantedState.load)
    tab.shows(GrantedState, "items")[0].by             # "ann"

The page to read is drawn when it is opened, and shows the conversation as it is stored at that moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.domain.sharing.grants import Access
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.transfer.grants import copy_granted, end_access, list_granted, read_granted, read_names
from app.runs.workbench import current
from app.state.address import conversation_path, grant_in, grant_path
from app.state.faults import describe_fault
from app.state.inputs import text_in
from app.state.titles import UNNAMED
from app.state.toasts import show_fault, show_toast
from app.views.grant import describe_granted

MAX_LISTED: Final = 5
"""In the sidebar."""
_MAX_ID: Final = 64


@dataclass(frozen=True)
class GrantedItem:
    """A conversation of another. `by` is the name of its owner, `path` where it is read; `changed_at` is ISO.

    `continuing`: it may be copied.
    """

    id: str
    name: str
    by: str
    path: str
    changed_at: str
    continuing: bool


class GrantedState(rx.State):
    """`items` are all, `newest` those in the sidebar. `reading` is the one that is read, as `page`.

    `fault` is why the one that the address names is not read.
    """

    items: rx.Field[tuple[GrantedItem, ...]] = rx.field(())
    newest: rx.Field[tuple[GrantedItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    reading: rx.Field[GrantedItem | None] = rx.field(None)
    page: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Show what others share."""
        await self._read()

    @rx.event
    async def open(self) -> None:
        """Read the one that the address names, if it names one."""
        self.reading, self.page, self.fault = None, "", ""
        await self._read()
        grant_id = grant_in(self.router.url.query)
        if not grant_id:
            return
        try:
            found = await read_granted(current(), caller(), grant_id)
        except InviewError as error:
            self.fault = describe_fault(error)
            return
        self.reading = next((item for item in self.items if item.id == grant_id), None)
        self.page = found.shown.page

    @rx.event
    async def copy(self, grant_id: str) -> rx.event.EventType[()] | None:
        """Continue a conversation in a copy, and go there."""
        try:
            made = await copy_granted(current(), caller(), text_in(grant_id, _MAX_ID) or "")
        except InviewError as error:
            await show_fault(self, error)
            return None
        return rx.redirect(conversation_path(made.id))

    @rx.event
    async def leave(self, grant_id: str) -> rx.event.EventType[()] | None:
        """Let go of the access to a conversation."""
        name = next((item.name for item in self.items if item.id == grant_id), translate(UNNAMED))
        try:
            await end_access(current(), caller(), text_in(grant_id, _MAX_ID) or "")
        except InviewError as error:
            await show_fault(self, error)
        else:
            await show_toast(self, translate("grants.left", name=name))
        self.reading, self.page = None, ""
        await self._read()
        return rx.redirect(grant_path(""))

    async def _read(self) -> None:
        wb, found = current(), ()
        if wb.settings.accounts and (found := await list_granted(wb, caller())):
            names = await read_names(wb)
            views = [describe_granted(one, names) for one in found]
            self.items = tuple(
                GrantedItem(
                    view.id,
                    view.title or translate(UNNAMED),
                    view.owner.name,
                    grant_path(view.id),
                    view.updated_at.isoformat(),
                    continuing=view.access is Access.CONTINUE,
                )
                for view in views
            )
        else:
            self.items = ()
        self.newest, self.loaded = self.items[:MAX_LISTED], True
