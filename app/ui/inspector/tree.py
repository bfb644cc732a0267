"""A tree with navigation by arrow keys."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Tree(Island):
    """A tree with the accessible name `label`. Its children are the rows, with `role="treeitem"` and `aria-level`.

    `current` identifies the current row, which has `aria-current`; the tree reads the attribute again when `current`
    changes. If the element with the id `frame` has the focus when the tree appears, the current row takes the focus.
    """

    library = island("inspector/tree.tsx")
    tag = "Tree"
    label: rx.Var[str]
    current: rx.Var[str]
    frame: rx.Var[str]
