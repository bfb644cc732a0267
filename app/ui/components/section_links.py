"""The sections of a long page: links to them, and the headings they lead to."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class SectionLinks(Script):
    """Links to the sections of the page, `[{"id", "name"}]`; the one in the address is gone to.

    The page's scroller has `data-scroller`.
    """

    library = script("section_links.jsx")
    tag = "SectionLinks"
    sections: rx.Var[list[dict[str, str]]]
    label: rx.Var[str]
