"""The readable pieces of a request: messages, tools, the system text. Every view of a request uses this module."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.ui.kit.containers.disclosure import Disclosure
from app.views.inspector.request import FactView, PieceView, RequestPartView
from app.views.inspector.request_changes import ChangesView, HeadChangeView

_UNSET: Final = rx.Var("undefined")
_SIGNS: Final = {"+": ("+", "added"), "-": ("\N{MINUS SIGN}", "gone")}


def piece(item: rx.vars.ObjectVar[PieceView], on_open: Any) -> rx.Component:
    """Draw a piece that can be expanded. The handler `on_open` loads its parts; it gets the key of the piece."""
    return Disclosure.create(
        rx.foreach(item.parts, lambda part: _part(part, on_open(item.key))),
        summary=rx.fragment(
            rx.cond(item.sign != "", _sign(item)),
            rx.el.span(item.role, class_name="role"),
            rx.cond(item.whence != "", rx.el.span(item.whence, class_name="whence")),
            rx.el.span(item.gist, class_name="gist"),
        ),
        opened=item.opened,
        missing=rx.cond(item.loaded, "", item.key),
        on_need=on_open(item.key),
        key=item.opened.to_string(),  # a new key creates the piece again, so that the newest message is expanded
        class_name="piece",
    )


def message(item: rx.vars.ObjectVar[PieceView], rest: rx.RestProp, on_open: Any) -> rx.Component:
    """Draw a message in a list of messages, or the line that replaces unchanged messages."""
    return rx.cond(
        item.same != "",
        rx.el.li(rest, item.same, class_name="same"),
        rx.el.li(
            rest,
            piece(item, on_open),
            class_name="message",
            custom_attrs={
                "data-role": item.role,
                "data-pair": item.pair_id,
                "data-sign": rx.cond(item.sign != "", item.sign, _UNSET),
            },
        ),
    )


def facts(items: rx.Var[tuple[FactView, ...]]) -> rx.Component:
    """Draw a list of names with their values."""
    return rx.el.dl(rx.foreach(items, lambda item: fact(item.name, item.value)), class_name="facts")


def fact(name: str | rx.Var[str], *value: rx.Component | str | rx.Var[Any]) -> rx.Component:
    """Draw one name with its value."""
    return rx.el.div(rx.el.dt(name), rx.el.dd(*value))


def changes(view: rx.vars.ObjectVar[ChangesView], row: Any) -> rx.Component:
    """Draw the differences between two requests; `row` draws a message."""
    return rx.el.div(
        rx.cond(view.warning != "", rx.el.p(view.warning, class_name="inspector-fault")),
        rx.el.p(view.note, class_name="inspector-note"),
        rx.foreach(view.heads, _head_change),
        rx.el.ol(rx.foreach(view.rows, lambda item: row(item=item, key=item.key)), class_name="messages"),
        class_name="readable changes",
    )


def _head_change(head: rx.vars.ObjectVar[HeadChangeView]) -> rx.Component:
    return rx.el.section(
        rx.el.h3(head.name),
        rx.el.p(head.before, class_name="words", custom_attrs={"data-sign": "-"}),
        rx.el.p(head.after, class_name="words", custom_attrs={"data-sign": "+"}),
        aria_label=f"{head.name} changed",
        class_name="head-change",
    )


def _sign(item: rx.vars.ObjectVar[PieceView]) -> rx.Component:
    def drawn(sign: str) -> rx.Component:
        shown, name = _SIGNS[sign]
        return rx.el.span(shown, role="img", aria_label=name, class_name="sign")

    return rx.cond(item.sign == "+", drawn("+"), drawn("-"))


def _part(part: rx.vars.ObjectVar[RequestPartView], on_more: Any) -> rx.Component:
    return rx.fragment(
        rx.cond(
            part.label == "",
            rx.el.p(part.text, class_name="words"),
            rx.el.p(
                rx.el.strong(part.label),
                " ",
                rx.cond(part.code, rx.el.code(part.text), part.text),
                class_name="words part-note",
            ),
        ),
        rx.cond(
            part.more != "",
            rx.cond(
                part.ended,
                rx.el.p(part.more, class_name="inspector-note"),
                rx.el.button(part.more, type="button", on_click=on_more, class_name="quiet"),
            ),
        ),
    )
