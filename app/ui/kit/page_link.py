"""Links within the app: to a page, and to a place on the page that is open."""

from __future__ import annotations

import reflex as rx
from reflex_components_core.el.elements.inline import A


class PageLink(rx.Component):
    """A link within the app. The page it leads to, if open, is `aria-current`."""

    library = "react-router"
    tag = "NavLink"
    to: rx.Var[str]
    end: rx.Var[bool]


class PlaceLink(A):
    """A link to the element of this id, `#id`. `rx.el.a` asks the router, which makes another page's address of it."""
