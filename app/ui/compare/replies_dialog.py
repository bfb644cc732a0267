"""The dialog with the replies of a comparison side by side, while they stream and afterwards.

Each reply is a column with its status, its figures, and a button: Stop while it is running, then Keep. If a pair is
answered again, its current reply is a column too. The dialog covers the page, because columns need space; Escape
minimises it, and nothing is lost.
"""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.compare.keeping import KeepingState
from app.state.comparison import FOLD_ID, ComparisonState
from app.ui.composer.permissions import waiting_calls
from app.ui.kit.containers.boundary import boundary
from app.ui.kit.containers.dialog import Dialog, dialog_title
from app.ui.kit.controls.provider_link import vendor_of, with_provider_link
from app.ui.reply.failure import recovered_mark
from app.ui.reply.markdown import markdown
from app.views.compare.compared import ComparedColumnView
from app.views.reply.failure import FailureNote

_OPEN: Any = ComparisonState.comparison
_REPLIES: Any = ComparisonState.replies

ColumnVar = rx.vars.ObjectVar[ComparedColumnView]


@rx.memo
def compared_replies_dialog() -> rx.Component:
    """Draw the dialog with the compared replies: the request, the tool calls that wait for permission, the columns."""
    return Dialog.create(
        rx.el.header(
            dialog_title(_REPLIES.title),
            rx.el.button(
                rx.cond(
                    _OPEN.pair_id != "",
                    "Keep the current reply",
                    rx.cond(_REPLIES.columns.length() == 2, "Delete both replies", "Delete all replies"),
                ),
                type="button",
                disabled=KeepingState.busy,
                on_click=KeepingState.discard,
                class_name="quiet",
            ),
            rx.el.button(
                "Minimise",
                id=FOLD_ID,
                type="button",
                title="Back to the conversation (Esc)",
                custom_attrs={"data-first": "", "data-close": ""},
                class_name="quiet",
            ),
            rx.el.p(_OPEN.text, dir="auto", class_name="compare-request"),
        ),
        rx.cond(KeepingState.fault != "", rx.el.p(KeepingState.fault, role="alert", class_name="compare-fault")),
        rx.cond(_REPLIES.damage != "", rx.el.p(_REPLIES.damage, role="alert", class_name="compare-fault")),
        waiting_calls(),
        rx.el.div(
            rx.foreach(_REPLIES.columns.to(list[ComparedColumnView]), lambda column: compared_column(column=column)),
            class_name="compare-columns",
        ),
        label="Compared replies",
        on_close=ComparisonState.fold,
        class_name="modal compare",
    )


@rx.memo
def compared_column(column: ColumnVar) -> rx.Component:
    """Draw one column: a reply of the comparison, or the current reply of the pair that is answered again."""
    return rx.el.section(
        rx.el.header(rx.el.h3(column.model_name, title=column.model.to(str)), _status(column)),
        rx.el.div(
            rx.foreach(column.parts.to(list[dict[str, str]]), lambda part, index: _part(column, part, index)),
            rx.cond(column.error, _failure(column.error.to(FailureNote), column.model.to(str))),
            tab_index=0,
            role="group",
            aria_label=rx.cond(column.is_current, "Current reply", "Reply of " + column.model_name.to(str)),
            class_name="compare-body",
        ),
        rx.cond(column.is_current, None, _foot(column)),
        aria_label=rx.cond(column.is_current, "Current reply", column.model_name),
        custom_attrs={"data-state": column.lifecycle},
        class_name=rx.cond(column.is_current, "compare-standing", ""),
    )


def _status(column: ColumnVar) -> rx.Component | rx.Var[Any]:
    return rx.cond(column.is_current, rx.el.p(column.status), rx.el.p(column.status, role="status"))


def _part(column: ColumnVar, part: rx.vars.ObjectVar[dict[str, str]], index: rx.Var[int]) -> rx.Component | rx.Var[Any]:
    live = column.running.to(bool) & (index == column.parts.length() - 1)
    return rx.match(
        part["type"],
        ("text", boundary(markdown(part["text"], live=live), what="This reply", text=part["text"])),
        (
            "thinking",
            rx.el.details(
                rx.el.summary(rx.cond(live, "Thinking…", "Thought")),
                rx.el.p(part["text"], dir="auto"),
                class_name="compare-note",
            ),
        ),
        ("tool_call", rx.el.p("Tool: ", part["name"], class_name="compare-note")),
        (
            "tool_result",
            rx.el.p(rx.cond(part["is_error"], "Failed or denied.", "Done."), class_name="compare-note"),
        ),
        rx.fragment(),
    )


def _foot(column: ColumnVar) -> rx.Component:
    name = column.model_name.to(str)
    return rx.el.footer(
        rx.el.p(column.figures),
        rx.cond(
            column.running,
            rx.el.button(
                "Stop",
                type="button",
                disabled=KeepingState.busy,
                on_click=KeepingState.stop(column.run_id),
                aria_label="Stop " + name,
                class_name="quiet",
            ),
            rx.el.button(
                "Keep this reply",
                type="button",
                disabled=KeepingState.busy | (column.parts.length() == 0),
                on_click=KeepingState.keep(column.model),
                aria_label="Keep this reply: " + name,
                class_name="loud",
            ),
        ),
    )


def _failure(error: rx.vars.ObjectVar[FailureNote], model: rx.Var[str]) -> rx.Component:
    next_step = with_provider_link(error.next_step.to(str), vendor_of(model))
    return rx.el.p(error.message, recovered_mark(error.recovered), " ", next_step, class_name="compare-fault")
