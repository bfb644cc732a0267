"""The composer's icons."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.ui.kit.controls.icon import line_icon

BRACES: Final = (
    "M6 2.5c-1.6 0-2 .8-2 2v1.7C4 7.3 3.4 8 2.3 8 3.4 8 4 8.7 4 9.8v1.7c0 1.2.4 2 2 2M10 2.5c1.6 0 2 .8 2 2v1.7"
    "c0 1.1.6 1.8 1.7 1.8-1.1 0-1.7.7-1.7 1.8v1.7c0 1.2-.4 2-2 2"
)
"""The path of a JSON schema's icon."""
SLIDERS: Final = "M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M10.2 3v3M5.8 10v3"
"""The path of the icon of parameters."""


def send() -> rx.Component:
    return line_icon("M8 13V3.5M3.8 7.4 8 3.2l4.2 4.2", "1.6")


def queue() -> rx.Component:
    return line_icon("M3 4.5h10M3 8h6M3 11.5h4M12 8.2v5M9.8 10.9l2.2 2.2 2.2-2.2", "1.5")


def stop() -> rx.Component:
    return rx.el.svg(
        rx.el.rect(x="4", y="4", width="8", height="8", rx="1.5", fill="currentColor"),
        view_box="0 0 16 16",
        aria_hidden="true",
    )
