"""The dialog that lists the recorded calls of a pair, and the button in the pair's line that opens it."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.sent import SentItem, SentState
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_foot, dialog_title
from app.ui.kit.icon import line_icon
from app.ui.kit.moment import Moment
from app.ui.phrase import phrase

_OUT = "M8 10V3M5.5 5.5 8 3l2.5 2.5M3 9.5V13h10V9.5"


def sent_mark(pair_id: rx.Var[str]) -> rx.Component:
    """The button that lists what was sent for a pair."""
    return rx.el.button(
        line_icon(_OUT),
        type="button",
        aria_label=phrase("inspector.recorded_calls"),
        title=phrase("inspector.recorded_calls"),
        on_click=SentState.open(pair_id),
        class_name="mark sent-mark",
    )


@rx.memo
def sent_dialog() -> rx.Component:
    """Open while `SentState.pair` is set."""
    return Dialog.create(
        dialog_title(SentState.title),
        rx.cond(
            SentState.fault != "",
            rx.el.p(SentState.fault, role="alert", class_name="inspector-fault"),
            rx.cond(
                SentState.calls.is_not_none(),
                rx.cond(
                    SentState.calls.to(tuple[SentItem, ...]).length() > 0,
                    _listed(),
                    rx.el.p(phrase("inspector.recorded_none"), class_name="dialog-words"),
                ),
                rx.el.p(phrase("common.loading"), role="status", class_name="dialog-words"),
            ),
        ),
        dialog_foot(dialog_cancel(phrase("common.close"))),
        label=SentState.title,
        on_close=SentState.close,
        class_name="modal sent-calls",
    )


def _listed() -> rx.Component:
    return rx.fragment(
        rx.el.p(phrase("inspector.recorded_note"), class_name="dialog-words"),
        rx.el.ol(
            rx.foreach(SentState.calls.to(tuple[SentItem, ...]), lambda call: sent_line(call=call, key=call.id)),
            aria_label=phrase("inspector.recorded_calls"),
            tab_index=0,
            class_name="usage-calls",
        ),
    )


@rx.memo
def sent_line(call: rx.vars.ObjectVar[SentItem], rest: rx.RestProp) -> rx.Component:
    """A call: what for, whether its words are left, and its bytes; then model, time, size and hash."""
    return rx.el.li(
        rest,
        rx.el.div(
            rx.el.span(call.what),
            rx.cond(
                call.download != "",
                rx.el.a(
                    phrase("inspector.download_the_body"),
                    href=call.download,
                    download="",
                    aria_label=call.name,
                    custom_attrs={"reloadDocument": True},  # else the router takes it for a page
                ),
            ),
            class_name="usage-call",
        ),
        rx.el.div(
            rx.el.span(call.model),
            Moment.create(at=call.at),
            rx.el.span(call.size),
            rx.el.code(call.digest, title=call.sha256),
            rx.el.span(call.standing, custom_attrs={"data-kept": call.kept}, class_name="sent-kept"),
            class_name="usage-call-more",
        ),
    )
