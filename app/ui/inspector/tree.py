"""A tree with arrow keys."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Tree(Island):
    """Children are links or buttons with `role="treeitem"` and `aria-level`; `current` is the id of the current one,
    which has `aria-current`. If the element with the id `frame` has the focus when the tree comes, that one takes it.
    """

    library = island("inspector/tree.tsx")
    tag = "Tree"
    label: rx.Var[str]
    current: rx.Var[str]
    frame: rx.Var[str]
