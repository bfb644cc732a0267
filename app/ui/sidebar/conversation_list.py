"""The left column of the page: a link to a new conversation, the list of conversations, links to other pages."""

from __future__ import annotations

import reflex as rx

from app.state.shell.news import NewsState
from app.state.sidebar.conversation_rows import ConversationItem, ExcerptPiece
from app.state.sidebar.folders import FolderState
from app.state.sidebar.sidebar import SidebarState
from app.ui import routes
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.containers.deferred import deferred
from app.ui.kit.containers.drawer import Drawer, DrawerToggle
from app.ui.kit.controls.page_link import PageLink
from app.ui.kit.keys.arrows import Rows
from app.ui.sidebar.delete_dialog import delete_conversation_dialog
from app.ui.sidebar.folder_dialogs import delete_folder_dialog, folder_menu, move_dialog, new_folder_dialog
from app.ui.sidebar.folder_list import folder_list
from app.ui.sidebar.list_filter import (
    found_incompletely,
    list_filter,
    nothing_found,
    nothing_listed,
    search_field,
)

_ROW_BUTTON = "grid size-7 place-items-center rounded-md text-muted hover:bg-line hover:text-ink"
_FOOT_LINK = (
    "flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-[14px] text-muted hover:bg-hover hover:text-ink "
    "aria-[current=page]:bg-hover aria-[current=page]:text-ink"
)


def conversation_list() -> rx.Component:
    """Draw the left column: folders, and the conversations in none, newest first, with buttons that change each."""
    return Drawer.create(
        rx.el.div(
            PageLink.create(
                rx.el.span("Inview", class_name="font-semibold tracking-tight"), to=routes.HOME, class_name="rounded-md"
            ),
            DrawerToggle.create(
                rx.icon("panel-left", size=17), label="Hide the conversation list", class_name=_ROW_BUTTON
            ),
            class_name="flex h-12 flex-none items-center justify-between ps-4 pe-2.5",
        ),
        rx.el.div(
            PageLink.create(
                rx.icon("plus", size=16),
                "New conversation",
                to=routes.HOME,
                end=True,
                class_name="flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-[14px] font-medium hover:bg-hover "
                "aria-[current=page]:bg-hover",
            ),
            class_name="px-2 pb-1",
        ),
        search_field(),
        list_filter(),
        Rows.create(
            folder_list(conversation_row),
            rx.cond(
                SidebarState.conversations.length() > 0,
                rx.el.ul(
                    rx.foreach(
                        SidebarState.conversations, lambda item: rx.fragment(conversation_row(item=item), key=item.id)
                    )
                ),
                rx.cond(
                    SidebarState.loaded & (SidebarState.folders.length() == 0),
                    rx.cond(
                        SidebarState.searching,
                        nothing_found(),
                        rx.cond(
                            SidebarState.filtered,
                            nothing_listed(),
                            rx.el.p(
                                "Your conversations appear here.",
                                class_name="px-2.5 pt-3 text-[13.5px] text-muted",
                            ),
                        ),
                    ),
                ),
            ),
            rx.cond(SidebarState.complete, None, found_incompletely()),
            rx.cond(
                SidebarState.more,
                rx.el.button(
                    rx.cond(SidebarState.searching, "Show more", "Show older"),
                    type="button",
                    on_click=SidebarState.show_more,
                    class_name="mt-1 w-full rounded-lg py-1.5 text-[13px] text-muted hover:bg-hover hover:text-ink",
                ),
            ),
            among=".conversation-row",
            class_name="relative min-h-0 flex-1 overflow-y-auto px-2 pt-1 pb-3",
        ),
        rx.el.div(
            PageLink.create(
                rx.icon("chart-column", size=16),
                "Usage",
                to=routes.USAGE,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("bot", size=16),
                "Agents",
                to=routes.AGENTS,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("trash-2", size=16),
                "Trash",
                to=routes.TRASH,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("settings-2", size=16),
                "Settings",
                to=routes.SETTINGS,
                class_name=_FOOT_LINK,
            ),
            class_name="flex-none border-t border-line p-2",
        ),
        deferred(delete_conversation_dialog, when=SidebarState.deleting),
        deferred(new_folder_dialog, when=FolderState.creating),
        deferred(folder_menu, when=FolderState.menu),
        deferred(move_dialog, when=FolderState.moving),
        deferred(delete_folder_dialog, when=FolderState.deleting),
        label="Conversations",
        on_look=SidebarState.look.temporal,
    )


