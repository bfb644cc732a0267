"""The folders above the list, the one that is listed, and the dialog that names one. Rows are dropped on folders."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_components_core.el import Li

from app.domain.conversation.placement import MAX_FOLDER_NAME
from app.state.folders import FolderState
from app.state.placement import PlacementState
from app.state.sidebar import CHATS, FolderItem, SidebarState
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_foot, dialog_title
from app.ui.phrase import phrase

_BUTTON = "grid size-7 flex-none place-items-center rounded-md text-muted hover:bg-line hover:text-ink"
_FOLDER: Any = SidebarState.folder


class _DropTarget(Li):
    on_drag_over: rx.EventHandler[rx.event.no_args_event_spec]
    on_drop: rx.EventHandler[rx.event.no_args_event_spec]


def folder_list() -> rx.Component:
    """All folders where chats are listed, else the name of the one that is."""
    return rx.cond(
        SidebarState.folder,
        _opened(),
        rx.cond(
            (SidebarState.kind == CHATS) & ~SidebarState.searching & (SidebarState.folders.length() > 0),
            rx.el.ul(
                rx.foreach(SidebarState.folders, lambda folder: folder_row(folder=folder, key=folder.id)),
                aria_label=phrase("list.folders"),
                class_name="folder-list",
            ),
        ),
    )


@rx.memo
def folder_row(folder: rx.vars.ObjectVar[FolderItem], rest: rx.RestProp) -> rx.Component:
    """A folder that is opened by a click, and takes what is dropped on it."""
    return _DropTarget.create(
        rx.el.button(
            rx.icon("folder", size=15),
            rx.el.span(folder.name, dir="auto", class_name="truncate"),
            " ",  # name and number are two words, as in the label
            rx.el.span(folder.count, aria_hidden="true", class_name="ms-auto text-[12px] text-faint"),
            type="button",
            aria_label=phrase("list.folder_and_count", count=folder.count, name=folder.name),
            on_click=SidebarState.show_kind(folder.kind),
            class_name="folder-row",
        ),
        rest,
        on_drag_over=rx.noop().prevent_default,
        on_drop=PlacementState.drop(folder.id).prevent_default,
    )


def _opened() -> rx.Component:
    return rx.el.div(
        rx.el.button(
            rx.icon("arrow-left", size=15),
            type="button",
            aria_label=phrase("list.all_chats"),
            title=phrase("list.all_chats"),
            on_click=SidebarState.show_chats,
            class_name=_BUTTON,
        ),
        rx.el.h2(_FOLDER.name, dir="auto", class_name="min-w-0 flex-1 truncate text-[14px] font-semibold"),
        rx.el.button(
            rx.icon("pencil", size=14),
            type="button",
            aria_label=phrase("list.rename_folder"),
            title=phrase("list.rename_folder"),
            on_click=FolderState.ask_rename(_FOLDER.id),
            class_name=_BUTTON,
        ),
        rx.el.button(
            rx.icon("trash-2", size=14),
            type="button",
            aria_label=phrase("list.delete_folder"),
            title=phrase("list.delete_folder"),
            on_click=FolderState.delete(_FOLDER.id),
            class_name=_BUTTON,
        ),
        class_name="flex items-center gap-1 px-2 pb-1",
    )


@rx.memo
def folder_dialog() -> rx.Component:
    """Asks for a name."""
    is_new = FolderState.renamed == ""
    label = rx.cond(is_new, phrase("list.new_folder"), phrase("list.rename_folder"))
    return Dialog.create(
        rx.el.form(
            dialog_title(label),
            rx.el.input(
                name="name",
                default_value=FolderState.name,
                aria_label=phrase("list.folder_name"),
                aria_invalid=FolderState.fault != "",
                aria_describedby="folder-fault",
                auto_complete="off",
                max_length=MAX_FOLDER_NAME,
                custom_attrs={"data-first": ""},
                class_name="folder-name",
            ),
            rx.el.p(FolderState.fault, id="folder-fault", role="alert", class_name="form-fault"),
            dialog_foot(
                dialog_cancel(phrase("list.cancel")),
                rx.el.button(
                    rx.cond(is_new, phrase("list.create"), phrase("list.rename")), type="submit", class_name="loud"
                ),
            ),
            on_submit=FolderState.save,
        ),
        label=label,
        on_close=FolderState.close,
    )
