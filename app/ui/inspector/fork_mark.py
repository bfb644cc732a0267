"""Branches at a pair and at the head of a conversation: the button that forks, and links to the forks."""

from __future__ import annotations

import reflex as rx

from app.state.address import conversation_path
from app.state.chat import ChatState
from app.state.inspector.branches import BranchState, ForksItem
from app.state.inspector.frame import InspectorState
from app.ui.inspector.fork_icon import fork_icon
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase


@rx.memo
def fork_mark(pair_id: rx.Var[str]) -> rx.Component:
    """The button that forks after a pair, and how many forks leave there."""
    return rx.fragment(
        rx.el.button(
            fork_icon(),
            type="button",
            aria_label=phrase("inspector.fork_from_here"),
            title=phrase("inspector.fork_button"),
            on_click=BranchState.ask_fork(pair_id),
            class_name="mark",
        ),
        rx.foreach(BranchState.forks, lambda forks: rx.cond(forks.pair_id == pair_id, _forks(forks))),
    )


def _forks(forks: rx.vars.ObjectVar[ForksItem]) -> rx.Component:
    return rx.el.button(
        forks.count,
        type="button",
        aria_label=phrase("inspector.branches_here", count=forks.count),
        title=phrase("inspector.from_here", count=forks.count),
        on_click=InspectorState.show("branches"),
        custom_attrs={"data-set": ""},
        class_name="mark forks",
    )


def forked_from() -> rx.Component:
    """At the head of a fork, or of what was derived: the conversation it came from, if that is still there."""
    name = rx.cond(ChatState.parent_name != "", ChatState.parent_name, phrase("inspector.untitled"))
    origin = PageLink.create(name, to=conversation_path(f"{ChatState.parent}"), custom_attrs={"dir": "auto"})
    known = ChatState.fork_position > 0
    place = ChatState.fork_position.to_string()
    return rx.cond(
        ChatState.parent != "",
        rx.cond(
            ChatState.derived,
            _head(
                f"{phrase('inspector.made_for')} ",
                origin,
                rx.cond(known, phrase("inspector.pair_place", place=place), ""),
                link=phrase("inspector.lineage"),
                section="lineage",
            ),
            _head(
                f"{phrase('inspector.forked_from')} ",
                origin,
                rx.cond(known, phrase("inspector.after_pair", place=place), ""),
                link=phrase("inspector.all_branches"),
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
