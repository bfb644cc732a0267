"""Shows something on one page only, and removes it as soon as the address changes."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class OnPage(Island):
    """Its children on the page of `path`, and what is `elsewhere` on every other.

    For what a state says of the page on screen: it hears of another page later than the browser.
    """

    library = island("kit/on_page.tsx")
    tag = "OnPage"
    path: rx.Var[str]
    elsewhere: rx.Var[rx.Component]
