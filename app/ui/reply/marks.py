"""The buttons of a pair's marks: stars, flag, tag.

A mark that is set is always visible, the others while a pointer or the cursor is at the pair (`assets/inview.css`).
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.domain.conversation.conversation import Mark
from app.state.reply.marks import MarksState
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.vars import PairVar
from app.views.usage.figures import plural

_STAR: Final = "m8 1.8 1.9 4 4.4.5-3.3 3 .9 4.3L8 11.5l-3.9 2.1.9-4.3-3.3-3 4.4-.5z"
FLAG: Final = "M3.5 14.5v-12h8.8L10 5.7l2.3 3.3H3.5"
TAG: Final = "M2.5 2.5h5l6 6-5 5-6-6zM5.2 5.2h.01"


def marks(pair: PairVar) -> rx.Component:
    """Draw the buttons for the stars, the flag and the tag of a pair."""
    return rx.fragment(stars(pair), _flag(pair), _tag(pair))


def stars(pair: PairVar) -> rx.Component:
    """Draw the three buttons for the stars of a pair."""
    return rx.el.span(
        *(_star(pair, count) for count in (1, 2, 3)),
        role="group",
        aria_label="Stars: " + pair.stars.to_string(),
        data_set=rx.cond(pair.stars.to(int) > 0, "true", None),
        class_name="stars",
    )


def _star(pair: PairVar, count: int) -> rx.Component:
    return rx.el.button(
        line_icon(_STAR, fill=rx.cond(pair.stars.to(int) >= count, "currentColor", "none").to(str)),
        type="button",
        aria_pressed=pair.stars == count,
        aria_label=plural(count, "star"),
        title=plural(count, "star"),
        on_click=MarksState.give_stars(pair.id, rx.cond(pair.stars == count, 0, count)),
        class_name="mark",
    )


def _flag(pair: PairVar) -> rx.Component:
    return rx.el.button(
        line_icon(FLAG),
        type="button",
        data_set=rx.cond(pair.flagged, "true", None),
        aria_pressed=pair.flagged,
        aria_label="Flag",
        title=rx.cond(pair.flagged, "Flagged", "Flag"),
        on_click=MarksState.toggle_flag(pair.id),
        class_name="mark",
    )


def tag_name(pair: PairVar) -> Any:
    """Return the name of the tag of a pair, "" for none."""
    return rx.match(pair.mark, *((mark.value, mark.tag) for mark in Mark), "")


def _tag(pair: PairVar) -> rx.Component:
    name = tag_name(pair)
    return rx.el.button(
        line_icon(TAG),
        rx.cond(pair.mark, rx.el.span(name)),
        type="button",
        data_set=rx.cond(pair.mark, "true", None),
        aria_label="Tag: " + rx.cond(pair.mark, name, "none").to(str),
        title="Tag “include” or “exclude”, for filters. A tag alone changes nothing that is sent.",
        on_click=MarksState.cycle_mark(pair.id),
        class_name="mark tag",
    )
