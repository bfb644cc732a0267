"""Sharing the conversation on screen with persons: who has access, giving it and ending it.

    await tab.send(GrantState.load)
    await tab.send(GrantState.give, form={"person": ben.id, "access": "read"})
    tab.shows(GrantState, "shared_with")               # "ben"

Not here: what others share with the person at this page (`granted.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import reflex as rx

from app.domain.errors import InviewError, NotFoundError
from app.domain.sharing.grants import Access
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.transfer.grants import end_access, give_access, list_access, list_people, read_names
from app.runs.workbench import bench_of, current
from app.state.address import conversation_in
from app.state.faults import describe_fault
from app.state.inputs import text_in
from app.views.grant import describe_people

ACCESS: Final = {Access.READ.value: "grants.read", Access.CONTINUE.value: "grants.continue"}
_MAX_ID: Final = 64


@dataclass(frozen=True)
class PersonItem:
    """Somebody to share with."""

    id: str
    name: str


@dataclass(frozen=True)
class GrantItem:
    """Somebody who has access. `access` says which, in words."""

    id: str
    name: str
    access: str


class GrantState(rx.State):
    """`people` are those to share with, nobody where accounts are off. `shared_with` names those with access.

    `fault` is why the last command did nothing.
    """

    people: rx.Field[tuple[PersonItem, ...]] = rx.field(())
    grants: rx.Field[tuple[GrantItem, ...]] = rx.field(())
    shared_with: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Show who has access to the conversation on screen."""
        self.fault = ""
        await self._read()

    @rx.event
    async def give(self, form: dict[str, Any]) -> None:
        """Share the conversation with a person."""
        person_id, access = text_in(form.get("person"), _MAX_ID) or "", text_in(form.get("access"), _MAX_ID) or ""
        conversation_id = conversation_in(self.router.url.path)
        self.fault = ""
        try:
            bench = await bench_of(current(), conversation_id)
            chosen = Access(access) if access in ACCESS else Access.READ
            await give_access(bench, caller(), conversation_id, person_id, chosen)
        except InviewError as error:
            self.fault = describe_fault(error)
        await self._read()

    @rx.event
    async def end(self, grant_id: str) -> None:
        """End a person's access."""
        self.fault = ""
        try:
            await end_access(current(), caller(), text_in(grant_id, _MAX_ID) or "")
        except InviewError as error:
            self.fault = describe_fault(error)
        await self._read()

    async def _read(self) -> None:
        self.people, self.grants, self.shared_with = (), (), ""
        conversation_id, wb = conversation_in(self.router.url.path), current()
        if not conversation_id or not wb.settings.accounts:
            return
        try:
            given = await list_access(wb, caller(), conversation_id)
        except NotFoundError:
            return  # a new or a temporary conversation, or another's: the page says so itself
        names = await read_names(wb)
        self.people = tuple(PersonItem(one.id, one.name) for one in describe_people(await list_people(wb, caller())))
        self.grants = tuple(GrantItem(one.id, names[one.person_id], translate(ACCESS[one.access])) for one in given)
        self.shared_with = ", ".join(one.name for one in self.grants)
