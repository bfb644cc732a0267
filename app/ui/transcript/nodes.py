"""Nodes between pairs that are never sent: requests for titles and summaries, and costs."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.checkpoint import CheckpointState
from app.state.unfolded import UnfoldedState
from app.ui.kit.boundary import boundary
from app.ui.kit.icon import icon
from app.ui.kit.moment import Moment
from app.views.screen.node import ScreenNodeView, SpentLine

NodeVar = rx.vars.ObjectVar[ScreenNodeView]

_TITLE: Final = "M3 4.5V3h10v1.5M8 3v10M6 13h4"
_SUMMARY: Final = "M3 3.5h10M3 6.5h10M3 9.5h6M10.5 11.5l1.5 1.5 2.5-3"


def never_sent(nodes: rx.vars.ArrayVar[list[ScreenNodeView]]) -> rx.Component:
    """All nodes at one place, folded under a line that names them."""
    return rx.cond(
        nodes.length() > 0,
        rx.el.details(
            rx.el.summary(
                "Never sent: ",
                rx.foreach(nodes, lambda node, at: rx.el.span(rx.cond(at > 0, " · ", ""), node.name, key=node.id)),
            ),
            rx.foreach(nodes, _node),
            class_name="never-sent",
        ),
    )


def _node(node: NodeVar) -> rx.Component:
    """One node in a boundary."""
    return boundary(
        node_view(node=node), what="This note", text=node.text.to(str), again=node.id.to(str), key=node.id.to(str)
    )


@rx.memo
def node_view(node: rx.vars.ObjectVar[ScreenNodeView]) -> rx.Component:
    """One node."""
    return rx.el.div(
        rx.match(
            node.kind,
            ("accounting", _accounting(node)),
            ("title", _title(node)),
            ("summary", _summary(node)),
            rx.fragment(),
        ),
        class_name="nodes",
    )


def _accounting(node: NodeVar) -> rx.Component:
    """Several at one place are one line, the newest; the others unfold."""
    lines = node.lines.to(list[SpentLine])
    earlier = lines.length() - 1
    unfolded = UnfoldedState.nodes.contains(node.id)
    return rx.el.aside(
        rx.cond(unfolded, rx.foreach(lines, _line), _line(lines[-1])),
        rx.cond(
            earlier > 0,
            rx.el.button(
                rx.cond(unfolded, "Show the newest alone", "and " + earlier.to_string() + " earlier"),
                type="button",
                aria_expanded=unfolded,
                on_click=UnfoldedState.toggle(node.id),
            ),
        ),
        aria_label="What was spent, never sent",
        class_name="accounting",
    )


def _line(line: rx.vars.ObjectVar[SpentLine]) -> rx.Component:
    return rx.el.p(
        rx.el.span(line.reason),
        rx.el.span(line.spent, title="All tokens of this conversation up to then, as the providers counted them"),
        Moment.create(at=line.at),
        key=line.id.to(str),
    )


def _title(node: NodeVar) -> rx.Component:
    return rx.el.aside(
        _asked(node, "Title requested", _TITLE),
        rx.cond(node.text, rx.el.p(node.text, dir="auto", class_name="node-title")),
        aria_label="Request for a title, never sent",
        class_name="node",
    )


def _summary(node: NodeVar) -> rx.Component:
    return rx.el.aside(
        _asked(node, "Summary requested of the pairs before " + node.position.to_string(), _SUMMARY),
        rx.cond(
            node.usable,
            rx.el.details(
                rx.el.summary("Conversation Summary (Checkpoint)"),
                rx.el.p(node.text, dir="auto"),
                rx.el.div(
                    rx.el.button(
                        "Use this summary", type="button", on_click=CheckpointState.use(node.text, node.position)
                    ),
                    class_name="card-actions",
                ),
                class_name="node-summary",
            ),
        ),
        aria_label="Request for a summary, never sent",
        class_name="node",
    )


def _asked(node: NodeVar, name: str | rx.Var[str], path: str) -> rx.Component:
    """The request itself: who was asked, what it used, how it went."""
    return rx.el.p(
        icon(path),
        rx.el.span(name),
        rx.el.span(node.about, class_name="node-about"),
        rx.cond(
            node.made_in,
            rx.el.a("Request", href="/c/" + node.made_in.to(str), title="The conversation it was made in"),
        ),
        data_failed=rx.cond(node.failed, "true", None),
        class_name="node-asked",
    )
