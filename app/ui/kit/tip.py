"""A figure with an explanation."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Tip(Island):
    """A button that shows a `panel` on hover, focus and tap. Its name is its visible content followed by `label`.

    `above`: the panel opens upwards. `short`: the figure shows a shortage and is coloured. `edition`: the draft that
    the figure is about. While the composer has another draft, the label is `old_label`, and `old` covers the figure.
    While that draft is too large to send, `large` is shown, and the label is `large_label`, where `{count}` is the
    number of characters; without these props nothing changes. `on_look`: the panel was opened, or its subject (`about`)
    changed while it is open.
    """

    library = island("kit/tip.tsx")
    tag = "Tip"
    label: rx.Var[str]
    panel: rx.Var[rx.Component]
    panel_label: rx.Var[str]
    above: rx.Var[bool] | None = None
    short: rx.Var[bool] | None = None
    about: rx.Var[str] | None = None
    edition: rx.Var[int] | None = None
    old: rx.Var[str] | None = None
    old_label: rx.Var[str] | None = None
    large: rx.Var[str] | None = None
    large_label: rx.Var[str] | None = None
    on_look: rx.EventHandler[rx.event.no_args_event_spec]
