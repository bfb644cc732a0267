"""The question before a conversation is deleted from the list."""

from __future__ import annotations

import reflex as rx

from app.state.sidebar import SidebarState
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_danger, dialog_foot, dialog_text, dialog_title
from app.ui.phrase import phrase


@rx.memo
def delete_conversation_dialog() -> rx.Component:
    """Names the conversation and where it goes."""
    return Dialog.create(
        dialog_title(phrase("sidebar.delete_this_conversation")),
        dialog_text(
            rx.cond(
                SidebarState.deleting_temporary,
                phrase("sidebar.delete_temporary_hint", deleting_name=SidebarState.deleting_name),
                phrase("sidebar.delete_hint", deleting_name=SidebarState.deleting_name),
            ),
        ),
        dialog_foot(
            dialog_cancel(phrase("common.cancel"), first=True),
            dialog_danger(phrase("common.delete"), SidebarState.delete_conversation),
        ),
        label=phrase("sidebar.delete_this_conversation"),
        on_close=SidebarState.end_delete,
    )
