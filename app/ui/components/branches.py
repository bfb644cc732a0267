"""What is seen of branches beside their tree in the inspector. The scripts explain how."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class ForkedFrom(Script):
    """At the head of a fork: where it came from. `position`: after which pair, 0 if after none.

    `derived`: it is no fork, but was made for that pair.
    """

    library = script("fork_mark.jsx")
    tag = "ForkedFrom"
    parent: rx.Var[str]
    name: rx.Var[str]
    position: rx.Var[int]
    derived: rx.Var[bool]
