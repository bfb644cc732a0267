"""The section on the tools of the conversation on screen: the tools of the next send, and how they are chosen.

A choice is stored before the tab's next event is handled. So a send that follows the choice already uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import reflex as rx

from app.domain.conversation.conversation import ToolMode
from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.next_tools import look_at_tools
from app.runs.tools.tool_views import describe_seen_tools
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_in
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import moment_of
from app.store.conversation.conversations import load_conversation
from app.views.inspector.tool_choice import ToolPanelView, show_choice, show_tool_panel

MAX_NAME: Final = 200
MAX_DRAFT: Final = 4_000
"""Number of characters at the beginning of the draft that are read to select tools (inclusion mode "auto")."""


class ToolChoiceState(rx.State):
    """The tools of the conversation with the id `conversation`.

    `panel` shows the tools of the next send; None until they are read. `fault` is the reason why they cannot be read or
    stored.
    """

    conversation: rx.Field[str] = rx.field("")
    panel: rx.Field[ToolPanelView | None] = rx.field(None)
    fault: rx.Field[str] = rx.field("")
    _turn: int = 0

    @rx.event(background=True)
    async def keep_current(self) -> None:
        """Read and show the tools of the next send."""
        async with self:
            moment = moment_of(self)
            self._turn += 1
            turn = self._turn
        if moment is None:
            return
        ctx = await context_for(current(), moment.conversation_id)
        panel, fault = None, ""
        try:
            draft = moment.draft[:MAX_DRAFT]
            seen = await look_at_tools(ctx, LOCAL_OWNER, moment.conversation_id, moment.options, draft)
            panel = show_tool_panel(describe_seen_tools(seen))
        except InviewError as error:
            fault = describe_fault(error)
        async with self:
            if self._turn != turn:
                return
            if panel is not None or moment.conversation_id != self.conversation:
                self.panel, self.conversation = panel, moment.conversation_id
            self.fault = fault

    @rx.event
    async def choose_mode(self, mode: str) -> rx.event.EventType[()] | None:
        """Set the inclusion mode, which decides how the tools of a send are selected."""
        if text_in(mode, MAX_NAME) not in {each.value for each in ToolMode}:
            return None
        return await self._change(mode=ToolMode(mode))

    @rx.event
    async def tick(self, name: str) -> rx.event.EventType[()] | None:
        """Tick or untick a tool."""
        tool_name = text_in(name, MAX_NAME)
        return await self._toggle({tool_name}) if tool_name else None

    @rx.event
    async def tick_server(self, server_id: str) -> rx.event.EventType[()] | None:
        """Tick all tools of a server, or untick them if all are ticked."""
        valid_id = text_in(server_id, MAX_NAME)
        servers = () if self.panel is None else self.panel.servers
        found = next((server for server in servers if server.id == valid_id), None)
        if found is None:
            return None
        names = {tool.name for tool in found.tools if found.all_ticked or not tool.ticked}
        return await self._toggle(names)

    async def _toggle(self, names: set[str]) -> rx.event.EventType[()] | None:
        conversation_id = conversation_in(self.router.url.path)
        ctx = await context_for(current(), conversation_id)
        try:
            async with ctx.store.read() as session:
                stored = await load_conversation(session, LOCAL_OWNER, conversation_id)
        except InviewError as error:
            self.fault = describe_fault(error)
            return None
        return await self._change(ticked=set(stored.ticked_tools) ^ names)

    async def _change(
        self, mode: ToolMode | None = None, ticked: Iterable[str] | None = None
    ) -> rx.event.EventType[()] | None:
        conversation_id = conversation_in(self.router.url.path)
        ctx = await context_for(current(), conversation_id)
        try:
            tools = None if ticked is None else tuple(ticked)
            await change_conversation(
                ctx, LOCAL_OWNER, conversation_id, SettingChanges(tool_mode=mode, ticked_tools=tools)
            )
        except InviewError as error:
            self.fault = describe_fault(error)
            return None
        if self.panel is not None:
            self.panel = show_choice(self.panel, mode, tools)  # the sizes and costs come with `keep_current`
        return ToolChoiceState.keep_current
