"""The unreadable part of a pair, in its place, with the actions on it."""

from __future__ import annotations

import reflex as rx

from app.state.reply.deletion import PairDeletionState
from app.ui.phrase import phrase
from app.views.screen.pair import ScreenPairView

PairVar = rx.vars.ObjectVar[ScreenPairView]


def damage_note(pair: PairVar) -> rx.Component:
    """The lines of its damage; nothing for a pair that is whole."""
    lines = pair.damage.to(list[str])
    return rx.cond(
        lines.length() > 0,
        rx.el.div(
            rx.el.div(
                rx.el.p(phrase("reply.damaged"), class_name="font-medium"),
                rx.el.ul(
                    rx.foreach(lines, lambda line: rx.el.li(line, key=line, class_name="[overflow-wrap:anywhere]")),
                    class_name="mt-1 list-disc ps-5",
                ),
                rx.el.p(
                    phrase("reply.damaged_hint"),
                    class_name="mt-1 text-ink opacity-80",
                ),
                role="alert",
            ),
            rx.el.div(
                rx.el.a(
                    phrase("reply.export_raw_data"),
                    href=f"/api/v1/pairs/{pair.id}/raw",
                    download=True,
                    custom_attrs={"reloadDocument": True},  # else the router takes it for a page
                ),
                rx.el.button(phrase("reply.delete_damaged"), type="button", on_click=PairDeletionState.ask(pair.id)),
                role="group",
                aria_label=phrase("reply.damaged_options"),
                class_name="failure-ways",
            ),
            custom_attrs={"data-damage": ""},
            class_name="failure mt-3 max-w-measure rounded-lg px-3.5 py-2.5 text-[13.5px] bg-danger-soft text-danger",
        ),
    )
