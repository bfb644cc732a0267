"""Content that is shown only on one page of the app, and hidden as soon as the address changes."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class OnPage(Island):
    """A part that shows its children on the page at `path`, and `elsewhere` on every other page.

    Use it for the state of one page: when a person goes to another page, the browser shows that page before the state
    describes it.
    """

    library = island("kit/containers/on_page.tsx")
    tag = "OnPage"
    path: rx.Var[str]
    elsewhere: rx.Var[rx.Component]
