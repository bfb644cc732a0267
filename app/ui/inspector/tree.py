"""A tree with navigation by arrow keys."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Tree(Island):
    """A tree with the accessible name `label`. Its children have `role="treeitem"` and `aria-level`.

    `current` is the id of the current item, whose child has `aria-current`. This child takes the focus if the element
    with the id `frame` has the focus when the tree appears.
    """

    library = island("inspector/tree.tsx")
    tag = "Tree"
    label: rx.Var[str]
    current: rx.Var[str]
    frame: rx.Var[str]
