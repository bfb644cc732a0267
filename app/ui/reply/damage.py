"""What of a pair cannot be read, with what a person can do about it: keep the stored bytes, delete the pair."""

from __future__ import annotations

import reflex as rx

from app.state.reply.deletion import PairDeletionState
from app.views.screen.pair import ScreenPairView


def damage_note(pair: rx.vars.ObjectVar[ScreenPairView]) -> rx.Component | rx.Var[rx.Component]:
    """The note, where there is damage."""
    return rx.cond(
        pair.damage.length() > 0,
        rx.el.div(
            rx.el.div(
                rx.el.p("Something of this pair cannot be read.", class_name="font-medium"),
                rx.el.ul(
                    rx.foreach(
                        pair.damage.to(list[str]), lambda line: rx.el.li(line, class_name="[overflow-wrap:anywhere]")
                    )
                ),
                rx.el.p(
                    "What can be read is shown. The next message is sent without this pair.", class_name="opacity-80"
                ),
                role="alert",
            ),
            rx.el.div(
                rx.el.a(
                    "Export raw",
                    href="/api/v1/pairs/" + pair.id.to(str) + "/raw",
                    download="pair-" + pair.id.to(str) + "-raw.json",
                    custom_attrs={"reloadDocument": True},  # else the router takes it for a page
                ),
                rx.el.button("Delete", type="button", on_click=PairDeletionState.ask(pair.id)),
                role="group",
                aria_label="What to do about it",
                class_name="failure-ways",
            ),
            class_name="damage mt-3 max-w-measure rounded-lg bg-danger-soft px-3.5 py-2.5 text-[13.5px] text-danger",
        ),
    )
