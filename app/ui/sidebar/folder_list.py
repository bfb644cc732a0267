"""The folders above the list of conversations. Each can be expanded, and has a menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import reflex as rx

from app.domain.conversation.folders import MAX_NAME
from app.state.sidebar.conversation_rows import FolderItem
from app.state.sidebar.folders import FolderState
from app.state.sidebar.sidebar import SidebarState

MENU_ID = "folder-menu-"
"""The beginning of the id of the button that opens the menu of a folder. The id of the folder follows."""


def folder_list(draw_row: Callable[..., rx.Component]) -> rx.Component:
    """Draw all folders. `draw_row` draws a conversation in one."""
    return rx.cond(
        SidebarState.folders.length() > 0,
        rx.el.ul(
            rx.foreach(SidebarState.folders, lambda folder: _folder(folder, draw_row)),
            aria_label="Folders",
            class_name="folder-list",
        ),
    )


def _folder(folder: rx.vars.ObjectVar[FolderItem], draw_row: Callable[..., rx.Component]) -> rx.Component:
    return rx.el.li(
        rx.cond(FolderState.renaming == folder.id, _rename_form(folder), _line(folder)),
        rx.cond(folder.opened, _content(folder, draw_row)),
        key=folder.id.to(str),
        class_name="mt-px",
    )


def _line(folder: rx.vars.ObjectVar[FolderItem]) -> rx.Component:
    """Draw the button that expands a folder, and the button that opens its menu."""
    return rx.el.div(
        rx.el.button(
            rx.icon("chevron-right", size=14, class_name="folder-arrow"),
            rx.icon(rx.cond(folder.opened, "folder-open", "folder"), size=15, class_name="flex-none text-muted"),
            rx.el.span(folder.name, dir="auto", class_name="truncate"),
            " ",
            rx.el.span(
                folder.count,
                rx.el.span(rx.cond(folder.count == 1, " conversation", " conversations"), class_name="unseen"),
                class_name="folder-count",
            ),
            type="button",
            aria_expanded=folder.opened,
            on_click=SidebarState.toggle_folder(folder.id),
            class_name="folder-button",
        ),
        rx.el.div(
            rx.el.button(
                rx.icon("ellipsis", size=15),
                id=MENU_ID + folder.id.to(str),
                type="button",
                aria_label=f"Menu of folder {folder.name}",
                aria_haspopup="dialog",
                title="Rename, delete",
                tab_index=-1,
                on_click=FolderState.show_menu(folder.id),
                class_name="grid size-7 place-items-center rounded-md text-muted hover:bg-line hover:text-ink",
            ),
            class_name="row-actions",
        ),
        class_name="conversation-row folder-row relative",
    )


def _content(folder: rx.vars.ObjectVar[FolderItem], draw_row: Callable[..., rx.Component]) -> rx.Component:
    """Draw the conversations of an expanded folder."""
    rows: Any = folder.rows
    return rx.el.div(
        rx.cond(
            folder.count == 0,
            rx.el.p(
                "This folder is empty. Move a conversation here from its menu.",
                class_name="px-2.5 py-1.5 text-[13px] text-muted",
            ),
            rx.el.ul(rx.foreach(rows, lambda item: rx.fragment(draw_row(item=item), key=item.id))),
        ),
        rx.cond(
            folder.more,
            rx.el.button(
                "Show older",
                type="button",
                aria_label=f"Show older conversations of folder {folder.name}",
                on_click=SidebarState.show_more,
                class_name="mt-1 w-full rounded-lg py-1.5 text-[13px] text-muted hover:bg-hover hover:text-ink",
            ),
        ),
        class_name="folder-content",
    )


def _rename_form(folder: rx.vars.ObjectVar[FolderItem]) -> rx.Component:
    return rx.el.form(
        rx.el.input(
            name="name",
            default_value=folder.name,
            auto_focus=True,
            aria_label="Name of the folder",
            max_length=MAX_NAME,
            auto_complete="off",
            on_blur=FolderState.end_rename,
            on_key_down=lambda key: rx.cond(key == "Escape", FolderState.end_rename(), rx.noop()),
            class_name="h-9 w-full rounded-lg border border-accent bg-raised px-2.5 text-[14px] outline-none",
        ),
        on_submit=FolderState.rename_folder,
    )
