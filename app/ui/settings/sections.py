"""The sections of the Settings page and their navigation. One section is shown at a time."""

from __future__ import annotations

from dataclasses import dataclass

import reflex as rx

from app.ui.kit.island import Island, island


@dataclass(frozen=True)
class SectionLink:
    """The link to a section: the id of its heading, which is its address (`/settings#id`), and its name."""

    id: str
    name: str


class Sections(Island):
    """A navigation with the name `label`, and the child that the address names. `links` have the order of the children.

    An address may also name an element inside a section (`/settings#provider-openai`).
    """

    library = island("settings/sections.tsx")
    tag = "Sections"
    label: rx.Var[str]
    links: rx.Var[tuple[SectionLink, ...]]
