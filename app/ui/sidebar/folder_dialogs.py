"""The menu of a folder, and the dialogs that create a folder, delete it, and move a conversation to it."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.domain.conversation.folders import MAX_NAME
from app.state.sidebar.folders import FolderChoice, FolderState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_danger, dialog_foot, dialog_text, dialog_title
from app.ui.kit.keys.arrows import Arrows
from app.ui.shell.menu import menu_item

_MENU: Any = FolderState.menu
_MOVING: Any = FolderState.moving
_DELETING: Any = FolderState.deleting


@rx.memo
def folder_menu() -> rx.Component:
    """Draw the menu of a folder. It is open while `FolderState.menu` is set."""
    return Dialog.create(
        menu_item("Rename", FolderState.begin_rename(_MENU.id)),
        menu_item("Delete", FolderState.ask_delete(_MENU.id), class_name="danger-quiet"),
        label="Menu of folder " + _MENU.name.to(str),
        at="folder-menu-" + _MENU.id.to(str),
        on_close=FolderState.close_menu,
        class_name="popup menu",
    )


@rx.memo
def new_folder_dialog() -> rx.Component:
    """Draw the dialog that creates an empty folder, while `FolderState.creating` is True."""
    return Dialog.create(
        dialog_title("New folder"),
        rx.el.form(
            rx.el.input(
                name="name",
                aria_label="Name",
                placeholder="Name",
                max_length=MAX_NAME,
                auto_complete="off",
                dir="auto",
                aria_invalid=FolderState.fault != "",
                custom_attrs={"data-first": ""},
                class_name="folder-name",
            ),
            _fault(),
            dialog_foot(dialog_cancel(), rx.el.button("Create", type="submit", class_name="loud")),
            on_submit=FolderState.create,
            class_name="new-folder",
        ),
        label="New folder",
        on_close=FolderState.end_create,
    )


def _fault() -> rx.Component:
    return rx.cond(FolderState.fault != "", rx.el.p(FolderState.fault, role="alert", class_name="topic-fault"))


@rx.memo
def move_dialog() -> rx.Component:
    """Draw the dialog that moves a conversation to a folder or to a new one, while `FolderState.moving` is set."""
    return Dialog.create(
        dialog_title("Move to folder"),
        dialog_text("“" + _MOVING.name.to(str) + "”"),
        Arrows.create(
            rx.el.div(
                rx.foreach(_MOVING.choices, _choice), role="group", aria_label="Folders", class_name="folder-choices"
            ),
            among=".folder-choices",
        ),
        rx.el.form(
            rx.el.input(
                name="name",
                placeholder="New folder",
                aria_label="Name of the new folder",
                max_length=MAX_NAME,
                auto_complete="off",
                class_name="folder-name",
            ),
            rx.el.button("Create and move", type="submit", class_name="quiet"),
            on_submit=FolderState.create_and_move,
            class_name="folder-form",
        ),
        _fault(),
        dialog_foot(dialog_cancel("Cancel")),
        label="Move to folder",
        on_close=FolderState.end_move,
    )


def _choice(choice: rx.vars.ObjectVar[FolderChoice]) -> rx.Component:
    return rx.el.button(
        rx.icon(rx.cond(choice.id == "", "folder-minus", "folder"), size=16),
        rx.el.span(choice.name, dir="auto", class_name="truncate"),
        rx.cond(choice.chosen, rx.icon("check", size=16, class_name="ms-auto flex-none text-accent")),
        type="button",
        aria_pressed=choice.chosen,
        on_click=FolderState.move(choice.id),
        custom_attrs={"data-first": rx.cond(choice.chosen, "", None)},
        key=choice.id.to(str),
        class_name="menu-item",
    )


@rx.memo
def delete_folder_dialog() -> rx.Component:
    """Draw the dialog that asks what happens to the conversations of a folder, while `FolderState.deleting` is set."""
    quoted = "“" + _DELETING.name.to(str) + "”"
    return Dialog.create(
        dialog_title("Delete this folder?"),
        rx.cond(
            _DELETING.content == "",
            rx.fragment(
                dialog_text(quoted + " is empty. You can undo this."),
                dialog_foot(dialog_cancel("Cancel", first=True), dialog_danger("Delete", FolderState.delete("keep"))),
            ),
            rx.fragment(
                dialog_text(
                    quoted
                    + " has "
                    + _DELETING.content.to(str)
                    + ". Keep its conversations in the list without a folder, "
                    "or move them to the trash? You can undo both."
                ),
                dialog_foot(
                    dialog_cancel("Cancel", first=True),
                    rx.el.button("Keep them", type="button", on_click=FolderState.delete("keep"), class_name="quiet"),
                    dialog_danger("Move to trash", FolderState.delete("trash")),
                ),
            ),
        ),
        label="Delete this folder?",
        on_close=FolderState.end_delete,
    )
