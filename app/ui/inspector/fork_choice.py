"""The dialog before a fork while a filter hides pairs: copy all pairs, or only those in view."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.branches import BranchState
from app.ui.kit.dialog import Dialog
from app.ui.phrase import phrase

_TITLE = phrase("inspector.fork_question")


@rx.memo
def fork_choice() -> rx.Component:
    """Two ways, and none."""
    choice = BranchState.choosing
    return Dialog.create(
        rx.el.h2(_TITLE, class_name="dialog-title"),
        rx.el.p(phrase("inspector.fork_about"), class_name="dialog-words"),
        rx.el.div(
            _way(
                phrase("inspector.fork_choice_in_view", up_to=choice.up_to),
                choice.description,
                BranchState.fork(choice.pair_id, "seen"),
                custom_attrs={"data-first": ""},
            ),
            _way(
                phrase("inspector.all_pairs", up_to=choice.up_to),
                phrase("inspector.fork_choice_hidden"),
                BranchState.fork(choice.pair_id, "all"),
            ),
            class_name="ways",
        ),
        rx.el.div(
            rx.el.button(phrase("common.cancel"), type="button", custom_attrs={"data-close": ""}),
            class_name="dialog-buttons",
        ),
        label=_TITLE,
        on_close=BranchState.end_choice,
        class_name="modal over-budget",
    )


def _way(
    name: str | rx.Var[str],
    note: str | rx.Var[str],
    event: rx.event.EventType[()],
    custom_attrs: dict[str, str] | None = None,
) -> rx.Component:
    return rx.el.button(
        rx.el.span(name, class_name="way-name"),
        rx.el.span(note, class_name="way-note"),
        type="button",
        on_click=event,
        custom_attrs=custom_attrs or {},
    )
