"""The JSON body of a request: indented, coloured, with a copy button. A large body is shown in pages."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.inspector.bodies import BodyView
from app.ui.kit.island import Island, island
from app.ui.kit.texts.json_figure import figure, json_figure
from app.ui.kit.texts.json_lines import JsonLines


class HashCheck(Island):
    """A check of a hash in the browser: shows `same` if the text has the SHA-256 `expected`, else `other`.

    It shows nothing if the browser cannot compute the hash.
    """

    library = island("inspector/hash_check.tsx")
    tag = "HashCheck"
    text: rx.Var[str]
    expected: rx.Var[str]
    same: rx.Var[str]
    other: rx.Var[str]


def body_figure(body: rx.vars.ObjectVar[BodyView], on_page: Any) -> rx.Component:
    """Draw the JSON of a body with a copy button. If it is large, draw a page of it with a link that downloads all.

    `on_page` is the handler that shows the page with a number, from 1.
    """
    return rx.cond(
        is_whole(body),
        json_figure(body.page.text, "Copy the body"),
        figure(
            rx.cond(
                body.download != "",
                rx.el.a(
                    "Download the body",
                    href=body.download,
                    download="",
                    class_name="copy",
                    custom_attrs={"reloadDocument": True},  # otherwise the router treats the address as that of a page
                ),
            ),
            _pages(body, on_page),
            JsonLines.create(text=body.page.text, depth=body.page.depth, plain=body.page.plain),
        ),
    )


def is_whole(body: rx.vars.ObjectVar[BodyView]) -> rx.Var[bool]:
    """Return True if the JSON of the body has only one page."""
    return body.count.to(int) == 1


def _pages(body: rx.vars.ObjectVar[BodyView], on_page: Any) -> rx.Component:
    number, count = body.number.to(int), body.count.to(int)
    return rx.el.nav(
        _turn("Previous", on_page(number - 1), number <= 1),
        rx.el.span(f"Page {number} of {count}", role="status"),
        _turn("Next", on_page(number + 1), number >= count),
        aria_label="Pages of the body",
        class_name="flex items-center justify-between gap-2 px-3 py-1 text-[12.5px] text-muted",
    )


def _turn(text: str, event: Any, at_end: rx.Var[bool]) -> rx.Component:
    """Draw a button to another page of the JSON.

    At the first or last page it is marked as unavailable (`at_end`) but not disabled: a disabled button loses the
    focus.
    """
    return rx.el.button(text, type="button", aria_label=f"{text} page", aria_disabled=at_end, on_click=event)
