"""Views of the audit trail for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class AuditEntryView:
    """An entry of the audit trail: `who` performed an `action`. `subject` is the id of its object.

    - `data`: details; their form depends on the action.
    - `via`: how the client reached Inview: `page` or `api`; empty: no client acted.
    - `address`: the network address of the client.
    """

    id: int
    at: datetime
    who: str
    action: str
    subject: str
    conversation_id: str | None
    data: Mapping[str, Any]
    via: str
    address: str


@dataclass(frozen=True, slots=True)
class AuditView:
    """A part of the audit trail, newest entry first."""

    items: tuple[AuditEntryView, ...]
    next_cursor: str | None
