"""Content that is shown when its summary is pressed."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Disclosure(Island):
    """A line that can be expanded: pressing `summary` shows or hides the children. Hidden children are not drawn.

    - `opened`: the line is expanded at first.
    - `status`: for the stylesheet.
    - `missing`: for children that are loaded on demand, names the part that is not loaded yet, "" for none.
    - `on_need`: while the line is expanded, sent if `missing` is not "", and again when `missing` changes.
    - `on_fold`: sent when a person collapses the line.
    """

    library = island("kit/containers/disclosure.tsx")
    tag = "Disclosure"
    summary: rx.Var[rx.Component]
    status: rx.Var[str] | None = None
    missing: rx.Var[str] | None = None
    opened: rx.Var[bool] | None = None
    on_need: rx.EventHandler[rx.event.no_args_event_spec]
    on_fold: rx.EventHandler[rx.event.no_args_event_spec]
