"""The section that compares the ledger with a provider's bill: a field for the bill's file, and the differences."""

from __future__ import annotations

import reflex as rx

from app.state.usage.bill import KINDS, BillLine, BillState
from app.ui.kit.island import Island, island
from app.ui.usage.table import column, fault_note, scrolled_table, unseen_column


def _piece(
    number: rx.Var[int], text: rx.Var[str], is_last: rx.Var[bool]
) -> tuple[rx.Var[int], rx.Var[str], rx.Var[bool]]:
    return number, text, is_last


class BillFile(Island):
    """A file field that sends a text file in pieces.

    `on_piece` gets the number of a piece from 0, its text, and True for the last piece.
    """

    library = island("usage/text_file.tsx")
    tag = "TextFile"
    accept: rx.Var[str]
    label: rx.Var[str]
    on_piece: rx.EventHandler[_piece]


def bill() -> rx.Component:
    """Draw the section that compares the ledger with a provider's bill."""
    return rx.el.section(
        rx.el.h2("Compare with a provider's bill", id="reconcile-title"),
        rx.el.p(
            "Choose the usage file that the console of Anthropic or OpenAI exports (CSV). It is compared day by day "
            "and model by model, and not stored.",
            class_name="usage-note",
        ),
        rx.el.label(
            rx.el.span(rx.cond(BillState.busy, "Comparing…", "Choose a file…"), class_name="quiet"),
            BillFile.create(
                accept=".csv,text/csv",
                label="Usage export of the provider",
                on_piece=BillState.take_piece,
                class_name="unseen",
            ),
            class_name="usage-file",
        ),
        fault_note(BillState.fault),
        rx.el.p(rx.cond(BillState.bill, BillState.bill.summary, ""), role="status", class_name="usage-note"),
        rx.cond(BillState.bill.lines.length() > 0, _table()),
        aria_labelledby="reconcile-title",
        class_name="usage",
    )


def _table() -> rx.Component:
    return scrolled_table(
        rx.el.thead(
            rx.el.tr(column("Day"), column("Model", "of"), unseen_column("Result"), *[column(label) for label in KINDS])
        ),
        rx.el.tbody(rx.foreach(BillState.bill.lines, _line)),
        caption="Differences: here / at the provider",
        label="Differences",
    )


def _line(line: rx.vars.ObjectVar[BillLine]) -> rx.Component:
    return rx.el.tr(
        rx.el.th(line.day, scope="row"),
        rx.el.td(line.model, class_name="of"),
        rx.el.td(rx.el.b(line.verdict), class_name="verdict"),
        rx.foreach(line.tokens, rx.el.td),
    )
