"""Content of one page of the app, which is hidden as soon as the address changes."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class OnPage(Island):
    """Shows its children on the page of `path`, and `elsewhere` on every other page.

    For data in a state that describes the page on screen: the state learns of another page later than the browser.
    """

    library = island("kit/on_page.tsx")
    tag = "OnPage"
    path: rx.Var[str]
    elsewhere: rx.Var[rx.Component]
