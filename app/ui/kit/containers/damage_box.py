"""The box that reports unreadable data: a title, a line for each unreadable value, and actions."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

_PATHS: Final = {"pair": "pairs", "conversation": "conversations", "filter": "filters/rows"}


def damage_box(title: str, lines: rx.Component, words: str, *actions: Any, name: str, space: str) -> rx.Component:
    """Draw the box about damage with `title`, `lines` and `actions`. `words`: the effect, such as that nothing is sent.

    `name` is the accessible name of the group of actions, `space` are CSS classes for the margins.
    """
    return rx.el.div(
        rx.el.div(
            rx.el.p(title, class_name="font-medium"),
            rx.el.ul(lines, class_name="[overflow-wrap:anywhere]"),
            rx.el.p(words, class_name="opacity-80"),
            role="alert",
        ),
        rx.el.div(*actions, role="group", aria_label=name, class_name="failure-ways"),
        class_name=f"damage {space} max-w-measure rounded-lg bg-danger-soft px-3.5 py-2.5 text-[13.5px] text-danger",
    )


def export_raw(kind: str, kind_id: rx.vars.StringVar[str]) -> rx.Component:
    """Draw a link that downloads the stored rows of an object: `kind` is "pair", "conversation" or "filter"."""
    return rx.el.a(
        "Export raw",
        href=f"/api/v1/{_PATHS[kind]}/" + kind_id + "/raw",
        download=f"{kind}-" + kind_id + "-raw.json",
        custom_attrs={"reloadDocument": True},  # otherwise the router treats the address as that of a page
    )
