"""A button that shows the key of an action. When it is pressed, it records another key."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


def _pressed(key: rx.Var[str], combined: rx.Var[bool]) -> tuple[rx.Var[str], rx.Var[bool]]:
    return key, combined


class KeyField(Island):
    """A button with the text `text` and the accessible name `label`. While it records a key, it shows `asking_text`.

    - `on_ask`: sent when the button is pressed, which starts the recording.
    - `asking`: the server knows that the button is recording.
    - `on_press`: gets the recorded key, as `app/views/shortcuts/shortcuts.py` writes it, and whether Ctrl, Alt or Cmd
      was held.
    - `on_leave`: sent when the button loses the focus while it is recording, which ends the recording.
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
