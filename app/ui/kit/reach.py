"""What is shown while Inview is out of reach.

Events of states are then refused where they are made (`link.ts`), so that nothing is sent later. Mark those `.temporal`
that no person notices, such as what an island tells while somebody types: they are dropped without a word.
"""

from __future__ import annotations

from app.ui.kit.island import Island, island


class WhileLost(Island):
    """Shows its children while the connection is lost."""

    library = island("kit/reach.tsx")
    tag = "WhileLost"


class AfterRefusal(Island):
    """Shows its children after something that a person did was refused, until it can be done again."""

    library = island("kit/reach.tsx")
    tag = "AfterRefusal"
