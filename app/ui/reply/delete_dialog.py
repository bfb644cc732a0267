"""The question before a pair that has a reply is deleted."""

from __future__ import annotations

import reflex as rx

from app.state.reply.deletion import PairDeletionState
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.ui.kit.place import Place, go_to
from app.ui.phrase import phrase

_ASKED = PairDeletionState.deleting


@rx.memo
def delete_pair_dialog() -> rx.Component:
    """Names the pair, and where it goes. The cursor goes to the next one."""
    return Dialog.create(
        dialog_title(phrase("reply.delete_this_pair")),
        dialog_text(
            _ASKED.name,
            phrase("reply.delete_hint"),
        ),
        dialog_foot(
            dialog_cancel(phrase("common.cancel")),
            rx.el.button(
                phrase("common.delete"),
                type="button",
                on_click=[PairDeletionState.delete(_ASKED.id), go_to(Place.LEAVE, _ASKED.id)],
                custom_attrs={"data-first": "", "data-close": ""},
                class_name="danger",
            ),
        ),
        label=phrase("reply.delete_this_pair"),
        on_close=PairDeletionState.close,
    )
