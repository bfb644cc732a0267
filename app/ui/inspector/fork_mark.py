"""The fork button of a pair, and the line above a forked conversation that names its origin."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.branches import BranchState, ForksItem
from app.state.inspector.frame import InspectorState
from app.state.tab.address import conversation_path
from app.state.transcript.chat import ChatState
from app.ui.inspector.fork_icon import fork_icon
from app.ui.kit.controls.page_link import PageLink


@rx.memo
def fork_mark(pair_id: rx.Var[str]) -> rx.Component:
    """Draw the button that forks after a pair, and the number of forks that were made there."""
    return rx.fragment(
        rx.el.button(
            fork_icon(),
            type="button",
            aria_label="Fork from here",
            title="Fork from here: a new conversation with the pairs up to this one",
            on_click=BranchState.ask_fork(pair_id),
            class_name="mark",
        ),
        rx.foreach(BranchState.forks, lambda forks: rx.cond(forks.pair_id == pair_id, _forks(forks))),
    )


def _forks(forks: rx.vars.ObjectVar[ForksItem]) -> rx.Component:
    return rx.el.button(
        forks.count,
        type="button",
        aria_label=f"{forks.count} from here. Show the branches",
        title=f"{forks.count} from here",
        on_click=InspectorState.show("branches"),
        custom_attrs={"data-set": ""},
        class_name="mark forks",
    )


def forked_from() -> rx.Component:
    """Draw the line that names the origin of a fork or a child conversation; nothing if the origin was deleted."""
    name = rx.cond(ChatState.parent_name != "", ChatState.parent_name, "a conversation without a title")
    origin = PageLink.create(name, to=conversation_path(f"{ChatState.parent}"), custom_attrs={"dir": "auto"})
    known = ChatState.fork_position > 0
    place = ChatState.fork_position.to_string()
    return rx.cond(
        ChatState.parent != "",
        rx.cond(
            ChatState.derived,
            _head("Made for ", origin, rx.cond(known, f", pair {place}", ""), link="Lineage", section="lineage"),
            _head(
                "Forked from ",
                origin,
                rx.cond(known, f", after pair {place}", ""),
                link="All branches",
                section="branches",
            ),
        ),
    )


def _head(*sentence: str | rx.Component | rx.Var[str], link: str, section: str) -> rx.Component:
    return rx.el.p(
        fork_icon(),
        rx.el.span(*sentence),
        rx.el.button(link, type="button", on_click=InspectorState.show(section)),
        class_name="forked-from",
    )
