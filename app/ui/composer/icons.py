"""The composer's icons."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.icon import line_icon


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
