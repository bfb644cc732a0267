"""Settings → Keys: every action of the reading mode, with a button that takes another key for it."""

from __future__ import annotations

import reflex as rx

from app.state.settings.keys import KeyItem, KeysState
from app.state.settings.preferences import PreferencesState
from app.ui.phrase import phrase
from app.ui.settings.key_field import KeyField
from app.ui.settings.parts import checkbox, section


def keys() -> rx.Component:
    """The section of keys."""
    return section(
        "keys",
        phrase("settings.keys.keys"),
        phrase("settings.keys.about"),
        rx.el.div(
            checkbox(
                phrase("settings.keys.long_reply_option"),
                checked=PreferencesState.preferred.auto_enter_view_on_overflow,
                on_change=KeysState.enter_view,
                class_name="key-check",
            ),
            rx.el.ul(rx.foreach(KeysState.actions, lambda item: key_row(item=item, key=item.id))),
            rx.el.p(
                rx.el.button(
                    phrase("settings.keys.reset_all_keys"),
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
    """One action with its key."""
    key = rx.cond(item.key != "", item.key, "none")
    return rx.el.li(
        rx.el.span(item.name, rx.el.small(item.does), class_name="key-name"),
        rx.el.span(item.said, role="status", class_name="key-said"),
        rx.cond(
            item.usual != "",
            rx.el.button(
                phrase("settings.keys.usual", usual=item.usual),
                type="button",
                aria_label=phrase("settings.keys.reset_name", name=item.name),
                on_click=KeysState.take_usual(item.id),
                class_name="quiet",
            ),
        ),
        KeyField.create(
            text=key,
            label=phrase("settings.keys.key_of", name=item.name, key_name=key),
            asking=item.asking,
            asking_text=phrase("settings.keys.press_a_key"),
            asking_label=phrase("settings.keys.press_key_name", name=item.name),
            hint=phrase("settings.keys.change_hint"),
            on_ask=KeysState.ask(item.id),
            on_press=lambda key, combined: KeysState.press(item.id, key, combined),
            on_leave=KeysState.leave(item.id),
            class_name="key",
        ),
        rest,
    )
