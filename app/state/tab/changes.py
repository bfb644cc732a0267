"""Assignments to vars that have another value already. Reflex compares nothing: an equal value is in its delta as well.

    set_changed(self, running=screen.running, ended=screen.ended)

Not for vars in the storage of the browser: another tab may have changed the storage, so these are always sent.
"""

from __future__ import annotations

import reflex as rx


def set_changed(state: rx.State, **values: object) -> None:
    """Assign these values to vars of the state, except those that are equal to the current ones."""
    for name, value in values.items():
        if getattr(state, name) != value:
            setattr(state, name, value)
