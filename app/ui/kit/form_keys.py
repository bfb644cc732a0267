"""Keys of a form with a text area."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class FormKeys(Island):
    """A form with keys: Ctrl+Enter submits it; with `enter`, Enter in its text area too; Escape sends `on_escape`.

    Keys do not reach the rest of the page. The caret starts at the end of the text. With an `edit`, a unique name, the
    text written for it is restored after a reload.
    """

    library = island("kit/form_keys.tsx")
    tag = "FormKeys"
    enter: rx.Var[bool] | None = None
    edit: rx.Var[str] | None = None
    on_escape: rx.EventHandler[rx.event.no_args_event_spec]
