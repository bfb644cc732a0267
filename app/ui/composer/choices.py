"""The two menus of the composer that choose the model and the agent of the next message, and the chosen agent."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.agents.choice import NO_AGENT, AgentState
from app.state.compare.choice import ComparisonChoiceState
from app.state.comparison import ComparisonState
from app.state.composer.parameters import ParametersState
from app.state.composer.state import ComposerState
from app.state.conversation.model import MissingKey, ModelState
from app.state.shell.menus import Menu, MenuState
from app.state.tab.address import PREFIX
from app.ui import routes
from app.ui.composer.text_area import DraftButton
from app.ui.kit.containers.on_page import OnPage
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.controls.option_list import OptionList
from app.ui.kit.controls.page_link import PageLink
from app.ui.kit.controls.provider_link import provider_address
from app.ui.shell.menu import menu

COMPARE: Final = "Compare models…"
_DOWN: Final = "m4.5 6.5 3.5 3.5 3.5-3.5"


def model_menu() -> rx.Component:
    """Draw the menu that chooses the model of the next message.

    After a change of the page, the button names no model until the state describes the new page.
    """
    here = rx.cond(ModelState.chosen_in != "", PREFIX + ModelState.chosen_in, routes.HOME)
    options = OptionList.create(
        rx.el.p(
            "Context window · price per million tokens ($ input/output) · "
            "JSON: accepts a schema · cache: caches prompts",
            class_name="picker-legend",
        ),
        _keyless(),
        rows=ModelState.rows,
        label="Search models",
        list_label="Model",
        placeholder="Search models",
        none=rx.cond(ModelState.rows.length() > 0, "No models found.", "Loading models…"),
        chosen=ModelState.chosen,
        closes=True,
        on_choose=[ModelState.choose, ParametersState.refresh],
    )
    return _menu(
        Menu.MODEL,
        "Model",
        OnPage.create(_chosen(ModelState.chosen_name), path=here, elsewhere=_none()),
        options,
        _compare(),
        _foot("Set up providers…", routes.SETTINGS),
        on_click=[MenuState.show_models, ModelState.look],
    )


def agent_menu() -> rx.Component:
    """Draw the menu that chooses the agent of the next message; nothing if there are no agents."""
    options = OptionList.create(
        rows=AgentState.rows,
        label="Search agents",
        list_label="Agent",
        placeholder="Search agents",
        none="No agents found.",
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


def agent_used() -> rx.Component:
    """Draw the agent that answers in the new conversation, with a button that removes it; nothing if there is none.

    The agent of the last conversation is used again, and the menu alone would not draw attention to that.
    """
    return rx.cond(
        AgentState.chosen != NO_AGENT,
        rx.el.div(
            rx.el.span(
                "The agent ",
                rx.el.strong(AgentState.chosen_name, dir="auto"),
                " answers",
                title="A new conversation starts with the agent that you used last. You can choose another one below.",
            ),
            rx.el.button(
                "\u00d7",
                type="button",
                aria_label="Start without the agent " + AgentState.chosen_name.to(str),
                title="Start without an agent",
                on_click=[AgentState.choose(NO_AGENT), ParametersState.refresh, ComposerState.focus],
            ),
            class_name="choice-set",
        ),
    )


def _compare() -> rx.Component:
    """Draw the item that sends the message to several models; nothing while a comparison is open."""
    return rx.cond(
        ~ComparisonState.comparison.bool(),
        DraftButton.create(
            rx.el.span(COMPARE, rx.el.small("One message, replies side by side (Alt+Enter)", aria_hidden="true")),
            rx.el.small("Wait until the reply is complete", class_name="when-disabled"),
            disabled=ComposerState.running != "",
            on_press=ComparisonChoiceState.ask,
            on_empty=ComposerState.require_text,
            class_name="picker-foot compare-item",
        ),
    )


def _keyless() -> rx.Component:
    """Draw the list of providers without a key. Each is a link to its card in the settings."""
    return rx.cond(
        ModelState.keyless.length() > 0,
        rx.el.p("Add a key: ", rx.foreach(ModelState.keyless, _keyless_one), class_name="picker-legend picker-keys"),
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


def _menu(which: Menu, label: str, chosen: rx.Component, *panel: rx.Component, on_click: Any) -> rx.Component:
    """Draw a button that shows the current choice, and the panel that it opens."""
    face = rx.fragment(rx.el.span(f"{label}: ", class_name="unseen"), chosen, line_icon(_DOWN, "1.5"))
    return menu(which, face, *panel, label=label, title=label, on_click=on_click, class_name="picker-button")


def _chosen(name: rx.Var[str]) -> rx.Component:
    return rx.cond(name != "", rx.el.span(name), _none())


def _none() -> rx.Component:
    return rx.fragment(rx.el.span("none chosen", class_name="unseen"), rx.el.span("\u00a0"))


def _foot(text: str, to: str) -> rx.Component:
    """Draw a link to another page at the end of a menu. It closes the menu."""
    return PageLink.create(text, to=to, custom_attrs={"data-close": ""}, class_name="picker-foot")
