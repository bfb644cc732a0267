"""The dialog that asks before a conversation is deleted."""

from __future__ import annotations

import reflex as rx

from app.state.sidebar.sidebar import SidebarState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_danger, dialog_foot, dialog_text, dialog_title


@rx.memo
def delete_conversation_dialog() -> rx.Component:
    """Draw the dialog that asks before a conversation is moved to the trash or, if temporary, deleted permanently."""
    return Dialog.create(
        dialog_title("Delete this conversation?"),
        dialog_text(
            rx.cond(
                SidebarState.deleting_temporary,
                "“" + SidebarState.deleting_name + "” is temporary. It will be deleted permanently.",
                "“" + SidebarState.deleting_name + "” will be moved to the trash. "
                "You can restore it with Undo or from the trash.",
            ),
        ),
        dialog_foot(
            dialog_cancel("Cancel", first=True),
            dialog_danger("Delete", SidebarState.delete_conversation),
        ),
        label="Delete this conversation?",
        on_close=SidebarState.end_delete,
    )
