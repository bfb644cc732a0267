"""Which menu of the composer is open. Their entries are in `ModelState` and `AgentState`."""

from __future__ import annotations

from enum import StrEnum

import reflex as rx


class Menu(StrEnum):
    """A menu of the composer."""

    MODEL = "model"
    AGENT = "agent"


class MenuState(rx.State):
    """`shown` is the open menu, "" for none."""

    shown: rx.Field[str] = rx.field("")

    @rx.event
    async def show_models(self) -> None:
        """Open the menu of models."""
        self.shown = Menu.MODEL.value

    @rx.event
    async def show_agents(self) -> None:
        """Open the menu of agents."""
        self.shown = Menu.AGENT.value

    @rx.event
    async def close(self) -> None:
        """Close whichever is open."""
        self.shown = ""
