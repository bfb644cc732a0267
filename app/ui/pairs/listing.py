"""The list of all pairs, each with a checkbox, and the bar with the actions on those that are ticked."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.all_pairs import MAX_SHOWN, AllPairsState, FoundPairItem
from app.ui.kit.moment import Moment
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase

_TICK: Any = AllPairsState.tick  # a checkbox sends a truth, which Reflex's types do not know


def pair_list() -> rx.Component:
    """What the page is for, the pairs that are found, or why there are none."""
    none = AllPairsState.pairs.length() == 0
    return rx.fragment(
        rx.el.p(phrase("all_pairs.about"), class_name="text-muted text-[14px]"),
        rx.cond(
            AllPairsState.refusal,
            rx.el.p(AllPairsState.refusal.message, role="alert", class_name="form-fault"),
        ),
        rx.el.ul(
            rx.foreach(AllPairsState.pairs, lambda item: found_pair(item=item, key=item.id)),
            aria_label=phrase("all_pairs.title"),
            class_name="found-pairs",
        ),
        rx.cond(none & AllPairsState.loaded & ~AllPairsState.searching, _nothing()),
        rx.cond(
            AllPairsState.searching, rx.el.p(phrase("all_pairs.searching"), role="status", class_name="trash-said")
        ),
        rx.cond(
            AllPairsState.more & ~AllPairsState.searching,
            rx.el.button(
                phrase("all_pairs.show_older"), type="button", on_click=AllPairsState.show_more, class_name="quiet"
            ),
        ),
        rx.cond(
            AllPairsState.pairs.length() >= MAX_SHOWN,
            rx.el.p(phrase("all_pairs.too_many", count=rx.Var.create(f"{MAX_SHOWN:,}")), class_name="trash-said"),
        ),
    )


def _nothing() -> rx.Component:
    return rx.el.div(
        rx.cond(
            AllPairsState.filter == "",
            rx.el.p(phrase("all_pairs.none_yet")),
            rx.fragment(
                rx.el.p(phrase("all_pairs.none_found", description=AllPairsState.description)),
                rx.el.button(phrase("filters.show_all_pairs"), type="button", on_click=AllPairsState.clear),
            ),
        ),
        class_name="nothing-found",
    )


@rx.memo
def found_pair(item: rx.vars.ObjectVar[FoundPairItem], rest: rx.RestProp) -> rx.Component:
    """A pair: the box with the beginnings of its texts as its name, and the link to its place."""
    return rx.el.li(
        rest,
        rx.el.label(
            rx.el.input(
                type="checkbox",
                key=AllPairsState.turn,  # drawn again when all are ticked: a box keeps its own tick
                default_checked=AllPairsState.selected.contains(item.id),
                on_change=lambda ticked: _TICK(item.id, ticked),
            ),
            rx.el.span(
                rx.el.span(item.asked, dir="auto", class_name="found-asked"),
                rx.cond(item.answered != "", rx.el.span(item.answered, dir="auto", class_name="found-answered")),
            ),
        ),
        rx.el.p(
            PageLink.create(item.conversation, to=item.path, custom_attrs={"dir": "auto"}),
            " · ",
            Moment.create(at=item.at),
            " · ",
            item.about,
            class_name="trash-about",
        ),
    )


def pair_selection() -> rx.Component:
    """How many are ticked, and what can be done with them."""
    count = AllPairsState.selected.length()
    none = count == 0
    return rx.cond(
        AllPairsState.pairs.length() > 0,
        rx.el.div(
            rx.el.p(
                rx.cond(none, phrase("all_pairs.select_some"), phrase("all_pairs.selected", count=count)),
                rx.cond(AllPairsState.weight != "", rx.el.small(AllPairsState.weight, class_name="ms-2 text-muted")),
                role="status",
            ),
            rx.cond(
                none,
                rx.el.button(
                    phrase("all_pairs.select_all"), type="button", on_click=AllPairsState.tick_all, class_name="quiet"
                ),
                rx.el.button(
                    phrase("all_pairs.select_none"), type="button", on_click=AllPairsState.tick_none, class_name="quiet"
                ),
            ),
            rx.el.button(
                phrase("all_pairs.begin"),
                type="button",
                disabled=none | AllPairsState.beginning,
                aria_busy=AllPairsState.beginning,
                on_click=AllPairsState.begin_conversation,
                class_name="loud",
            ),
            role="group",
            aria_label=phrase("all_pairs.selection"),
            class_name="found-selection",
        ),
    )
