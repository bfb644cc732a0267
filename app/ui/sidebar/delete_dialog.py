"""The dialog that asks before a conversation is deleted."""

from __future__ import annotations

import reflex as rx

from app.state.sidebar.sidebar import SidebarState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_danger, dialog_foot, dialog_text, dialog_title


@rx.memo
def delete_conversation_dialog() -> rx.Component:
    """Draw the dialog that asks before a conversation is moved to the trash or, if temporary, deleted permanently."""
    temporary = SidebarState.deleting_temporary
    title = rx.cond(temporary, "Discard this conversation?", "Delete this conversation?").to(str)
    return Dialog.create(
        dialog_title(title),
        dialog_text(
            rx.cond(
                temporary,
                "“" + SidebarState.deleting_name + "” is temporary. Its text is lost: Undo cannot bring it back.",
                "“" + SidebarState.deleting_name + "” will be moved to the trash. "
                "You can restore it with Undo or from the trash.",
            ),
        ),
        dialog_foot(
            dialog_cancel("Cancel", first=True),
            dialog_danger(rx.cond(temporary, "Discard", "Delete").to(str), SidebarState.delete_conversation),
        ),
        label=title,
        on_close=SidebarState.end_delete,
    )
