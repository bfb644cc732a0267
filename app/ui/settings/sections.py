"""The navigation of the Settings page. It shows one section at a time."""

from __future__ import annotations

from dataclasses import dataclass

import reflex as rx

from app.ui.kit.island import Island, island


@dataclass(frozen=True)
class SectionLink:
    """The link to a section: the id of its heading, which is in its address (`/settings#id`), and its name."""

    id: str
    name: str


class Sections(Island):
    """A navigation with the accessible name `label`, and the one child that the address names.

    `links` has a link for each child, in the same order. An address may also name an element inside a section
    (`/settings#provider-openai`).
    """

    library = island("settings/sections.tsx")
    tag = "Sections"
    label: rx.Var[str]
    links: rx.Var[tuple[SectionLink, ...]]
