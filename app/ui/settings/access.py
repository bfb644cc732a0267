"""Settings → Access log: the entries, which expand, with a filter by action."""

from __future__ import annotations

import reflex as rx

from app.state.settings.access import ACTIONS, AccessItem, AccessState
from app.ui.kit.clock.moment import MomentText, TimeForm
from app.ui.settings.parts import section


def access() -> rx.Component:
    """Draw the section Access log of the Settings page."""
    return section(
        "access",
        "Access log",
        "Every time that a conversation was opened, read, exported, changed or deleted, here or through the API.",
        rx.el.div(
            rx.el.details(
                rx.el.summary("All entries", on_click=AccessState.show),
                rx.cond(AccessState.shown, _entries(), _note("Loading…")),
            ),
            role="group",
            aria_label="Access log",
            class_name="context-settings permission-settings",
        ),
    )


def _entries() -> rx.Component:
    return rx.fragment(
        rx.el.label(
            rx.el.span("Show"),
            rx.el.select(
                *(rx.el.option(choice, value=choice) for choice in ACTIONS),
                value=AccessState.actions,
                on_change=AccessState.choose,
            ),
            class_name="title-model",
        ),
        rx.cond(AccessState.items.length() > 0, _list(), _note("No entries yet.")),
        rx.cond(
            AccessState.older,
            rx.el.button("Show older", type="button", on_click=AccessState.show_older, class_name="quiet"),
        ),
    )


def _list() -> rx.Component:
    return rx.el.ol(
        rx.foreach(AccessState.items, lambda item: access_row(item=item, key=item.number.to_string())),
        aria_label="Entries",
        class_name="audit",
    )


@rx.memo
def access_row(item: rx.vars.ObjectVar[AccessItem], rest: rx.RestProp) -> rx.Component:
    """Draw one entry of the access log."""
    return rx.el.li(
        MomentText.create(at=item.at, form=TimeForm.FULL),
        " ",
        rx.el.strong(item.action),
        " ",
        rx.cond(item.conversation != "", rx.el.a("conversation", href=item.conversation)),
        " ",
        rx.el.span(item.detail),
        rest,
    )


def _note(text: str) -> rx.Component:
    return rx.el.p(text, class_name="context-said")
