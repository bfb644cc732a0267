"""A conversation: its title, its history, the composer."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.ui.compare.dialogs import compare_dialogs
from app.ui.composer.composer import composer
from app.ui.composer.estimate import counter
from app.ui.composer.temporary import temporary_note
from app.ui.filters.bar import filter_bar
from app.ui.inspector.frame import inspector, inspector_toggle
from app.ui.pages.frame import frame
from app.ui.pages.not_found import nothing_here
from app.ui.phrase import phrase
from app.ui.transcript.recovery import recovery
from app.ui.transcript.title import title
from app.ui.transcript.window import transcript
from app.ui.transfer.export_menu import export_menu
from app.ui.transfer.grants import shared_badge
from app.ui.transfer.share import share_button
from app.ui.usage.spent import spent


def conversation() -> rx.Component:
    """The page of `/c/<id>`."""
    return rx.cond(ChatState.missing, _missing(), _conversation())


def _conversation() -> rx.Component:
    return frame(
        transcript(),
        recovery(),
        temporary_note(),
        composer(compare_dialogs()),
        top=_top(),
        aside=inspector(),
    )


def _top() -> rx.Component:
    return rx.fragment(
        title(),
        shared_badge(),
        filter_bar(),
        spent(ChatState.opened),
        counter(),
        export_menu(),
        share_button(),
        inspector_toggle(),
    )


def _missing() -> rx.Component:
    return frame(nothing_here(phrase("conversation.missing_title"), phrase("conversation.missing_hint")))
