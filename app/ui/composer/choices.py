"""The menus of the composer: which model answers, and which agent."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.address import PREFIX
from app.state.agents.choice import AgentState
from app.state.model import ModelState
from app.ui import routes
from app.ui.kit.icon import line_icon
from app.ui.kit.option_list import OptionList
from app.ui.kit.page_link import PageLink
from app.ui.kit.popup_button import PopupButton

_DOWN: Final = "m4.5 6.5 3.5 3.5 3.5-3.5"


def model_menu() -> rx.Component:
    """The model that what is written goes to. Where the address is another by now, it names none."""
    return rx.el.div(
        PopupButton.create(
            line_icon(_DOWN, "1.5"),
            label="Model",
            chosen=ModelState.chosen_name,
            none="none chosen",
            path=rx.cond(ModelState.chosen_in != "", PREFIX + ModelState.chosen_in, routes.HOME),
            panel=rx.fragment(
                OptionList.create(
                    rows=ModelState.rows,
                    label="Search models",
                    list_label="Model",
                    placeholder="Search models",
                    none=rx.cond(ModelState.rows.length() > 0, "No model is called that.", "Looking for models…"),
                    chosen=ModelState.chosen,
                    closes=True,
                    on_choose=ModelState.choose,
                ),
                PageLink.create("Set up providers…", to=routes.SETTINGS, class_name="picker-foot"),
            ),
            on_open=ModelState.look,
            class_name="picker-button",
        ),
        class_name="picker",
    )


def agent_menu() -> rx.Component:
    """The agent that answers, where there are any."""
    return rx.cond(
        AgentState.rows.length() > 0,
        rx.el.div(
            PopupButton.create(
                line_icon(_DOWN, "1.5"),
                label="Agent",
                chosen=AgentState.chosen_name,
                none="none chosen",
                panel=rx.fragment(
                    OptionList.create(
                        rows=AgentState.rows,
                        label="Search agents",
                        list_label="Agent",
                        placeholder="Search agents",
                        none="No agent is called that.",
                        chosen=AgentState.chosen,
                        closes=True,
                        on_choose=AgentState.choose,
                    ),
                    PageLink.create("Manage agents…", to=routes.AGENTS, class_name="picker-foot"),
                ),
                class_name="picker-button",
            ),
            class_name="picker",
        ),
    )
