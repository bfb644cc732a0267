"""The menus of the composer for model and agent."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.address import PREFIX
from app.state.agents.choice import AgentState
from app.state.composer.menus import Menu, MenuState
from app.state.composer.parameters import ParametersState
from app.state.model import ModelState
from app.ui import routes
from app.ui.kit.dialog import Dialog
from app.ui.kit.icon import line_icon
from app.ui.kit.on_page import OnPage
from app.ui.kit.option_list import OptionList
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase

_DOWN: Final = "m4.5 6.5 3.5 3.5 3.5-3.5"


def model_menu() -> rx.Component:
    """The model that what is written goes to. Where the address is another by now, it names none."""
    here = rx.cond(ModelState.chosen_in != "", PREFIX + ModelState.chosen_in, routes.HOME)
    options = OptionList.create(
        rows=ModelState.rows,
        label=phrase("common.search_models"),
        list_label=phrase("common.model"),
        placeholder=phrase("common.search_models"),
        none=rx.cond(
            ModelState.rows.length() > 0, phrase("common.no_such_model"), phrase("composer.looking_for_models")
        ),
        chosen=ModelState.chosen,
        closes=True,
        on_choose=[ModelState.choose, ParametersState.refresh],
    )
    return _menu(
        Menu.MODEL,
        phrase("common.model"),
        OnPage.create(_chosen(ModelState.chosen_name), path=here, elsewhere=_none()),
        options,
        rx.el.p(
            phrase("composer.model_legend"),
            class_name="picker-legend",
        ),
        _foot(phrase("composer.set_up_providers"), routes.SETTINGS),
        on_click=[MenuState.show_models, ModelState.look],
    )


def agent_menu() -> rx.Component:
    """The agent that answers, where there are any."""
    options = OptionList.create(
        rows=AgentState.rows,
        label=phrase("composer.search_agents"),
        list_label=phrase("common.agent"),
        placeholder=phrase("composer.search_agents"),
        none=phrase("composer.no_agent_found"),
        chosen=AgentState.chosen,
        closes=True,
        on_choose=[AgentState.choose, ParametersState.refresh],
    )
    return rx.cond(
        AgentState.rows.length() > 0,
        _menu(
            Menu.AGENT,
            phrase("common.agent"),
            _chosen(AgentState.chosen_name),
            options,
            _foot(phrase("composer.manage_agents"), routes.AGENTS),
            on_click=MenuState.show_agents,
        ),
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
    return rx.fragment(rx.el.span(phrase("composer.none_chosen"), class_name="unseen"), rx.el.span("\u00a0"))


def _foot(text: str, to: str) -> rx.Component:
    """A way to another page: the menu is closed there."""
    return PageLink.create(text, to=to, custom_attrs={"data-close": ""}, class_name="picker-foot")
