"""The start page: a new conversation, examples of first steps, and the last conversations."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.compare.choice import ComparisonChoiceState
from app.state.conversation.model import LocalServer, ModelState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.inspector.frame import InspectorState
from app.state.sidebar.conversation_rows import ConversationItem
from app.state.sidebar.sidebar import SidebarState
from app.ui import routes
from app.ui.compare.dialogs import compare_dialogs
from app.ui.composer.composer import composer
from app.ui.composer.prelude import prelude_card
from app.ui.composer.temporary import temporary_switch, temporary_words
from app.ui.inspector.frame import SHOW_REQUEST, preview_toggle, start_inspector
from app.ui.kit.controls.page_link import PageLink
from app.ui.kit.keys.place import Place, go_to
from app.ui.pages.frame import frame
from app.ui.shell.toasts import toasts
from app.ui.transcript.system_prompt import system_prompt_card

_RECENT: Final = 4
_LEAD: Final = (
    "What you see is what is sent to the model: check the request and its price before you send, "
    "and leave out what you do not need."
)


def home() -> rx.Component:
    """Draw the start page, with a composer in the middle. The first send creates a conversation and opens its page."""
    return frame(
        rx.el.div(
            rx.el.p(_LEAD, class_name="home-lead"),
            rx.el.div(system_prompt_card(SystemPromptState.new), prelude_card(opened=False), class_name="home-prelude"),
            composer(compare_dialogs(), first=True),
            temporary_words(),
            _examples(),
            _connect(),
            _recent(),
            class_name="home",
        ),
        toasts(),
        top=rx.fragment(
            rx.el.h1("New conversation", class_name="truncate text-[14.5px] font-semibold"),
            rx.el.div(temporary_switch(), class_name="ms-auto"),
            preview_toggle(),
        ),
        aside=start_inspector(),
    )


def _examples() -> rx.Component:
    return rx.el.ul(
        _example(
            SHOW_REQUEST,
            "Exactly what will be sent. Nothing is sent yet",
            InspectorState.show("preview"),
        ),
        _example(
            "Compare two models", "Both answer your next message, side by side", ComparisonChoiceState.ask_for_next
        ),
        _example("Attach a file", "Send an image or a text file with a message", go_to(Place.ATTACH)),
        aria_label="Examples",
        class_name="home-examples",
    )


def _example(name: str, note: str, event: Any) -> rx.Component:
    return rx.el.li(
        rx.el.button(rx.el.strong(name), rx.el.span(note), type="button", on_click=event),
    )


def _connect() -> rx.Component:
    """Draw the hint to connect a model, which is shown while the built-in demo answers.

    Its space is reserved, so that nothing moves when it appears.
    """
    return rx.el.div(
        rx.cond(
            ModelState.chosen.startswith("offline:"),
            rx.fragment(
                rx.el.p(
                    "Replies come from the built-in demo, which needs no key. ",
                    PageLink.create("Connect a model", to=routes.PROVIDERS),
                    " to get real replies.",
                ),
                rx.foreach(ModelState.local, _local_server),
            ),
        ),
        class_name="home-connect",
    )


def _local_server(server: rx.vars.ObjectVar[LocalServer]) -> rx.Component:
    return rx.el.p(
        f"{server.label} runs on this machine. ",
        rx.el.button(f"Use {server.name}", type="button", on_click=ModelState.choose(server.model.to(str))),
        key=server.model.to(str),
    )


def _recent() -> rx.Component:
    """Draw the last conversations; nothing while the list in the left column is searched or filtered."""
    return rx.cond(
        (SidebarState.conversations.length() > 0) & ~SidebarState.searching & ~SidebarState.filtered,
        rx.el.section(
            rx.el.h2("Recent"),
            rx.el.ul(rx.foreach(SidebarState.conversations[:_RECENT], _recent_one)),
            class_name="home-recent",
        ),
    )


def _recent_one(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    return rx.el.li(
        PageLink.create(rx.cond(item.name != "", item.name, "New conversation"), to=item.path), key=item.id.to(str)
    )
