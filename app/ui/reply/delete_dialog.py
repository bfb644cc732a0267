"""The dialog that asks before a pair with a reply is deleted."""

from __future__ import annotations

import reflex as rx

from app.state.reply.deletion import PairDeletionState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.ui.kit.keys.place import Place, go_to

_ASKED = PairDeletionState.deleting


@rx.memo
def delete_pair_dialog() -> rx.Component:
    """Draw the dialog that asks before a pair is deleted. After the deletion, the cursor moves to the next pair."""
    return Dialog.create(
        dialog_title("Delete this pair?"),
        dialog_text(
            _ASKED.name,
            ", and its reply will be moved to the trash. You can restore it with Undo or from the trash.",
        ),
        dialog_foot(
            dialog_cancel("Cancel"),
            rx.el.button(
                "Delete",
                type="button",
                on_click=[PairDeletionState.delete(_ASKED.id), go_to(Place.LEAVE, _ASKED.id)],
                custom_attrs={"data-first": "", "data-close": ""},
                class_name="danger",
            ),
        ),
        label="Delete this pair?",
        on_close=PairDeletionState.close,
    )
