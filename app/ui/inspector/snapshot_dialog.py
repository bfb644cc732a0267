"""The dialog that shows the stored request of a failed pair, with buttons that send the pair again."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.bodies import BodyView
from app.state.inspector.snapshot import SnapshotState
from app.state.reply.resend import ResendState
from app.ui.inspector.json import body_figure
from app.ui.inspector.pieces import changes, fact, message
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_title
from app.ui.kit.keys.tabs import Tabs, tab
from app.views.inspector.request import FactView, PieceView

_KEPT = SnapshotState.kept
_TABS = {"sent": "As sent", "now": "Compared with now"}


@rx.memo
def snapshot_dialog() -> rx.Component:
    """Draw the dialog with the stored request of a failed pair. It is open while `SnapshotState.pair` is set."""
    return Dialog.create(
        dialog_title(SnapshotState.title),
        Tabs.create(
            *(
                tab(
                    text,
                    chosen=SnapshotState.tab == name,
                    on_click=SnapshotState.choose_tab(name),
                    id=f"snapshot-tab-{name}",
                    aria_controls="snapshot-panel",
                    custom_attrs={"data-first": ""} if name == "sent" else {},
                )
                for name, text in _TABS.items()
            ),
            label=SnapshotState.title,
            class_name="tabs",
        ),
        rx.el.div(
            rx.cond(
                SnapshotState.fault != "",
                rx.el.p(SnapshotState.fault, role="alert", class_name="inspector-fault"),
                rx.cond(
                    _KEPT.is_not_none(),
                    rx.cond(SnapshotState.tab == "sent", _as_it_left(), _compared()),
                    rx.el.p("Loading the request…", role="status", class_name="inspector-note"),
                ),
            ),
            id="snapshot-panel",
            role="tabpanel",
            aria_labelledby=f"snapshot-tab-{SnapshotState.tab}",
            tab_index=0,
            class_name="snapshot-body",
        ),
        dialog_foot(
            rx.cond(_KEPT.is_not_none(), _resend_buttons()),
            dialog_cancel("Close"),
        ),
        label=SnapshotState.title,
        on_close=SnapshotState.close,
        class_name="modal snapshot",
    )


@rx.memo
def snapshot_message(item: rx.vars.ObjectVar[PieceView], rest: rx.RestProp) -> rx.Component:
    """Draw a message that differs between the stored request and the current one."""
    return message(item, rest, SnapshotState.open_piece)


def _as_it_left() -> rx.Component:
    return rx.fragment(
        rx.el.dl(
            fact("Model", rx.el.span(_KEPT.model_name, title=_KEPT.model.to(str))),
            fact("To", _KEPT.target),
            fact("When", MomentText.create(at=_KEPT.at)),
            fact("Body", _KEPT.size),
            rx.foreach(_KEPT.headers.to(tuple[FactView, ...]), lambda header: fact(header.name, header.value)),
            class_name="facts",
        ),
        body_figure(_KEPT.body.to(BodyView), SnapshotState.show_page),
    )


def _compared() -> rx.Component:
    return rx.cond(
        SnapshotState.changes.is_not_none(),
        changes(SnapshotState.changes, snapshot_message),
        rx.el.p(
            rx.cond(SnapshotState.note != "", SnapshotState.note, "Building the current request…"),
            role="status",
            class_name="inspector-note",
        ),
    )


def _resend_buttons() -> rx.Component:
    acts = {
        "Send current request": ResendState.answer_again(SnapshotState.pair, ""),
        "Resend as it was": ResendState.send_as_it_was(SnapshotState.pair),
    }
    return rx.fragment(
        *(
            rx.el.button(name, type="button", on_click=[SnapshotState.close, act], class_name="quiet")
            for name, act in acts.items()
        )
    )
