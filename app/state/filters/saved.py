"""Saved filters: the list of `@names`, and the form that saves the applied filter.

Renaming a filter also changes the name wherever it is used, and a filter in use cannot be deleted. Both are done in
`runs/filters/filter_commands.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Final

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.domain.filters.saved import UNREADABLE
from app.domain.filters.saved_rules import AppliedFilter, SavedFilter, require_name
from app.runs.app_context import current
from app.runs.filters.filter_commands import (
    delete_damaged_entry,
    delete_damaged_filter,
    delete_filter,
    list_filters,
    rename_filter,
    save_filter,
)
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.filters.applied import FilterState
from app.state.messages.error_messages import describe_fault
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.visit import VisitedState

MAX_NAME: Final = 300
FIELD: Final = "filter-name"
"""The element id of the field for the name of a new filter."""
_COLUMNS: Final = {"name": "Name", "filter": "Filter"}


@dataclass(frozen=True, slots=True)
class SavedFilterItem:
    """A saved filter in the list, or a damaged entry of the filter history (without a name).

    `filter` is "" if it cannot be read as text. `damage` says which parts cannot be read, "" for none. `number` is the
    number of its row in the database.
    """

    name: str
    filter: str
    damage: str = ""
    number: int = 0


class SavedFilterState(VisitedState, FilterState):
    """The list of saved filters, which is open while `shown`.

    - `loaded`: `items` were read.
    - `damaged`: the entries of the filter history that cannot be read.
    - `renaming`: the name whose row is shown as a form, "" for none.
    - `fault`: the error above the list.
    """

    shown: rx.Field[bool] = rx.field(default=False)
    loaded: rx.Field[bool] = rx.field(default=False)
    items: rx.Field[tuple[SavedFilterItem, ...]] = rx.field(())
    damaged: rx.Field[tuple[SavedFilterItem, ...]] = rx.field(())
    renaming: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def toggle(self) -> None:
        """Open the list of saved filters, or close it."""
        await self._come()
        self.shown, self.fault, self.renaming = not self.shown, "", ""
        if self.shown:
            await self._read()

    @rx.event
    async def close(self) -> None:
        """Close the list of saved filters."""
        self._close()

    @rx.event
    async def save(self, form: dict[str, Any]) -> EventSpec | None:
        """Save the applied filter under the name in the form."""
        name = _name_in(form)
        if not self._is_free(name):
            return None
        if not await self._change(save_filter(current(), LOCAL_OWNER, name, self.filter)):
            return None
        return rx.set_value(FIELD, "")

    @rx.event
    async def begin_rename(self, name: str) -> None:
        """Show the row of the saved filter with this name as a form."""
        self.renaming, self.fault = (name, "") if any(one.name == name for one in self.items) else ("", "")

    @rx.event
    async def end_rename(self) -> None:
        """Close the form of the saved filter without renaming it."""
        self.renaming, self.fault = "", ""

    @rx.event
    async def rename(self, form: dict[str, Any]) -> None:
        """Rename a saved filter to the name in its form, also in the filters that use it."""
        old, name = self.renaming, _name_in(form)
        if name == old:
            self.renaming = ""
        elif old and self._is_free(name):
            await self._change(rename_filter(current(), LOCAL_OWNER, old, name))

    @rx.event
    async def delete(self, name: str) -> None:
        """Delete a saved filter. This is refused while a conversation or another filter uses the filter."""
        if (known := text_in(name, MAX_NAME)) is not None:
            await self._change(delete_filter(current(), LOCAL_OWNER, known))

    @rx.event
    async def delete_damaged(self, number: int) -> None:
        """Delete a saved filter that cannot be read. This is refused while a conversation or another filter uses it."""
        if (known := whole_in(number)) is not None:
            await self._change(delete_damaged_filter(current(), LOCAL_OWNER, known))

    @rx.event
    async def delete_damaged_entry(self, number: int) -> None:
        """Delete an entry of the filter history that cannot be read."""
        if (known := whole_in(number)) is not None:
            await self._change(delete_damaged_entry(current(), LOCAL_OWNER, known))

    @rx.event(background=True)
    async def use(self, name: str) -> None:
        """Apply the saved filter with this name."""
        async with self:
            known = next((one.name for one in self.items if one.name == name and not one.damage), None)
        if known is None:
            return
        try:
            await self._put_in_force(f"@{known}")
        except InviewError as error:
            async with self:
                self.fault = describe_fault(error)
            return
        async with self:
            self.shown = False

    async def _end_visit(self) -> None:
        self._close()

    def _close(self) -> None:
        self.shown, self.fault, self.renaming = False, "", ""

    async def _change(self, work: Awaitable[None]) -> bool:
        """Await a change and read the list again.

        Return True if the change was made; an error is shown above the list.
        """
        self.fault = ""
        try:
            await work
        except InviewError as error:
            self.fault = describe_fault(error)
            return False
        self.renaming = ""
        await self._read()
        return True

    def _is_free(self, name: str) -> bool:
        self.fault = ""
        try:
            require_name(name)
        except InviewError:
            self.fault = "Use only letters, digits, - and _ in a name."
        if any(one.name == name for one in self.items):
            self.fault = f"@{name} already exists. Rename or delete it first."
        return not self.fault

    async def _read(self) -> None:
        known = await list_filters(current(), LOCAL_OWNER)
        self.items, self.loaded = tuple(_item(row, row.name) for row in known.rows), True
        self.damaged = tuple(_item(row) for row in known.damaged)


def _item(row: SavedFilter | AppliedFilter, name: str = "") -> SavedFilterItem:
    damage = " ".join(f"{_COLUMNS[one.column]}: {one.sentence}" for one in row.damage)
    return SavedFilterItem(name, "" if row.filter == UNREADABLE else row.filter, damage, row.number)


def _name_in(form: object) -> str:
    typed = form.get("name") if isinstance(form, dict) else ""
    return (text_in(typed, MAX_NAME) or "").strip().removeprefix("@")
