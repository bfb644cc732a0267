"""Sharing with persons: the part of the share dialog, and the badge in the title bar that names who has access."""

from __future__ import annotations

import reflex as rx

from app.state.transfer.grants import ACCESS, GrantItem, GrantState, PersonItem
from app.ui.kit.dialog import dialog_text
from app.ui.phrase import phrase


def shared_badge() -> rx.Component:
    """Whom the conversation on screen is shared with."""
    return rx.cond(
        GrantState.shared_with != "",
        rx.el.span(
            rx.icon("users", size=13),
            rx.el.span(phrase("grants.shared_with", names=GrantState.shared_with), dir="auto"),
            title=phrase("grants.shared_with", names=GrantState.shared_with),
            class_name="grant-badge of-owner",
        ),
    )


def people_of_share() -> rx.Component:
    """Share with a person, and who has access; nothing where there is nobody to share with."""
    return rx.cond(
        GrantState.people.length() > 0,
        rx.el.section(
            rx.el.h3(phrase("grants.with_people")),
            dialog_text(phrase("grants.about")),
            rx.el.form(
                rx.el.label(
                    phrase("grants.person"),
                    rx.el.select(rx.foreach(GrantState.people, _person), name="person", required=True),
                ),
                rx.el.label(
                    phrase("grants.access"),
                    rx.el.select(
                        *(rx.el.option(phrase(key), value=access) for access, key in ACCESS.items()),
                        name="access",
                        default_value=next(iter(ACCESS)),
                    ),
                ),
                rx.el.button(phrase("grants.give"), type="submit", class_name="quiet"),
                on_submit=GrantState.give,
                aria_label=phrase("grants.with_people"),
                class_name="share-fields",
            ),
            rx.el.ul(
                rx.foreach(GrantState.grants, lambda item: rx.fragment(grant_row(item=item), key=item.id)),
                aria_label=phrase("grants.who_has_access"),
                class_name="grant-list",
            ),
            rx.el.p(GrantState.fault, role="alert", class_name="form-fault"),
            class_name="share-people",
        ),
    )


def _person(item: rx.vars.ObjectVar[PersonItem]) -> rx.Component:
    return rx.el.option(item.name, value=item.id, key=item.id)


@rx.memo
def grant_row(item: rx.vars.ObjectVar[GrantItem]) -> rx.Component:
    """A person with access, and the button that ends it."""
    return rx.el.li(
        rx.el.span(item.name, dir="auto"),
        rx.el.span(item.access, class_name="trash-about"),
        rx.el.button(
            phrase("grants.end"),
            type="button",
            aria_label=phrase("grants.end_name", name=item.name),
            on_click=GrantState.end(item.id),
            class_name="quiet",
        ),
    )
