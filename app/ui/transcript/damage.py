"""The note on settings of a conversation that cannot be read: at the top of its transcript, each with its way out."""

from __future__ import annotations

import reflex as rx

from app.state.reply.damage import DamageState
from app.state.transcript import TranscriptState
from app.views.screen.damage import DamagedSettingView


def damaged_settings() -> rx.Component | rx.Var[rx.Component]:
    """Nothing while all settings can be read."""
    return rx.cond(
        TranscriptState.damaged.length() > 0,
        rx.el.div(
            rx.el.div(
                rx.el.p("A setting of this conversation cannot be read.", class_name="font-medium"),
                rx.el.ul(
                    rx.foreach(
                        TranscriptState.damaged.to(list[DamagedSettingView]),
                        lambda one: rx.el.li(one.line, class_name="[overflow-wrap:anywhere]"),
                    )
                ),
                rx.el.p("Nothing is sent until it is set again or reset.", class_name="opacity-80"),
                role="alert",
            ),
            rx.el.div(
                rx.el.a(
                    "Export raw",
                    href="/api/v1/conversations/" + TranscriptState.conversation + "/raw",
                    download="conversation-" + TranscriptState.conversation + "-raw.json",
                    custom_attrs={"reloadDocument": True},  # else the router takes it for a page
                ),
                rx.foreach(
                    TranscriptState.damaged.to(list[DamagedSettingView]),
                    lambda one: rx.el.button(
                        "Reset " + one.name, type="button", on_click=DamageState.reset_setting(one.column)
                    ),
                ),
                role="group",
                aria_label="What to do about the settings",
                class_name="failure-ways",
            ),
            class_name="damage mb-6 max-w-measure rounded-lg bg-danger-soft px-3.5 py-2.5 text-[13.5px] text-danger",
        ),
    )
