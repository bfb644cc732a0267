"""The sign of a fork."""

from __future__ import annotations

import reflex as rx

_LINES = "M4.5 4.8v6.4m7-4.4c0 2.2-2.6 2.4-4.6 2.9-1.6.4-2.4.8-2.4 1.5"


def fork_icon() -> rx.Component:
    """A line that leaves another one."""
    return rx.el.svg(
        rx.el.circle(cx="4.5", cy="3.3", r="1.5"),
        rx.el.circle(cx="4.5", cy="12.7", r="1.5"),
        rx.el.circle(cx="11.5", cy="5.3", r="1.5"),
        rx.el.path(d=_LINES),
        view_box="0 0 16 16",
        custom_attrs={
            "fill": "none",
            "stroke": "currentColor",
            "strokeWidth": "1.3",
            "strokeLinecap": "round",
            "strokeLinejoin": "round",
        },
        aria_hidden="true",
    )
