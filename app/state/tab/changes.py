"""Assignments to vars, only of values that changed. Reflex sends every assigned value, even one equal to the old.

    set_changed(self, running=screen.running, ended=screen.ended)

Not for vars in the storage of the browser: another tab may have changed the storage, so these must always be sent.
"""

from __future__ import annotations

import reflex as rx


def set_changed(state: rx.State, **values: object) -> None:
    """Assign these values to vars of the state, except those that are equal to the current ones."""
    for name, value in values.items():
        if getattr(state, name) != value:
            setattr(state, name, value)
