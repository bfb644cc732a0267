"""The audit trail as the API and its exports show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.people.audit import AuditEntry


@dataclass(frozen=True, slots=True)
class AuditEntryView:
    """Something that was done. `person` is an id, "" for somebody who was not signed in; `subject` that of the object.

    `credential` is the session or token. `address` is "" where it is not known, or the person was deleted. `data`
    depends on the action. `hash` covers the entry and the hash of the one before it.
    """

    id: int
    at: datetime
    person: str
    credential: str
    address: str
    action: str
    kind: str
    subject: str
    conversation_id: str | None
    data: Mapping[str, Any]
    hash: str


@dataclass(frozen=True, slots=True)
class AuditView:
    """A part of the audit trail, the newest entry first."""

    items: tuple[AuditEntryView, ...]
    next_cursor: str | None


def describe_entry(number: int, entry: AuditEntry, entry_hash: str) -> AuditEntryView:
    """An entry as shown."""
    actor = entry.actor
    return AuditEntryView(
        number,
        entry.at,
        actor.person,
        actor.credential,
        actor.address,
        entry.action,
        entry.kind,
        entry.subject,
        entry.conversation_id,
        entry.data,
        entry_hash,
    )
