"""The notes about an unreadable setting or title of a conversation, above its pairs, with buttons that reset it."""

from __future__ import annotations

import reflex as rx

from app.domain.conversation.damage import TITLE
from app.state.reply.damage import DamageState
from app.state.transcript.chat import ChatState
from app.state.transcript.transcript import TranscriptState
from app.ui.kit.containers.damage_box import damage_box, export_raw
from app.views.conversation.damage import DamagedSettingView


def damaged_settings() -> rx.Component | rx.Var[rx.Component]:
    """Draw the note about unreadable settings; nothing if there are none."""
    settings = TranscriptState.damaged.to(list[DamagedSettingView])
    return rx.cond(
        TranscriptState.damaged.length() > 0,
        damage_box(
            "A setting of this conversation cannot be read.",
            rx.foreach(settings, lambda one: rx.el.li(one.line)),
            "Nothing is sent until it is set again or reset.",
            export_raw("conversation", TranscriptState.conversation.to(str)),
            rx.foreach(
                settings,
                lambda one: rx.el.button(
                    "Reset " + one.name, type="button", on_click=DamageState.reset_setting(one.column)
                ),
            ),
            name="Next steps for the settings",
            space="mb-6",
        ),
    )


def damaged_title() -> rx.Component | rx.Var[rx.Component]:
    """Draw the note about an unreadable title; nothing if the title can be read."""
    return rx.cond(
        ChatState.title_damage != "",
        damage_box(
            "The title of this conversation cannot be read.",
            rx.el.li(ChatState.title_damage),
            "Type a new one above, or reset it: the first words are the title then. Messages are sent as before.",
            export_raw("conversation", ChatState.opened.to(str)),
            rx.el.button("Reset title", type="button", on_click=DamageState.reset_setting(TITLE)),
            name="Next steps for the title",
            space="mb-6",
        ),
    )