@rx.memo
def conversation_row(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    """Draw one conversation: a link to it or, while it is renamed, a field with its title."""
    return rx.el.li(
        rx.cond(SidebarState.renaming == item.id, _rename_form(item), _row(item)),
        class_name="mt-px",
    )


def _row(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    return rx.el.div(
        PageLink.create(
            rx.el.span(
                _running_dot(item),
                rx.cond(
                    item.temporary,
                    rx.el.span(
                        rx.icon("hourglass", size=13),
                        role="img",
                        aria_label="Temporary",
                        class_name="flex-none text-muted",
                    ),
                ),
                rx.cond(
                    item.derived != "",
                    rx.el.span(
                        rx.icon("corner-down-right", size=13),
                        role="img",
                        aria_label=item.derived,
                        title=item.derived,
                        class_name=rx.cond(
                            item.derived.contains("failed"), "flex-none text-danger", "flex-none text-muted"
                        ),
                    ),
                ),
                rx.el.span(
                    rx.cond(item.name != "", item.name, "New conversation"),
                    dir="auto",
                    class_name="truncate text-[14px] leading-5",
                ),
                class_name="flex items-center gap-2",
            ),
            rx.el.span(
                _failed(item),
                rx.cond(
                    item.excerpt.length() > 0,
                    _excerpt(item),
                    rx.el.span(item.snippet, dir="auto", class_name="truncate"),
                ),
                rx.el.span(MomentText.create(at=item.updated_at), class_name="ms-auto flex-none"),
                class_name="flex gap-2 text-[12.5px] leading-5 text-faint",
            ),
            to=item.path,
            class_name="block rounded-lg px-2.5 py-1.5 hover:bg-hover aria-[current=page]:bg-hover",
        ),
        rx.el.div(
            rx.el.button(
                rx.icon("pencil", size=14),
                type="button",
                aria_label=f"Rename {item.name}",
                title="Rename",
                tab_index=-1,
                on_click=SidebarState.begin_rename(item.id),
                class_name=_ROW_BUTTON,
            ),
            rx.cond(
                (item.derived == "") & ~item.temporary.bool(),
                rx.el.button(
                    rx.icon("folder-input", size=14),
                    type="button",
                    aria_label=f"Move {item.name} to a folder",
                    title="Move to folder",
                    tab_index=-1,
                    on_click=FolderState.ask_move(item.id),
                    class_name=f"{_ROW_BUTTON} row-move",
                ),
            ),
            rx.el.button(
                rx.icon("trash-2", size=14),
                type="button",
                aria_label=f"Delete {item.name}",
                title="Delete",
                tab_index=-1,
                on_click=SidebarState.ask_delete(item.id),
                class_name=_ROW_BUTTON,
            ),
            class_name="row-actions",
        ),
        class_name="conversation-row relative",
    )


def _excerpt(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    """Draw the text around the words that were searched for, with these words marked."""
    return rx.el.span(
        rx.foreach(
            item.excerpt.to(list[ExcerptPiece]),
            lambda piece: rx.cond(piece.found, rx.el.mark(piece.text), rx.el.span(piece.text)),
        ),
        dir="auto",
        class_name="list-excerpt",
    )


def _rename_form(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    return rx.el.form(
        rx.el.input(
            name="title",
            default_value=item.name,
            auto_focus=True,
            aria_label="Title",
            max_length=200,
            auto_complete="off",
            on_blur=SidebarState.end_rename,
            on_key_down=lambda key: rx.cond(key == "Escape", SidebarState.end_rename(), rx.noop()),
            class_name="h-[46px] w-full rounded-lg border border-accent bg-raised px-2.5 text-[14px] outline-none",
        ),
        on_submit=SidebarState.rename_conversation,
    )


def _running_dot(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    """Draw the mark of a running reply. It is updated at once for the conversation on screen, else with the list."""
    return rx.cond(
        _running(item),
        rx.el.span(role="img", aria_label="A reply is running", class_name="dot flex-none"),
    )


def _failed(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    """Draw the note that the newest reply failed, unless the next one is running."""
    return rx.cond(
        item.failed.to(bool) & ~_running(item).bool(),
        rx.el.span(rx.icon("triangle-alert", size=13), "Reply failed", class_name="reply-failed"),
    )


def _running(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Var[bool]:
    return rx.cond(NewsState.conversation == item.id, NewsState.running, item.running).to(bool)
