"""Settings → Keyboard shortcuts: every action whose key can be changed, with a button that records another key."""

from __future__ import annotations

import reflex as rx

from app.state.settings.keys import KeyItem, KeysState
from app.state.settings.preferences import PreferencesState
from app.ui.settings.key_field import KeyField
from app.ui.settings.parts import checkbox, section


def keys() -> rx.Component:
    """Draw the section "Keyboard shortcuts" of the Settings page."""
    return section(
        "keys",
        "Keyboard shortcuts",
        "Press Esc in an empty message box to turn on one-key shortcuts. Press Esc again to go back to writing.",
        rx.el.div(
            checkbox(
                "When a reply grows taller than the screen and you are not typing, stay at its beginning",
                checked=PreferencesState.preferred.auto_enter_view_on_overflow,
                on_change=KeysState.enter_view,
                class_name="key-check",
            ),
            rx.el.ul(rx.foreach(KeysState.actions, lambda item: key_row(item=item, key=item.id))),
            rx.el.p(
                rx.el.button(
                    "Reset all shortcuts",
                    type="button",
                    disabled=PreferencesState.preferred.own_keys.length() == 0,
                    on_click=KeysState.reset_all,
                    class_name="quiet",
                ),
                rx.el.span(KeysState.said, role="status"),
                class_name="key-foot",
            ),
            class_name="key-settings",
        ),
    )


@rx.memo
def key_row(item: rx.vars.ObjectVar[KeyItem], rest: rx.RestProp) -> rx.Component:
    """Draw one action with its key."""
    key = rx.cond(item.key != "", item.key, "none")
    return rx.el.li(
        rx.el.span(item.name, rx.el.small(item.does), class_name="key-name"),
        rx.el.span(item.said, role="status", class_name="key-said"),
        rx.cond(
            item.usual != "",
            rx.el.button(
                f"Reset to {item.usual}",
                type="button",
                aria_label=f"Reset to {item.usual}: {item.name}",
                on_click=KeysState.take_usual(item.id),
                class_name="quiet",
            ),
        ),
        KeyField.create(
            text=key,
            label=f"Key of {item.name}: {key}",
            asking=item.asking,
            asking_text="Press a key…",
            asking_label=f"Press a key for {item.name}",
            hint="Click to change. Backspace removes the key",
            on_ask=KeysState.ask(item.id),
            on_press=lambda key, combined: KeysState.press(item.id, key, combined),
            on_leave=KeysState.leave(item.id),
            class_name="key",
        ),
        rest,
    )
