"""The sections of the Settings page and the navigation beside them. One section is shown at a time."""

from __future__ import annotations

from dataclasses import dataclass

import reflex as rx

from app.ui.kit.island import Island, island


@dataclass(frozen=True)
class SectionLink:
    """A section by the id of its heading, which is its address (`/settings#id`), and its name."""

    id: str
    name: str


class Sections(Island):
    """A navigation called `label`, and the one of the children that the address names. `links` are in their order.

    An address may also name something inside a section (`/settings#provider-openai`).
    """

    library = island("settings/sections.tsx")
    tag = "Sections"
    label: rx.Var[str]
    links: rx.Var[tuple[SectionLink, ...]]
