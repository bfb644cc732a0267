"""The dialog that asks before an item of the trash is deleted permanently."""

from __future__ import annotations

import reflex as rx

from app.state.trash.trash import TrashState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_danger, dialog_foot, dialog_text, dialog_title


@rx.memo
def delete_forever_dialog() -> rx.Component:
    """Draw the dialog that asks before an item of the trash is deleted permanently. It names the item."""
    return Dialog.create(
        dialog_title("Delete forever?"),
        dialog_text(
            f"{TrashState.deleting.name} will be deleted permanently. The ledger keeps the usage of its calls."
        ),
        dialog_foot(
            dialog_cancel("Cancel", first=True),
            dialog_danger("Delete forever", TrashState.delete_forever),
        ),
        label="Delete forever?",
        on_close=TrashState.end_delete,
    )
