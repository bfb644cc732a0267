"""What agents and prompts share in an installation with several people: a note and a button."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.phrase import phrase


def shared_note(shared: Any, shared_by: Any) -> rx.Component:
    """Say that everybody may use it, and who shares it if that is somebody else."""
    return rx.cond(
        shared,
        rx.el.p(
            rx.cond(shared_by != "", phrase("agents.shared_by", name=shared_by), phrase("agents.shared_by_you")),
            dir="auto",
            class_name="trash-about",
        ),
    )


def share_button(shared: Any, name: Any, toggle: Any, unshare: Any = None) -> rx.Component:
    """Let everybody use it, or its owner alone again (`unshare`, where that is another event than `toggle`)."""
    return rx.cond(
        shared,
        rx.el.button(
            phrase("agents.unshare"),
            type="button",
            aria_label=phrase("agents.unshare_name", name=name),
            on_click=toggle if unshare is None else unshare,
            class_name="quiet",
        ),
        rx.el.button(
            phrase("agents.share"),
            type="button",
            aria_label=phrase("agents.share_name", name=name),
            on_click=toggle,
            class_name="quiet",
        ),
    )
