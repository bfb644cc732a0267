"""A button that shows a key and records another one when it is pressed."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


def _pressed(key: rx.Var[str], combined: rx.Var[bool]) -> tuple[rx.Var[str], rx.Var[bool]]:
    return key, combined


class KeyField(Island):
    """A key with the name `label`. `on_ask`: it was clicked, and records the next key. `asking`: it is recording.

    `on_press` gets the key, as `app/views/shortcuts.py` writes it, and whether Ctrl, Alt or Cmd was held. `on_leave`:
    the focus has left, and recording has ended.
    """

    library = island("settings/key_field.tsx")
    tag = "KeyField"
    text: rx.Var[str]
    label: rx.Var[str]
    asking: rx.Var[bool]
    asking_text: rx.Var[str]
    asking_label: rx.Var[str]
    hint: rx.Var[str]
    on_ask: rx.EventHandler[rx.event.no_args_event_spec]
    on_press: rx.EventHandler[_pressed]
    on_leave: rx.EventHandler[rx.event.no_args_event_spec]
