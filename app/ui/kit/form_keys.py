"""Keys of a form with a text area."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class FormKeys(Island):
    """The form inside: Ctrl+Enter submits it, with `enter` Enter in its text area; Escape is `on_escape`.

    No key reaches the page. The caret begins at the end of the text. With an `edit`, a name that no other one has, the
    text that was written for it is there again after a reload.
    """

    library = island("kit/form_keys.tsx")
    tag = "FormKeys"
    enter: rx.Var[bool] | None = None
    edit: rx.Var[str] | None = None
    on_escape: rx.EventHandler[rx.event.no_args_event_spec]
