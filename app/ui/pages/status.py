"""Status: the health of the installation, for owners and admins."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.status import ServerItem, StatusState
from app.ui.pages.frame import frame
from app.ui.phrase import phrase
from app.ui.usage.facts import facts

_HEADING = "mt-8 text-[15px] font-semibold"


def status() -> rx.Component:
    """The page of `/status`."""
    return frame(
        rx.el.div(
            rx.el.div(_content(), class_name="agents mx-auto max-w-column px-5 pt-4 pb-16"),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
        top=rx.el.h1(phrase("status.title"), class_name="text-[14.5px] font-semibold"),
    )


def _content() -> rx.Component:
    return rx.cond(
        StatusState.loaded,
        rx.cond(
            StatusState.fault != "", rx.el.p(StatusState.fault, role="status", class_name="trash-empty"), _figures()
        ),
        rx.el.p(phrase("status.loading"), role="status", class_name="trash-said"),
    )


def _figures() -> rx.Component:
    return rx.fragment(
        rx.el.div(
            rx.el.p(phrase("status.about")),
            _button(phrase("status.refresh"), StatusState.load),
            class_name="agents-head flex flex-wrap items-center justify-between gap-3",
        ),
        rx.el.h2(phrase("status.work"), class_name=_HEADING),
        facts(StatusState.work),
        rx.el.h2(phrase("status.storage"), class_name=_HEADING),
        facts(StatusState.store),
        rx.el.div(
            _button(phrase("status.check"), StatusState.check, disabled=StatusState.busy),
            rx.el.p(
                rx.cond(StatusState.checking, phrase("status.checking"), ""),
                role="status",
                class_name="text-[13px] text-muted",
            ),
            class_name="mt-3 flex flex-wrap items-center gap-3",
        ),
        rx.el.h2(phrase("status.servers"), class_name=_HEADING),
        rx.el.ul(rx.foreach(StatusState.servers, _server), class_name="mt-3 divide-y divide-line text-[14px]"),
        rx.el.div(
            _button(phrase("status.ask"), StatusState.ask, disabled=StatusState.busy),
            rx.el.p(StatusState.said, role="status", class_name="text-[13px] text-muted"),
            class_name="mt-3 flex flex-wrap items-center gap-3",
        ),
        rx.el.h2(phrase("status.versions"), class_name=_HEADING),
        facts(StatusState.versions),
    )


def _button(text: str, handler: Any, *, disabled: Any = False) -> rx.Component:
    return rx.el.button(text, type="button", on_click=handler, disabled=disabled, class_name="quiet")


def _server(server: rx.vars.ObjectVar[ServerItem]) -> rx.Component:
    return rx.el.li(
        rx.el.span(
            class_name=rx.cond(
                server.answers, "size-2 shrink-0 rounded-full bg-accent", "size-2 shrink-0 rounded-full bg-line-strong"
            )
        ),
        rx.el.span(server.label, class_name="font-medium"),
        rx.el.span(server.said, class_name="ms-auto text-[13px] text-muted break-words"),
        key=server.label,
        class_name="flex flex-wrap items-center gap-3 py-2",
    )
