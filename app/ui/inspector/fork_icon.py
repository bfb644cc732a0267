"""The icon of a fork."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.controls.icon import lines

_LINES = "M4.5 4.8v6.4m7-4.4c0 2.2-2.6 2.4-4.6 2.9-1.6.4-2.4.8-2.4 1.5"


def fork_icon() -> rx.Component:
    """Draw the icon: a line that branches off another line."""
    ends = (("4.5", "3.3"), ("4.5", "12.7"), ("11.5", "5.3"))
    return lines(*(rx.el.circle(cx=x, cy=y, r="1.5") for x, y in ends), rx.el.path(d=_LINES))
