"""The keys that submit or leave a form with a text area."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class FormKeys(Island):
    """An element around a form. It handles keys in the form: Ctrl+Enter submits the form, Escape sends `on_escape`.

    The page does not get these keys. `enter`: Enter in the text area submits the form too. At first the caret is at the
    end of the text. `edit` is a unique name of this edit; after a reload, the text that was typed under this name is
    restored.
    """

    library = island("kit/keys/form_keys.tsx")
    tag = "FormKeys"
    enter: rx.Var[bool] | None = None
    edit: rx.Var[str] | None = None
    on_escape: rx.EventHandler[rx.event.no_args_event_spec]
