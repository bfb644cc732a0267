"""The open menu of the page. Each menu has its items in the state that it changes (`ModelState`, `AgentState`)."""

from __future__ import annotations

from enum import StrEnum

import reflex as rx

from app.state.tab.visit import VisitedState


class Menu(StrEnum):
    """The menus. `CONVERSATION` belongs to the title of the conversation, the others belong to the composer."""

    MODEL = "model"
    AGENT = "agent"
    ADD = "add"
    TOOLS = "tools"
    CONVERSATION = "conversation"


class MenuState(VisitedState, rx.State):
    """The open menu of the page. `shown` is its name, "" if no menu is open."""

    shown: rx.Field[str] = rx.field("")

    @rx.event
    async def show_models(self) -> None:
        """Open the menu of models."""
        await self._come()
        self.shown = Menu.MODEL.value

    @rx.event
    async def show_agents(self) -> None:
        """Open the menu of agents."""
        await self._come()
        self.shown = Menu.AGENT.value

    @rx.event
    async def show(self, menu: str) -> None:
        """Open any menu by its name."""
        if menu in set(Menu):
            await self._come()
            self.shown = menu

    @rx.event
    async def close(self) -> None:
        """Close the open menu."""
        self.shown = ""

    async def _end_visit(self) -> None:
        self.shown = ""
