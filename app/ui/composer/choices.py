"""The menus of the composer: which model answers, and which agent."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.address import PREFIX
from app.state.agents.choice import AgentState
from app.state.composer.parameters import ParametersState
from app.state.model import MissingKey, ModelState
from app.state.shell.menus import Menu, MenuState
from app.ui import routes
from app.ui.kit.dialog import Dialog
from app.ui.kit.icon import line_icon
from app.ui.kit.on_page import OnPage
from app.ui.kit.option_list import OptionList
from app.ui.kit.page_link import PageLink
from app.ui.kit.provider_link import provider_address

_DOWN: Final = "m4.5 6.5 3.5 3.5 3.5-3.5"


def model_menu() -> rx.Component:
    """The model that what is written goes to. Where the address is another by now, it names none."""
    here = rx.cond(ModelState.chosen_in != "", PREFIX + ModelState.chosen_in, routes.HOME)
    options = OptionList.create(
        rows=ModelState.rows,
        label="Search models",
        list_label="Model",
        placeholder="Search models",
        none=rx.cond(ModelState.rows.length() > 0, "No model is called that.", "Looking for models…"),
        chosen=ModelState.chosen,
        closes=True,
        on_choose=[ModelState.choose, ParametersState.refresh],
    )
    return _menu(
        Menu.MODEL,
        "Model",
        OnPage.create(_chosen(ModelState.chosen_name), path=here, elsewhere=_none()),
        options,
        rx.el.p(
            "Window · $ per million tokens of input/output · JSON: takes a schema · cache: keeps prompts",
            class_name="picker-legend",
        ),
        _keyless(),
        _foot("Set up providers…", routes.SETTINGS),
        on_click=[MenuState.show_models, ModelState.look],
    )


def agent_menu() -> rx.Component:
    """The agent that answers, where there are any."""
    options = OptionList.create(
        rows=AgentState.rows,
        label="Search agents",
        list_label="Agent",
        placeholder="Search agents",
        none="No agent is called that.",
        chosen=AgentState.chosen,
        closes=True,
        on_choose=[AgentState.choose, ParametersState.refresh],
    )
    return rx.cond(
        AgentState.rows.length() > 0,
        _menu(
            Menu.AGENT,
            "Agent",
            _chosen(AgentState.chosen_name),
            options,
            _foot("Manage agents…", routes.AGENTS),
            on_click=MenuState.show_agents,
        ),
    )


def _keyless() -> rx.Component:
    """The providers without a key. Each is a link to its card in the settings."""
    return rx.cond(
        ModelState.keyless.length() > 0,
        rx.el.p("Add a key: ", rx.foreach(ModelState.keyless, _keyless_one), class_name="picker-legend"),
    )


def _keyless_one(provider: rx.vars.ObjectVar[MissingKey], index: rx.Var[int]) -> rx.Component:
    return rx.el.span(
        rx.cond(index == 0, "", ", "),
        PageLink.create(
            provider.label,
            to=provider_address(provider.name.to(str)),
            custom_attrs={"data-close": ""},
            class_name="underline underline-offset-2",
        ),
        key=provider.name,
    )


def _menu(menu: Menu, label: str, chosen: rx.Component, *panel: rx.Component, on_click: Any) -> rx.Component:
    """The button that says what is chosen, and what it opens at itself."""
    is_open = MenuState.shown == menu.value
    button_id = f"{menu.value}-menu"
    return rx.el.div(
        rx.el.button(
            rx.el.span(f"{label}: ", class_name="unseen"),
            chosen,
            line_icon(_DOWN, "1.5"),
            id=button_id,
            type="button",
            aria_haspopup="dialog",
            aria_expanded=is_open,
            title=label,
            on_click=on_click,
            class_name="picker-button",
        ),
        rx.cond(
            is_open,
            Dialog.create(*panel, label=label, at=button_id, on_close=MenuState.close, class_name="popup"),
        ),
        class_name="picker",
    )


def _chosen(name: rx.Var[str]) -> rx.Component:
    return rx.cond(name != "", rx.el.span(name), _none())


def _none() -> rx.Component:
    return rx.fragment(rx.el.span("none chosen", class_name="unseen"), rx.el.span("\u00a0"))


def _foot(text: str, to: str) -> rx.Component:
    """A way to another page: the menu is closed there."""
    return PageLink.create(text, to=to, custom_attrs={"data-close": ""}, class_name="picker-foot")
