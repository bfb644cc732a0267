"""The filter bar over all pairs."""

from __future__ import annotations

import reflex as rx

from app.state.all_pairs import AllPairsState
from app.state.filters.sheet import FILTER, SheetState
from app.ui.filters.bar import (
    CROSS,
    FUNNEL,
    QUESTION,
    FilterAddress,
    FilterLine,
    filter_button,
    line_feedback,
    line_keys,
)
from app.ui.kit.icon import icon
from app.ui.phrase import phrase


def all_pairs_bar() -> rx.Component:
    """The bar of the page of all pairs."""
    filter_ = AllPairsState.filter
    in_force = rx.cond(filter_ != "", AllPairsState.description, phrase("filters.all_pairs")).to(str)
    unwritten = ~AllPairsState.loaded | AllPairsState.refusal.bool()
    return rx.fragment(
        FilterAddress.create(
            filter=rx.cond(unwritten, None, filter_),
            steps=AllPairsState.steps,
            read=AllPairsState.read,
            on_return=AllPairsState.load,
        ),
        FilterLine.create(
            applied=filter_,
            feedback=AllPairsState.feedback,
            past=AllPairsState.past,
            done=AllPairsState.done,
            failed=AllPairsState.refusal.bool(),
            saved_open=False,
            label=phrase("filters.filter"),
            placeholder=phrase("all_pairs.placeholder"),
            fold_label=rx.cond(
                filter_ != "", phrase("filters.filter_filter", filter=filter_), phrase("filters.filter")
            ),
            fold_title=phrase("filters.filter_text"),
            list_label=phrase("filters.suggestions"),
            icon=icon(FUNNEL, class_name="funnel"),
            summary=all_pairs_summary(),
            says=line_feedback(feedback=AllPairsState.feedback, in_force=in_force),
            keys=line_keys(),
            buttons=all_pairs_buttons(),
            on_begin=AllPairsState.begin,
            on_check=AllPairsState.check,
            on_enter=AllPairsState.enter,
            on_leave=AllPairsState.leave,
        ),
    )


# What is drawn within a prop is a memo: Reflex cannot draw a foreach there.
@rx.memo
def all_pairs_summary() -> rx.Component:
    """The filter in force, in plain words."""
    return rx.el.p(
        AllPairsState.description,
        id="filter-says",
        title=AllPairsState.description,
        hidden=AllPairsState.filter == "",
        class_name="filter-sentence",
    )


@rx.memo
def all_pairs_buttons() -> rx.Component:
    """Clear, help."""
    return rx.fragment(
        rx.cond(
            AllPairsState.filter != "",
            filter_button(phrase("filters.clear_the_filter"), CROSS, on_click=AllPairsState.clear),
        ),
        filter_button(phrase("filters.completions"), QUESTION, on_click=SheetState.show(FILTER)),
    )
