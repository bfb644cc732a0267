"""A figure that explains itself."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Tip(Island):
    """A button that a `panel` explains on hover, focus and tap. Its name is what stands on it, and then `label`.

    `above`: the panel opens upwards. `short`: there is not enough of what it tells, and it is coloured so.
    `edition`: the draft that it tells of. While the composer has another one, the label is `old_label`, and `old`
    covers it. While that draft is too large to send, `large` is shown, and the label is `large_label`, with `{count}`
    for the characters; without them it stays as it is. `on_look`: it was opened, or what it tells of (`about`) is
    another while it is open.
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
