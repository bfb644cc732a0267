"""The dialog that chooses the models of a comparison. Arrows move the focus, Space ticks a model, Enter starts.

The browser updates the ticks without the server: a checkbox that waited for the server would lose the next key.
"""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.compare.choice import ComparableRow, ComparisonChoiceState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.ui.kit.keys.arrows import Arrows

_ASKED: Any = ComparisonChoiceState.choosing
_TICK: Any = ComparisonChoiceState.tick  # a checkbox sends a bool, which Reflex's types do not allow


@rx.memo
def comparison_choice_dialog() -> rx.Component:
    """Draw the dialog that chooses the models of a comparison, with their number or the reason why there are none."""
    return Dialog.create(
        rx.el.form(
            Arrows.create(
                dialog_title(_ASKED.label),
                dialog_text(_ASKED.explained),
                rx.el.input(
                    type="text",
                    placeholder="Search models",
                    aria_label="Search models",
                    auto_complete="off",
                    on_change=ComparisonChoiceState.search,
                    custom_attrs={"data-first": ""},
                ),
                rx.el.div(
                    rx.foreach(ComparisonChoiceState.rows, _row),
                    rx.cond(ComparisonChoiceState.none, rx.el.p("No models found.", class_name="picker-none")),
                    role="group",
                    aria_label="Models",
                    class_name="compare-models",
                ),
                rx.el.p(ComparisonChoiceState.said, role="status", class_name="compare-said"),
                among=".compare-models",
            ),
            dialog_foot(
                dialog_cancel(),
                rx.el.button("Compare", type="submit", aria_disabled=~ComparisonChoiceState.ready, class_name="loud"),
            ),
            on_submit=ComparisonChoiceState.start,
        ),
        label=_ASKED.label,
        on_close=ComparisonChoiceState.close,
        class_name="modal compare-choice",
    )


def _row(row: rx.vars.ObjectVar[ComparableRow]) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="checkbox",
            default_checked=row.ticked,
            disabled=row.held,
            on_change=lambda ticked: _TICK(row.model, ticked),
        ),
        rx.el.span(row.name),
        " ",
        rx.el.small(row.provider),
        key=row.model,
    )
