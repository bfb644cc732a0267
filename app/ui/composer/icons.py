"""The composer's icons."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

_LINES: Final[dict[str, Any]] = {
    "fill": "none",
    "stroke": "currentColor",
    "stroke_linecap": "round",
    "stroke_linejoin": "round",
}


def lines(path: str, width: str = "1.5") -> rx.Component:
    """An icon of lines, 16 by 16."""
    return rx.el.svg(rx.el.path(d=path, stroke_width=width, **_LINES), view_box="0 0 16 16", aria_hidden="true")


def plain(path: str) -> rx.Component:
    """An icon whose lines are styled by where it is."""
    return rx.el.svg(rx.el.path(d=path), view_box="0 0 16 16", aria_hidden="true")


def send() -> rx.Component:
    return lines("M8 13V3.5M3.8 7.4 8 3.2l4.2 4.2", "1.6")


def queue() -> rx.Component:
    return lines("M3 4.5h10M3 8h6M3 11.5h4M12 8.2v5M9.8 10.9l2.2 2.2 2.2-2.2")


def stop() -> rx.Component:
    return rx.el.svg(
        rx.el.rect(x="4", y="4", width="8", height="8", rx="1.5", fill="currentColor"),
        view_box="0 0 16 16",
        aria_hidden="true",
    )
