"""A figure with a tooltip that explains it."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Tip(Island):
    """A figure, such as the tokens of a send, drawn as a button that shows a `panel` on hover, focus and tap.

    The button's accessible name is its visible content and `label`.

    - `above`: the panel opens upwards.
    - `short`: the figure shows a shortage and is coloured.
    - `on_look`: sent when the panel is opened, and when `about` changes while it is open.
    - `edition`: the version of the composer's text that the figure was computed for.
    - `old`, `old_label`: while the composer has another text, `old` covers the figure and `old_label` replaces `label`.
    - `large`, `large_label`: while the text in the composer is too large to send, `large` covers the figure and
      `large_label` replaces `label`; `{count}` in it is the number of characters.

    Without the last four props nothing is replaced.
    """

    library = island("kit/containers/tip.tsx")
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
