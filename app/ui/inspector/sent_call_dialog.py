"""The dialog that shows the recorded request of a provider call."""

from __future__ import annotations

import reflex as rx

from app.state.usage.sent_call import SentCallState
from app.ui.inspector.pieces import fact, facts, message, piece
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_title
from app.ui.kit.controls.copy_button import copy_button
from app.views.inspector.request import PieceView

_CALL = SentCallState.call
_REQUEST = SentCallState.request
_TITLE = "Sent request"


@rx.memo
def sent_call_dialog() -> rx.Component:
    """Draw the dialog with the recorded request of a call. It is open while `SentCallState.call` is set."""
    return Dialog.create(
        dialog_title(_TITLE),
        rx.el.div(
            _summary(),
            rx.cond(
                SentCallState.fault != "",
                rx.el.p(SentCallState.fault, role="alert", class_name="inspector-fault"),
                rx.cond(
                    _REQUEST.is_not_none(),
                    _readable(),
                    rx.el.p("Loading the request…", role="status", class_name="inspector-note"),
                ),
            ),
            role="region",
            aria_label=_TITLE,
            tab_index=0,
            class_name="snapshot-body",
        ),
        dialog_foot(dialog_cancel("Close")),
        label=_TITLE,
        on_close=SentCallState.close,
        class_name="modal snapshot sent-call",
    )


@rx.memo
def sent_call_message(item: rx.vars.ObjectVar[PieceView], rest: rx.RestProp) -> rx.Component:
    """Draw a message of the recorded request."""
    return message(item, rest, SentCallState.open_piece)


def _summary() -> rx.Component:
    return rx.el.dl(
        fact("For", _CALL.what),
        fact("Model", rx.el.span(_CALL.model_name, title=_CALL.model.to(str))),
        fact("When", MomentText.create(at=_CALL.started_at)),
        fact("Tokens", _CALL.tokens),
        fact("Cost", _CALL.cost),
        class_name="facts",
    )


def _readable() -> rx.Component:
    return rx.el.div(
        rx.cond(_REQUEST.system.is_not_none(), piece(_REQUEST.system.to(PieceView), SentCallState.open_piece)),
        rx.el.h3(_REQUEST.count),
        rx.cond(
            _REQUEST.earlier != "",
            rx.el.button(_REQUEST.earlier, type="button", on_click=SentCallState.show_earlier, class_name="quiet"),
        ),
        rx.el.ol(
            rx.foreach(_REQUEST.messages, lambda item: sent_call_message(item=item, key=item.key)),
            class_name="messages",
        ),
        rx.cond(
            _REQUEST.tools_count != "",
            rx.fragment(
                rx.el.h3(_REQUEST.tools_count),
                rx.foreach(_REQUEST.tools, lambda item: piece(item, SentCallState.open_piece)),
            ),
        ),
        rx.cond(
            _REQUEST.parameters.length() > 0,
            rx.fragment(rx.el.h3("Parameters"), facts(_REQUEST.parameters)),
        ),
        rx.el.dl(
            fact(
                "Content hash",
                rx.el.code(_REQUEST.content_hash.to(str)[:16], "…", title=_REQUEST.content_hash),
                " ",
                copy_button(_REQUEST.content_hash, label="Copy the content hash"),
            ),
            fact(
                "JSON",
                rx.el.a(
                    "Download",
                    href="/api/v1/calls/" + _CALL.id.to(str),
                    download="request-" + _CALL.id.to(str) + ".json",
                    custom_attrs={"reloadDocument": True},  # otherwise the router treats the address as that of a page
                ),
            ),
            class_name="facts",
        ),
        class_name="readable",
    )
