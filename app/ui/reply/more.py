"""The menu of a pair for touch screens: its rare actions as a list, one action with its name in each line."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.inspector.branches import BranchState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.marks import MarksState
from app.ui.inspector.fork_icon import fork_icon
from app.ui.kit.containers.menu_button import MenuButton
from app.ui.kit.controls.copy_button import copy_button
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.keys.place import Place, go_to
from app.ui.kit.vars import PairVar
from app.ui.reply.marks import FLAG, TAG, stars, tag_name
from app.ui.reply.tools import BIN

_DOTS: Final = "M3.5 8h.01M8 8h.01M12.5 8h.01"


def more_menu(pair: PairVar) -> rx.Component:
    """Draw the button "…" and its menu. On other screens, the line below the pair has these actions."""
    return MenuButton.create(
        rx.el.div(rx.el.span("Stars"), rx.el.div(stars(pair), custom_attrs={"data-close": ""}), class_name="menu-row"),
        _item(
            line_icon(FLAG),
            rx.cond(pair.flagged, "Remove the flag", "Flag"),
            MarksState.toggle_flag(pair.id),
        ),
        _item(
            line_icon(TAG),
            "Tag: " + rx.cond(pair.mark, tag_name(pair), "none").to(str),
            MarksState.cycle_mark(pair.id),
        ),
        _item(fork_icon(), "Fork from here", BranchState.ask_fork(pair.id)),
        copy_button(pair.user_text, label="Copy the request", words="Copy the request"),
        _item(
            line_icon(BIN),
            "Delete the pair",
            [PairDeletionState.ask(pair.id), go_to(Place.DELETE, pair.id.to(str))],
            classes="danger-quiet",
        ),
        label="More actions",
        face=line_icon(_DOTS),
        popup="popup menu pair-menu",
        class_name="more",
    )


def _item(icon: rx.Component, name: str | rx.Var[str], event: Any, *, classes: str = "") -> rx.Component:
    return rx.el.button(
        icon,
        rx.el.span(name),
        type="button",
        on_click=event,
        custom_attrs={"data-close": ""},
        class_name=f"menu-item {classes}",
    )
