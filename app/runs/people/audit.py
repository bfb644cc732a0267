"""Writes entries to the audit trail, for handlers, routes and commands.

    asked = await note_access(RULE, Access("PUT /preferences", fields=("language",)))
    ...                                          # the first transaction of this task takes the entry along
    finish(asked)                                # nothing was stored: that is entered

    note(AuditAction.SIGN_IN_FAILED, ObjectKind.PERSON, person_id)         # with the next transaction
    await enter(session, AuditAction.TOKEN_MADE, ObjectKind.TOKEN, id)      # in this one

Readings are entered once a quarter of an hour by person, credential, address and object; everything else each time.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.people.audit import OUTCOME, Actor, AuditEntry
from app.domain.people.audit_actions import READS, AuditAction, Audited, AuditRule, ObjectKind
from app.runs import caller
from app.runs.process.ids import now
from app.runs.workbench import Workbench, bench_of, current
from app.store.audit.entries import insert_entry
from app.store.audit.trail import Asked, ask, forget_asked

WINDOW_SECONDS: Final = 900.0
MAX_KEYS: Final = 10_000
"""Readings that are remembered; the oldest is forgotten first, and then entered again."""
MAX_FIELDS: Final = 50
NOTHING_STORED: Final = "nothing stored"
REFUSED: Final = "refused"
_OBJECTS: Final = frozenset({ObjectKind.CONVERSATION, ObjectKind.PAIR, ObjectKind.RUN, ObjectKind.FILE})
"""Kinds that may belong to a temporary conversation."""

_Key = tuple[Actor, AuditAction, str]


@dataclass(frozen=True, slots=True)
class Access:
    """What passes an edge: through which handler or route, to which object, with which fields. No values."""

    through: str
    subject: str = ""
    conversation_id: str | None = None
    fields: tuple[str, ...] = ()

    @property
    def data(self) -> dict[str, Any]:
        """As the entry has it."""
        return {"through": self.through} | ({"fields": sorted(self.fields)[:MAX_FIELDS]} if self.fields else {})


class Recent:
    """Readings of the last quarter of an hour. Kept in memory: a restart enters each once more."""

    def __init__(self) -> None:
        self._at: OrderedDict[_Key, float] = OrderedDict()

    def is_new(self, key: _Key) -> bool:
        """Return whether this was not read within the window, and remember that it was."""
        at = time.monotonic()
        before = self._at.get(key)
        if before is not None and at - before < WINDOW_SECONDS:
            return False
        self._at[key] = at
        self._at.move_to_end(key)
        if len(self._at) > MAX_KEYS:
            self._at.popitem(last=False)
        return True


async def note_access(rule: AuditRule, access: Access) -> Asked | None:
    """Enter an access by the caller; a change is entered with what it stores. None: nothing is left to `finish`."""
    forget_asked()
    if not isinstance(rule, Audited):
        return None
    wb, kind, subject = current(), rule.kind, access.subject
    conversation_id = access.conversation_id
    if kind in _OBJECTS and await _is_temporary(wb, subject, conversation_id):
        kind, subject, conversation_id = ObjectKind.TEMPORARY, "", None  # nothing of it is written to the disk
    entry = AuditEntry(now(), caller.actor(), rule.action, kind, subject, conversation_id, access.data)
    if rule.action in READS:
        note_entry(wb, entry)
        return None
    return ask(entry, wb.trail)


def finish(asked: Asked | None, outcome: str = NOTHING_STORED) -> None:
    """Enter what was asked for and stored nothing. What ends after the database was closed leaves no entry."""
    if asked is not None and not asked.entered:
        asked.entered = True
        asked.trail.note(replace(asked.entry, data={**asked.entry.data, OUTCOME: outcome}))


def note(action: AuditAction, kind: ObjectKind, subject: str) -> None:
    """Enter soon that the caller did something."""
    note_entry(current(), AuditEntry(now(), caller.actor(), action, kind, subject))


async def enter(
    session: AsyncSession, action: AuditAction, kind: ObjectKind, subject: str, **data: str | int | list[str]
) -> None:
    """Enter in this transaction that the caller did something. `data`: see `DETAILS` of `domain/people/audit.py`."""
    await insert_entry(session, AuditEntry(now(), caller.actor(), action, kind, subject, None, data))


def note_entry(wb: Workbench, entry: AuditEntry) -> None:
    """Enter this soon, unless it repeats a reading."""
    recent = _recent_of(wb)
    if entry.action not in READS or recent.is_new((entry.actor, entry.action, f"{entry.kind} {entry.subject}")):
        wb.trail.note(entry)


def _recent_of(wb: Workbench) -> Recent:
    if wb.process_id not in _of_process:
        _of_process.clear()
        _of_process[wb.process_id] = Recent()
    return _of_process[wb.process_id]


_of_process: Final[dict[str, Recent]] = {}


async def _is_temporary(wb: Workbench, *ids: str | None) -> bool:
    known = tuple(one for one in ids if one)
    return bool(known) and wb.beside.bench is not None and await bench_of(wb, *known) is wb.beside.bench
