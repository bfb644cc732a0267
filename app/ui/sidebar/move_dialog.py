"""The dialog that asks for the folder of one conversation or several."""

from __future__ import annotations

import reflex as rx

from app.domain.conversation.placement import MAX_FOLDER_NAME
from app.state.placement import PlacementState
from app.ui.kit.dialog import Dialog
from app.ui.kit.option_list import OptionList
from app.ui.phrase import phrase


@rx.memo
def move_dialog() -> rx.Component:
    """The folders, searched, and a field for a new one."""
    return Dialog.create(
        OptionList.create(
            rows=PlacementState.rows,
            label=phrase("list.search_folders"),
            list_label=phrase("list.folders"),
            placeholder=phrase("list.move_to"),
            none=phrase("list.no_such_folder"),
            chosen=PlacementState.moving_in,
            closes=True,
            on_choose=PlacementState.move,
        ),
        rx.el.form(
            rx.el.input(
                name="name",
                placeholder=phrase("list.or_new"),
                aria_label=phrase("list.new_folder"),
                aria_invalid=PlacementState.fault != "",
                aria_describedby="new-folder-fault",
                auto_complete="off",
                max_length=MAX_FOLDER_NAME,
            ),
            rx.el.button(phrase("list.create_and_move"), type="submit", class_name="quiet"),
            rx.el.p(PlacementState.fault, id="new-folder-fault", role="alert", class_name="form-fault"),
            on_submit=PlacementState.move_to_new,
            class_name="move-new",
        ),
        label=phrase("list.move"),
        on_close=PlacementState.close_move,
        class_name="modal palette move-dialog",
    )
