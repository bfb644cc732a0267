"""The inspector: its open section, and the loop that keeps this section current.

For each section, `_KEEP_CURRENT` has the handler that reads the data of the section. The handler is called when the
section opens, and again whenever the content of the next send changes.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final

import reflex as rx

from app.state.inspector.branches import BranchState
from app.state.inspector.lineage import LineageState
from app.state.inspector.log import LogState
from app.state.inspector.messages import MessagesState
from app.state.inspector.preview import PreviewState
from app.state.inspector.tools import ToolChoiceState
from app.state.tab.address import conversation_in
from app.state.tab.tab_watchers import moments
from app.state.usage.account import AccountState

SECTIONS: Final = ("preview", "tools", "messages", "usage", "branches", "lineage", "log")
"""The sections of the inspector in the order of their tabs."""
ON_START: Final = "preview"
"""The only section of the start page. The others belong to a conversation."""
SETTLE_SECONDS: Final = 0.35
"""Delay before a section is read again, so that several changes cause one reading."""

_KEEP_CURRENT: Final[Mapping[str, Any]] = {
    "preview": PreviewState.keep_current,
    "messages": MessagesState.keep_current,
    "usage": AccountState.keep_current,
    "branches": BranchState.keep_current,
    "lineage": LineageState.keep_current,
    "log": LogState.keep_current,
    "tools": ToolChoiceState.keep_current,
}


class InspectorState(rx.State):
    """The inspector. `section` is the open section. If it is "", the inspector is hidden."""

    section: rx.Field[str] = rx.field("")

    @rx.event
    async def show(self, section: str) -> rx.event.EventType[()] | None:
        """Open a section; "": close the inspector."""
        return self._show(section)

    @rx.event
    async def toggle(self, section: str) -> rx.event.EventType[()] | None:
        """Open a section, or close the inspector if this section is open."""
        return self._show("" if section == self.section else section)

    @rx.event
    async def close(self) -> None:
        self.section = ""

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> AsyncGenerator[rx.event.EventType[()]]:
        """Keep the open section current while it is open and the tab shows this conversation.

        On the start page the section is read once; after that the composer keeps it current.
        """
        conversation_id = conversation_in(self.router.url.path)
        async with self:
            section, token = self.section, self.router.session.client_token
        handler = _KEEP_CURRENT.get(section)
        if handler is None:
            return
        if not conversation_id:
            if section == ON_START:
                yield handler
            return
        async for _ in moments(token, conversation_id, settle=SETTLE_SECONDS):
            async with self:
                if self.section != section:
                    return
            yield handler

    def _show(self, section: object) -> rx.event.EventType[()] | None:
        there_are = SECTIONS if conversation_in(self.router.url.path) else (ON_START,)
        if not isinstance(section, str) or section not in ("", *there_are):
            return None
        self.section = section
        return InspectorState.follow if section else None
