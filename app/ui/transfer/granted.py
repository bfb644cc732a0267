"""Shared conversations: the list in the sidebar, the list of the page `/shared`, and the open one."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.transfer.granted import GrantedItem, GrantedState
from app.ui import routes
from app.ui.kit.moment import Moment
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase

_READING: Any = GrantedState.reading


def granted_in_sidebar() -> rx.Component:
    """The newest few, each with the name of its owner; nothing where nobody shares anything."""
    return rx.cond(
        GrantedState.newest.length() > 0,
        rx.el.nav(
            rx.el.h2(PageLink.create(phrase("grants.with_me"), to=routes.SHARED), class_name="list-heading"),
            rx.el.ul(rx.foreach(GrantedState.newest, lambda item: rx.fragment(granted_link(item=item), key=item.id))),
            aria_label=phrase("grants.with_me"),
            class_name="granted-list",
        ),
    )


@rx.memo
def granted_link(item: rx.vars.ObjectVar[GrantedItem]) -> rx.Component:
    """A conversation of another, with the name of its owner."""
    return rx.el.li(
        PageLink.create(
            rx.el.span(item.name, dir="auto", class_name="granted-name"),
            rx.el.span(item.by, dir="auto", class_name="granted-by"),
            to=item.path,
            class_name="granted-link",
        )
    )


def granted_page() -> rx.Component:
    """The list, or the conversation that the address names."""
    return rx.cond(
        GrantedState.page != "",
        _read(),
        rx.el.div(
            rx.el.div(_list(), class_name="agents mx-auto max-w-column px-5 pt-4 pb-16"),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
    )


def granted_head() -> rx.Component:
    """The title bar: the name of what is read and of its owner, and what can be done with it."""
    return rx.cond(
        _READING,
        rx.fragment(
            rx.el.h1(_READING.name, dir="auto", class_name="granted-title"),
            rx.el.span(
                rx.icon("users", size=13),
                rx.el.span(phrase("grants.shared_by", name=_READING.by), dir="auto"),
                class_name="grant-badge",
            ),
            rx.cond(
                _READING.continuing,
                rx.el.button(
                    phrase("grants.copy"),
                    type="button",
                    title=phrase("grants.copy_hint"),
                    on_click=GrantedState.copy(_READING.id),
                    class_name="loud granted-copy",
                ),
            ),
        ),
        rx.el.h1(phrase("grants.with_me"), class_name="text-[14.5px] font-semibold"),
    )


def _read() -> rx.Component:
    return rx.el.iframe(
        # No script, no origin, no form: as harmless as a share.
        src_doc=GrantedState.page,
        title=phrase("grants.conversation"),
        custom_attrs={"sandbox": ""},
        class_name="granted-page",
    )


def _list() -> rx.Component:
    return rx.fragment(
        rx.el.div(rx.el.p(phrase("grants.with_me_about")), class_name="agents-head mb-[30px]"),
        rx.cond(GrantedState.fault != "", rx.el.p(GrantedState.fault, role="alert", class_name="form-fault")),
        rx.cond(
            GrantedState.items.length() > 0,
            rx.el.ul(
                rx.foreach(GrantedState.items, lambda item: rx.fragment(granted_row(item=item), key=item.id)),
                class_name="agents-list",
            ),
            rx.cond(GrantedState.loaded, rx.el.p(phrase("grants.nothing"), class_name="trash-empty")),
        ),
    )


@rx.memo
def granted_row(item: rx.vars.ObjectVar[GrantedItem]) -> rx.Component:
    """A conversation of another, and what can be done with it."""
    return rx.el.li(
        rx.el.div(
            rx.el.p(
                PageLink.create(item.name, to=item.path, dir="auto", class_name="hover:underline"),
                class_name="trash-name",
            ),
            rx.el.p(
                phrase("grants.shared_by", name=item.by),
                " · ",
                Moment.create(at=item.changed_at),
                class_name="trash-about",
            ),
        ),
        rx.cond(
            item.continuing,
            rx.el.button(
                phrase("grants.copy"),
                type="button",
                aria_label=phrase("grants.copy_name", name=item.name),
                title=phrase("grants.copy_hint"),
                on_click=GrantedState.copy(item.id),
                class_name="quiet",
            ),
        ),
        rx.el.button(
            phrase("grants.leave"),
            type="button",
            aria_label=phrase("grants.leave_name", name=item.name),
            on_click=GrantedState.leave(item.id),
            class_name="quiet",
        ),
    )
