"""The page of the audit trail: entries with what they are called, filters, and the check of the chain.

    await tab.send(AuditState.load)
    tab.shows(AuditState, "items")[0].who          # "Ann"

For owners and admins. The role of who asks is read with each command: for anybody else nothing is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode

import reflex as rx

from app.domain.errors import ForbiddenError
from app.domain.people.audit import COMMAND_LINE, PROCESS, Actor
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.people.audit_reading import check_chain, list_names, list_own, read_entries
from app.runs.process.ids import now
from app.runs.workbench import current
from app.state.address import conversation_path
from app.state.inputs import text_in
from app.store.audit.entries import AuditFilter, StoredEntry
from app.store.audit.integrity import ChainReport

PAGE: Final = 50
NOBODY: Final = "nobody"
"""Chosen as the person: entries of who was not signed in."""
DAYS: Final = {"day": 1, "week": 7, "month": 30}
CHOICES: Final = ("person", "action", "kind", "period")
_MAX: Final = 64
_THROUGH: Final = {
    "session": "audit.by_session",
    "token": "audit.by_token",
    COMMAND_LINE.credential: "audit.by_command_line",
    PROCESS.credential: "audit.by_process",
}
_KINDS_OF_CONVERSATIONS: Final = frozenset({ObjectKind.CONVERSATION, ObjectKind.PAIR, ObjectKind.RUN, ObjectKind.FILE})


@dataclass(frozen=True)
class EntryItem:
    """An entry. `path` is the address of its object, "" if the reader cannot open it; `place`: where it was done."""

    number: int
    at: str
    who: str
    action: str
    target: str
    path: str
    place: str
    details: str


@dataclass(frozen=True)
class NamedPerson:
    """A person who can be chosen."""

    id: str
    name: str


class AuditState(rx.State):
    """`shown`: who looks at it may; `older`: there are more entries. The choices are "" for all.

    `said` is what the check of the chain found, `fault` its own words for the first broken link.
    `checking`: it goes on.
    """

    loaded: rx.Field[bool] = rx.field(default=False)
    shown: rx.Field[bool] = rx.field(default=False)
    items: rx.Field[tuple[EntryItem, ...]] = rx.field(())
    older: rx.Field[bool] = rx.field(default=False)
    people: rx.Field[tuple[NamedPerson, ...]] = rx.field(())
    person: rx.Field[str] = rx.field("")
    action: rx.Field[str] = rx.field("")
    kind: rx.Field[str] = rx.field("")
    period: rx.Field[str] = rx.field("")
    export_path: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")
    checking: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def load(self) -> None:
        """Show the newest entries."""
        self.person = self.action = self.kind = self.period = self.said = self.fault = ""
        self.checking = False
        await self._read(None)

    @rx.event
    async def narrow(self, choice: str, value: str) -> None:
        """Show the entries that fit one more choice."""
        chosen = text_in(value, _MAX)
        if choice in CHOICES and chosen is not None:
            setattr(self, choice, chosen)
            await self._read(None)

    @rx.event
    async def show_more(self) -> None:
        """Add the entries before those that are shown."""
        await self._read(self.items[-1].number if self.items else None)

    @rx.event(background=True)
    async def check(self) -> None:
        """Check the chain, and say what was found. The page goes on meanwhile."""
        async with self:
            if self.checking:
                return
            self.checking, self.said, self.fault = True, translate("audit.checking"), ""
        report = None
        try:
            report = await check_chain(current(), caller())
        except ForbiddenError:
            async with self:
                self._hide()
        finally:
            async with self:
                self.checking = False
                if report is not None:
                    self._tell(report)

    def _tell(self, report: ChainReport) -> None:
        self.fault = report.faults[0] if report.faults else ""
        if not report.faults:
            self.said = translate("audit.whole", count=report.count, head=report.head[:16])
        elif report.broken is None:
            self.said = translate("audit.damaged")
        else:
            self.said = translate("audit.broken", number=report.broken)

    async def _read(self, before: int | None) -> None:
        wb, reader, wanted = current(), caller(), self._wanted()
        try:
            found = await read_entries(wb, reader, wanted, limit=PAGE + 1, before=before)
            known = await list_names(wb, reader)
        except ForbiddenError:
            self._hide()
            return
        names = {id_: name or translate("audit.local_owner") for id_, name in known.items()}
        titles = await list_own(wb, reader, found[:PAGE])
        items = tuple(_describe(one, names, titles) for one in found[:PAGE])
        self.items = items if before is None else (*self.items, *items)
        self.older, self.loaded, self.shown = len(found) > PAGE, True, True
        self.people = tuple(NamedPerson(id_, name) for id_, name in names.items())
        self.export_path = _export_path(wanted)

    def _hide(self) -> None:
        self.loaded, self.shown, self.older = True, False, False
        self.items, self.people = (), ()
        self.export_path = self.said = self.fault = ""

    def _wanted(self) -> AuditFilter:
        return AuditFilter(
            person={"": None, NOBODY: ""}.get(self.person, self.person),
            action=self.action or None,
            kind=self.kind or None,
            since=now() - timedelta(days=DAYS[self.period]) if self.period in DAYS else None,
        )


def _export_path(wanted: AuditFilter) -> str:
    since = None if wanted.since is None else wanted.since.isoformat()
    asked = {"person": wanted.person, "action": wanted.action, "kind": wanted.kind, "since": since}
    given = {name: value for name, value in asked.items() if value is not None}
    return f"/api/v1/audit/export?{urlencode({'format': 'jsonl'} | given)}"


def _describe(stored: StoredEntry, names: Mapping[str, str], titles: Mapping[str, str]) -> EntryItem:
    entry = stored.entry
    conversation = entry.conversation_id or entry.subject
    target, path = _kind_name(entry.kind), ""
    if entry.kind in _KINDS_OF_CONVERSATIONS and conversation in titles:
        target, path = f"{target}: {titles[conversation] or conversation}", conversation_path(conversation)
    elif entry.kind is ObjectKind.PERSON and entry.subject in names:
        target, path = f"{target}: {names[entry.subject]}", "/settings#people"
    elif entry.subject:
        target = f"{target} {entry.subject}"
    return EntryItem(
        number=stored.number,
        at=entry.at.isoformat(),
        who=_who(entry.actor, names),
        action=translate(f"audit.action.{AuditAction(entry.action).name.lower()}"),
        target=target,
        path=path,
        place=" · ".join(filter(None, (_through(entry.actor), entry.actor.address))),
        details=_write_details(entry.data),
    )


def _kind_name(kind: ObjectKind) -> str:
    return translate(f"audit.kind.{kind.name.lower()}")


def _who(actor: Actor, names: Mapping[str, str]) -> str:
    if actor.person:
        return names.get(actor.person) or translate("audit.somebody", id=actor.person)
    return "" if actor in {COMMAND_LINE, PROCESS} else translate("audit.nobody")


def _through(actor: Actor) -> str:
    word = actor.credential if actor.credential in _THROUGH else actor.credential.partition(" ")[0]
    return translate(_THROUGH[word]) if word in _THROUGH else ""


def _write_details(data: Mapping[str, Any]) -> str:
    shown = {name: value for name, value in data.items() if name != "through"}
    return ", ".join(f"{name} = {_write(value)}" for name, value in shown.items())


def _write(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
