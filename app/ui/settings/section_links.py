"""Links to the sections of a long page."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class SectionLinks(Island):
    """A navigation called `label`, whose children are links to elements of the page (`#id`).

    The section in the address is gone to when the page opens. The page's scroller has `data-scroller`.
    """

    library = island("settings/section_links.tsx")
    tag = "SectionLinks"
    label: rx.Var[str]
