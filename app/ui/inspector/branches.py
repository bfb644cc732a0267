"""The section Branches of the inspector: the tree of forks, and the buttons that fork."""

from __future__ import annotations

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.filters.applied import FilterState
from app.state.inspector.branches import BranchItem, BranchState
from app.state.transcript.transcript import TranscriptState
from app.ui.inspector.fork_icon import fork_icon
from app.ui.inspector.tree import Tree
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.controls.page_link import PageLink


@rx.memo
def branches_panel() -> rx.Component:
    """Draw the section Branches: the tree of forks, an error, or a note that the tree is loading."""
    return rx.cond(
        BranchState.items.length() > 0,
        rx.el.div(
            rx.cond(BranchState.items.length() == 1, _no_branches()),
            Tree.create(
                rx.foreach(BranchState.items, lambda item: branch_line(item=item, key=item.id)),
                label="Branches",
                current=BranchState.conversation,
                frame="inspector",
                class_name="branches",
            ),
            rx.cond(TranscriptState.pairs.length() > 0, _foot()),
            class_name="inspector-body",
        ),
        rx.cond(
            BranchState.fault != "",
            rx.el.div(
                rx.el.p(BranchState.fault, role="alert", class_name="inspector-fault"),
                rx.el.button("Try again", type="button", on_click=BranchState.keep_current, class_name="quiet"),
                class_name="inspector-body",
            ),
            rx.el.p("Loading branches…", role="status", class_name="inspector-note"),
        ),
    )


@rx.memo
def branch_line(item: rx.vars.ObjectVar[BranchItem], rest: rx.RestProp) -> rx.Component:
    """Draw a row of the tree of branches, a link to its conversation.

    The link to the open conversation has `aria-current`. It is the row that Tab reaches first (`tree.tsx`).
    """
    here = item.id == BranchState.conversation
    return PageLink.create(
        rest,
        rx.el.span(
            rx.cond(item.depth.to(int) > 0, fork_icon()),
            rx.cond(item.running, rx.el.span(role="img", aria_label="A reply is running", class_name="dot")),
            rx.el.span(item.title, dir="auto"),
            class_name="branch-name",
        ),
        rx.el.span(
            rx.cond(item.after != "", rx.el.span(item.after)),
            rx.el.span(item.pairs),
            MomentText.create(at=item.updated_at),
            rx.cond(item.snippet != "", rx.el.span(item.snippet, dir="auto", class_name="branch-snippet")),
            class_name="branch-about",
        ),
        to=item.path,
        custom_attrs={"role": "treeitem", "aria-level": item.depth.to(int) + 1, "aria-selected": here},
        class_name="branch",
        style={"--depth": item.depth.to_string()},
    )


def _no_branches() -> rx.Component:
    return rx.el.p(
        "No branches yet. A fork is a new conversation with copies of the pairs up to one that you choose; ",
        rx.el.kbd("b"),
        " at a pair creates one.",
        class_name="inspector-note",
    )


def _foot() -> rx.Component:
    count = ComposerState.y
    return rx.el.div(
        rx.el.button("Fork all pairs", type="button", on_click=BranchState.fork("", "all"), class_name="quiet"),
        rx.cond(
            FilterState.filter != "",
            rx.el.button(
                "Fork the ",
                count.to_string(),
                rx.cond(count == 1, " pair", " pairs"),
                " in view",
                type="button",
                on_click=BranchState.fork("", "seen"),
                class_name="quiet",
            ),
        ),
        class_name="branches-foot",
    )
