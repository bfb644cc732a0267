"""Settings → Access log: who opened, read, exported, changed or deleted conversations, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import reflex as rx

from app.domain.audit import AuditAction
from app.runs.app_context import current
from app.runs.audit.audit import read_audit
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.settings.access_words import describe_action
from app.state.tab.address import conversation_path
from app.state.tab.visit import VisitedState
from app.store.audit.audit import AuditCriteria, AuditEntry

PAGE: Final = 50
"""Number of entries that are shown at first, and that each "Show older" adds."""

_DONE: Final[Mapping[str, str]] = MappingProxyType(
    {
        AuditAction.OPENED: "Opened",
        AuditAction.READ: "Read",
        AuditAction.EXPORTED: "Exported",
        AuditAction.CREATED: "Created",
        AuditAction.CHANGED: "Changed",
        AuditAction.SENT: "Sent in",
        AuditAction.TRASHED: "Moved to trash",
        AuditAction.RESTORED: "Restored",
        AuditAction.DELETED: "Deleted permanently",
    }
)
ACTIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "All actions": tuple(_DONE),
        "Opened, read and exported": (AuditAction.OPENED, AuditAction.READ, AuditAction.EXPORTED),
        "Created, changed and sent": (AuditAction.CREATED, AuditAction.CHANGED, AuditAction.SENT),
        "Deleted and restored": (AuditAction.TRASHED, AuditAction.RESTORED, AuditAction.DELETED),
    }
)
"""The choices of the filter, each with its actions."""
ALL: Final = next(iter(ACTIONS))
_VIA: Final = {"page": "on this page", "api": "through the API", "": "by Inview"}


@dataclass(frozen=True)
class AccessItem:
    """An entry of the access log.

    - `conversation`: the address of the conversation; "" if the entry names none.
    - `detail`: what was read or changed, and how.
    """

    number: int
    at: str
    action: str
    conversation: str
    detail: str


class AccessState(VisitedState, rx.State):
    """The section Access log of the settings.

    - `shown`: the entries were read, because the user opened the list.
    - `actions`: the choice of the filter.
    - `older`: there are older entries.
    """

    items: rx.Field[tuple[AccessItem, ...]] = rx.field(())
    shown: rx.Field[bool] = rx.field(default=False)
    actions: rx.Field[str] = rx.field(ALL)
    older: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def show(self) -> None:
        """Show the newest entries, unless they are shown already."""
        await self._come()
        if not self.shown:
            await self._read(None)

    @rx.event
    async def choose(self, actions: str) -> None:
        """Show only entries with the actions of this choice."""
        if actions in ACTIONS:
            self.actions = actions
            await self._read(None)

    @rx.event
    async def show_older(self) -> None:
        """Show older entries in addition, at the end of the list."""
        await self._read(self.items[-1].number if self.items else None)

    async def _end_visit(self) -> None:
        self.items, self.shown, self.actions, self.older = (), False, ALL, False

    async def _read(self, before: int | None) -> None:
        ctx = current()
        criteria = AuditCriteria(actions=ACTIONS[self.actions])
        found = await read_audit(ctx.store, LOCAL_OWNER, limit=PAGE + 1, before=before, criteria=criteria)
        items = tuple(_describe(number, entry) for number, entry in found[:PAGE])
        self.items = items if before is None else (*self.items, *items)
        self.shown, self.older = True, len(found) > PAGE


def _describe(number: int, entry: AuditEntry) -> AccessItem:
    what = describe_action(entry.action, entry.data)
    client = f"{_VIA.get(entry.via, entry.via)}{f' from {entry.address}' if entry.address else ''}"
    return AccessItem(
        number=number,
        at=entry.at.isoformat(),
        action=_DONE.get(entry.action, entry.action),
        conversation="" if entry.conversation_id is None else conversation_path(entry.conversation_id),
        detail=": ".join(filter(None, (client, what))),
    )
