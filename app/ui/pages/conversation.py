"""The page of a conversation: its title, the filter bar, the transcript, the composer and the inspector."""

from __future__ import annotations

import reflex as rx

from app.state.tab.address import conversation_path
from app.state.transcript.chat import ChatState
from app.ui import routes
from app.ui.compare.dialogs import compare_dialogs
from app.ui.composer.composer import composer
from app.ui.composer.estimate import counter
from app.ui.composer.temporary import temporary_note
from app.ui.filters.bar import filter_bar
from app.ui.filters.chips import chips_in_force
from app.ui.inspector.frame import inspector, log_toggle, preview_toggle
from app.ui.kit.containers.on_page import OnPage
from app.ui.kit.controls.page_link import PageLink
from app.ui.pages.frame import frame
from app.ui.pages.not_found import nothing_here
from app.ui.transcript.menu import conversation_menu
from app.ui.transcript.recovery import recovery
from app.ui.transcript.stopped import stopped_note
from app.ui.transcript.title import title
from app.ui.transcript.window import transcript
from app.ui.usage.spent import spent


def conversation() -> rx.Component:
    """Draw the page of `/c/<id>`, or a text if the conversation does not exist or is in the trash."""
    return rx.cond(ChatState.missing, _missing(), _conversation())


def _conversation() -> rx.Component:
    return frame(
        chips_in_force(),
        transcript(),
        stopped_note(),
        recovery(),
        temporary_note(),
        composer(compare_dialogs()),
        top=_top(),
        aside=inspector(),
    )


def _top() -> rx.Component:
    return rx.fragment(
        _on_its_page(
            rx.el.div(title(), conversation_menu(), class_name="title-area"), rx.el.div(class_name="title-area")
        ),
        filter_bar(),
        _on_its_page(rx.fragment(spent(ChatState.opened), counter()), rx.fragment()),
        log_toggle(),
        preview_toggle(),
    )


def _on_its_page(part: rx.Component, elsewhere: rx.Component) -> rx.Component:
    """Draw `part`, which shows the state of a conversation, on the page of this conversation only.

    Without a connection, the state stays that of the previous conversation.
    """
    return OnPage.create(part, path=conversation_path(f"{ChatState.opened}"), elsewhere=elsewhere)


def _missing() -> rx.Component:
    return frame(
        rx.cond(
            ChatState.in_trash,
            nothing_here("This conversation was deleted", *_deleted()),
            nothing_here("Conversation not found", "It may have been deleted. The others are in the list."),
        )
    )


def _deleted() -> tuple[rx.Component | rx.Var[str] | str, ...]:
    trash = PageLink.create("the trash", to=routes.TRASH, class_name="text-accent underline underline-offset-2")
    return "“", ChatState.in_trash, "” is in ", trash, ". Restore it there to continue."
