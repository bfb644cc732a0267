"""The page of agents: the list of agents or, while an agent is edited, its form."""

from __future__ import annotations

import reflex as rx

from app.state.agents.form import AgentFormState
from app.ui.agents.form import agent_form
from app.ui.agents.listing import agent_list
from app.ui.pages.frame import frame
from app.ui.shell.toasts import toasts


def agents() -> rx.Component:
    """Draw the page of `/agents`."""
    return frame(
        rx.el.div(
            rx.el.div(
                rx.cond(AgentFormState.editing != "", rx.cond(AgentFormState.ready, agent_form()), agent_list()),
                class_name="agents mx-auto max-w-column px-5 pt-4 pb-16",
            ),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
        toasts(),
        top=rx.el.h1("Agents", class_name="text-[14.5px] font-semibold"),
    )
