"""The counter X / Y: how many of the pairs in view are sent. The estimate beside Send is the composer's own."""

from __future__ import annotations

from app.ui.components.scripts import Script, script


class Counter(Script):
    """The counter, with how a send splits on hover, focus and tap."""

    library = script("estimate.jsx")
    tag = "Counter"
