"""The question before something is deleted from the trash for good."""

from __future__ import annotations

import reflex as rx

from app.state.trash import TrashState
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_danger, dialog_foot, dialog_text, dialog_title
from app.ui.phrase import phrase


@rx.memo
def delete_forever_dialog() -> rx.Component:
    """Names what will be gone."""
    return Dialog.create(
        dialog_title(phrase("trash.delete_forever_question")),
        dialog_text(phrase("trash.delete_forever_about", name=TrashState.deleting.name)),
        dialog_foot(
            dialog_cancel(phrase("trash.cancel"), first=True),
            dialog_danger(phrase("trash.delete_forever"), TrashState.delete_forever),
        ),
        label=phrase("trash.delete_forever_question"),
        on_close=TrashState.end_delete,
    )
