"""The "+" menu of the composer: attachments, prompts, and options of the send."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.agents.choice import AgentState
from app.state.composer.inserting import InsertingState
from app.state.composer.parameters import ParametersState
from app.state.composer.schema import SchemaState
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.state.shell.menus import Menu, MenuState
from app.state.topics.picker import TopicPickerState
from app.ui.composer.icons import BRACES, SLIDERS
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.keys.place import Place, go_to
from app.ui.shell.menu import menu, menu_item

_TOOLS: Any = ComposerState.tools
_LABEL: Final = "Add to the message"
_PLUS: Final = "M8 2.5v11M2.5 8h11"
_CLIP: Final = "M13.2 7.3 8 12.5a3 3 0 0 1-4.3-4.3l5.6-5.6a2 2 0 0 1 2.9 2.9L6.7 11a1 1 0 0 1-1.5-1.4l5-5"
_CAMERA: Final = "M2.5 5h2.7l1-1.5h3.6l1 1.5h2.7v8h-11zM8 6.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4"
_PLUG: Final = "M5.5 2.5v3M10.5 2.5v3M4 5.5h8v2.2a4 4 0 0 1-8 0zM8 11.7v2"


def add_menu() -> rx.Component:
    """Draw the "+" button, and the menu that it opens."""
    photo = menu_item("Take a photo", go_to(Place.PHOTO), drawn=_CAMERA, class_name="camera")
    return menu(
        Menu.ADD,
        line_icon(_PLUS),
        *_narrow(),
        menu_item("Attach files", go_to(Place.ATTACH), drawn=_CLIP, note=_taken()),
        rx.cond(ModelState.images, photo),
        menu_item("JSON schema of the reply", SchemaState.ask, drawn=BRACES, note="The reply must match the schema"),
        menu_item("Parameters", ParametersState.ask, drawn=SLIDERS, note="Temperature, effort and more"),
        menu_item(
            "Insert from a server", InsertingState.ask, drawn=_PLUG, note="Prompts (/) and resources of MCP servers"
        ),
        label=_LABEL,
        classes="menu add-menu",
        aria_label=_LABEL,
        title="Files, schema, parameters, server prompts",
        class_name="schema-button",
    )


def _narrow() -> tuple[rx.Component, ...]:
    """Draw the options that the composer of a phone hides while it is empty. The stylesheet shows them only there."""
    agent = _menu_opener("Agent", AgentState.chosen_name, MenuState.show_agents)
    count = rx.Var.create(f"{_TOOLS.count} of {_TOOLS.of}")
    tools = _menu_opener("Tools", count, MenuState.show(Menu.TOOLS.value))
    return (
        _menu_opener("Model", ModelState.chosen_name, [MenuState.show_models, ModelState.look]),
        rx.fragment(rx.cond(AgentState.rows.length() > 0, agent)),
        rx.fragment(rx.cond(ComposerState.tools, tools)),
        menu_item("Topic of the next messages", TopicPickerState.pick_for_composer, class_name="narrow"),
    )


def _menu_opener(name: str, chosen: rx.Var[str], event: Any) -> rx.Component:
    """Draw an item that opens another menu. It has no `data-close`, because closing would close that menu, too."""
    return rx.el.button(
        rx.el.span(name, rx.el.small(chosen)), type="button", on_click=event, class_name="menu-item narrow"
    )


def _taken() -> str:
    kinds = rx.cond(ModelState.images, "Images and text files", "Text files")
    return f"{kinds}; or paste and drop them"
