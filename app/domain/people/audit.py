"""The audit trail: its entries, which of their fields are hashed, and the chain that reveals a changed entry.

    ann = Actor("ann", "session s1", "203.0.113.7")
    entry = AuditEntry(at, ann, AuditAction.MESSAGE_SENT, ObjectKind.CONVERSATION, "c1")
    entry_hash = chain_hash(hash_before, canonical_bytes(row))       # row: the columns `HASHED`

The hash of an entry covers the hash of the one before it and the bytes of the entry: ids, actions, numbers, and never a
text of a person. What a person may want deleted (an address, arguments of a tool, names) is the entry's note. It is
stored apart, and the entry has the note's salted hash alone: deleting a note leaves the chain whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from app.domain.people.audit_actions import AuditAction, ObjectKind

FIRST: Final = "0" * 64
"""What the first entry has in the place of the hash before it."""
SALT_BYTES: Final = 16
ADDRESS: Final = "address"
OUTCOME: Final = "outcome"
DETAILS: Final = frozenset({
    "through", "fields", OUTCOME, "scope_needed",
    "by", "why", "scope", "role", "session_id", "token_id",
    "person_id", "server_id", "run_id", "tool_call_id", "rule_id", "request_id", "agent_id", "folder_id",
    "kind", "days", "count", "deleted",
})  # fmt: skip
"""Data that is hashed and kept for good: ids, numbers and words of our own. All other data of an entry is its note."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something. `person` "": somebody who is not signed in. `credential`: the session or token.

    `address` is the network address, "" where there is none.
    """

    person: str = ""
    credential: str = ""
    address: str = ""


COMMAND_LINE: Final = Actor(credential="command line")
PROCESS: Final = Actor(credential="process")
"""Work that nobody asked for at that moment, such as a rule of retention."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Something that was done: by whom, when, and to which object. `data` depends on the action."""

    at: datetime
    actor: Actor
    action: AuditAction
    kind: ObjectKind
    subject: str
    conversation_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def details(self) -> dict[str, Any]:
        """What of the data is hashed and stays."""
        return {name: value for name, value in self.data.items() if name in DETAILS}

    @property
    def note(self) -> dict[str, Any]:
        """What goes when the person is deleted."""
        private = {name: value for name, value in self.data.items() if name not in DETAILS}
        return private | ({ADDRESS: self.actor.address} if self.actor.address else {})


HASHED: Final = (
    "id", "at", "person", "credential", "action", "kind", "subject", "conversation_id", "data", "note_hash",
)  # fmt: skip
"""What of an entry is hashed, by the names of its columns, in this order."""


def canonical_bytes(row: Mapping[str, Any]) -> bytes:
    """The bytes that are hashed: a JSON array of the columns `HASHED`, times in UTC with microseconds."""
    at: datetime = row["at"]
    said = {**row, "at": at.astimezone(UTC).isoformat(timespec="microseconds")}
    return write_canonical([said[name] for name in HASHED])


def chain_hash(before: str, entry: bytes) -> str:
    """The hash of an entry, in hex, from the hash of the one before it.

    >>> chain_hash(FIRST, b"[1]")[:12]
    '96bd1cc77d22'
    """
    return sha256(before.encode() + b"\n" + entry).hexdigest()


def hash_note(salt: bytes, note: Mapping[str, Any]) -> str:
    """The hash of a note, in hex. Without the salt, which is deleted with it, the note cannot be guessed."""
    return sha256(salt + write_canonical(note)).hexdigest()


def write_canonical(value: object) -> bytes:
    """JSON with sorted keys and without spaces, in ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
