"""A link to a page of the app."""

from __future__ import annotations

import reflex as rx


class PageLink(rx.Component):
    """A link within the app. The page it leads to, if open, is `aria-current`."""

    library = "react-router"
    tag = "NavLink"
    to: rx.Var[str]
    end: rx.Var[bool]
