"""Links within the app: to a page, and to a place on the page that is open."""

from __future__ import annotations

import reflex as rx
from reflex_components_core.el.elements.inline import A


class PageLink(rx.Component):
    """A link to a page of the app. If that page is open, the link has `aria-current`.

    `to` is the address of the page. With `end`, the page counts as open only at exactly this address, not at one below
    it.
    """

    library = "react-router"
    tag = "NavLink"
    to: rx.Var[str]
    end: rx.Var[bool]


class PlaceLink(A):
    """A link to an element of the open page (`href` "#id"). With `rx.el.a`, the router would load a page for it."""
