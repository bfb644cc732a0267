"""The filter bar: what is in view. The script explains how."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class FilterBar(Script):
    """The line that says which pairs are in view, in plain words below it."""

    library = script("filter_bar.jsx")
    tag = "FilterBar"


class NothingFound(Script):
    """Stands where the filter leaves no pair, with the way back; without a filter it is `otherwise`."""

    library = script("filter_bar.jsx")
    tag = "NothingFound"
    otherwise: rx.Var[rx.Component]
