"""The dialog that asks before a fork, if a filter hides pairs: copy all pairs, or the pairs in view."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.branches import BranchState
from app.ui.kit.containers.dialog import Dialog

_TITLE = "Choose pairs to fork"


@rx.memo
def fork_choice() -> rx.Component:
    """Draw the dialog that asks which pairs a fork copies, with two choices and Cancel."""
    choice = BranchState.choosing
    return Dialog.create(
        rx.el.h2(_TITLE, class_name="dialog-title"),
        rx.el.p(
            "A fork is a new conversation with copies of pairs; this one does not change.", class_name="dialog-words"
        ),
        rx.el.div(
            _way(
                f"Pairs in view{choice.up_to}",
                choice.description,
                BranchState.fork(choice.pair_id, "seen"),
                custom_attrs={"data-first": ""},
            ),
            _way(
                f"All pairs{choice.up_to}",
                "Including pairs that the filter hides",
                BranchState.fork(choice.pair_id, "all"),
            ),
            class_name="ways",
        ),
        rx.el.div(rx.el.button("Cancel", type="button", custom_attrs={"data-close": ""}), class_name="dialog-buttons"),
        label=_TITLE,
        on_close=BranchState.end_choice,
        class_name="modal over-budget",
    )


def _way(
    name: str, note: str | rx.Var[str], event: rx.event.EventType[()], custom_attrs: dict[str, str] | None = None
) -> rx.Component:
    return rx.el.button(
        rx.el.span(name, class_name="way-name"),
        rx.el.span(note, class_name="way-note"),
        type="button",
        on_click=event,
        custom_attrs=custom_attrs or {},
    )
