"""The left column: new conversation, the conversations, settings."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_components_core.el import Div

from app.state.conversation_rows import ConversationItem
from app.state.folders import FolderState
from app.state.placement import PlacementState
from app.state.shell.news import NewsState
from app.state.shell.palette import PaletteState
from app.state.sidebar import SidebarState
from app.state.transfer.bulk_export import BulkExportState
from app.ui import routes
from app.ui.kit.arrows import Arrows
from app.ui.kit.deferred import deferred
from app.ui.kit.drawer import Drawer, DrawerToggle
from app.ui.kit.moment import Moment
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase
from app.ui.sidebar.delete_dialog import delete_conversation_dialog
from app.ui.sidebar.folders import folder_dialog, folder_list
from app.ui.sidebar.list_filter import (
    found_incompletely,
    list_filter,
    nothing_found,
    nothing_listed,
    search_field,
)
from app.ui.sidebar.move_dialog import move_dialog
from app.ui.sidebar.row_menu import menu_id, row_menu
from app.ui.sidebar.selection import bulk_export_menu, selection_bar, tickable
from app.ui.transfer.granted import granted_in_sidebar
from app.views.keys import RowKey
from app.views.screen.options import ExcerptPiece

_ROW_BUTTON = "grid size-7 place-items-center rounded-md text-muted hover:bg-line hover:text-ink"
_FOOT_LINK = (
    "flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-[14px] text-muted hover:bg-hover hover:text-ink "
    "aria-[current=page]:bg-hover aria-[current=page]:text-ink"
)


def conversation_list() -> rx.Component:
    """All conversations, newest first, with what can be done to each."""
    return Drawer.create(
        rx.el.div(
            PageLink.create(
                rx.el.span("Inview", class_name="font-semibold tracking-tight"), to=routes.HOME, class_name="rounded-md"
            ),
            rx.el.button(
                rx.icon("search", size=16),
                type="button",
                aria_label=phrase("sidebar.search_and_commands"),
                title=phrase("sidebar.palette_button"),
                on_click=PaletteState.show,
                class_name=f"{_ROW_BUTTON} ms-auto",
            ),
            DrawerToggle.create(
                rx.icon("panel-left", size=17),
                label=phrase("sidebar.collapse_list"),
                class_name=_ROW_BUTTON,
            ),
            class_name="flex h-12 flex-none items-center justify-between ps-4 pe-2.5",
        ),
        rx.el.div(
            PageLink.create(
                rx.icon("plus", size=16),
                phrase("common.new_conversation"),
                to=routes.HOME,
                end=True,
                class_name="flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-[14px] font-medium hover:bg-hover "
                "aria-[current=page]:bg-hover",
            ),
            class_name="px-2 pb-1",
        ),
        search_field(),
        list_filter(),
        folder_list(),
        selection_bar(),
        rx.el.div(
            rx.cond(
                SidebarState.conversations.length() > 0,
                Arrows.create(
                    rx.el.ul(
                        rx.foreach(
                            SidebarState.conversations,
                            lambda item: rx.fragment(
                                conversation_row(
                                    item=item,
                                    renamed=SidebarState.renaming == item.id,
                                    selecting=PlacementState.selecting,
                                ),
                                key=item.id,
                            ),
                        )
                    ),
                    among=".row-link",
                ),
                rx.cond(
                    SidebarState.loaded,
                    rx.cond(
                        SidebarState.searching,
                        nothing_found(),
                        rx.cond(
                            SidebarState.filtered,
                            nothing_listed(),
                            rx.el.p(
                                phrase("sidebar.your_conversations_appear_here"),
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
                    rx.cond(SidebarState.searching, phrase("sidebar.show_more"), phrase("common.show_older")),
                    type="button",
                    on_click=SidebarState.show_more,
                    class_name="mt-1 w-full rounded-lg py-1.5 text-[13px] text-muted hover:bg-hover hover:text-ink",
                ),
            ),
            class_name="relative min-h-0 flex-1 overflow-y-auto px-2 pt-1 pb-3",
        ),
        granted_in_sidebar(),
        rx.el.div(
            PageLink.create(
                rx.icon("text-search", size=16),
                phrase("all_pairs.title"),
                to=routes.PAIRS,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("chart-column", size=16),
                phrase("common.usage"),
                to=routes.USAGE,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("bot", size=16),
                phrase("common.agents"),
                to=routes.AGENTS,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("notebook-pen", size=16),
                phrase("common.prompts"),
                to=routes.PROMPTS,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("file-up", size=16),
                phrase("imports.title"),
                to=routes.IMPORT,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("trash-2", size=16),
                phrase("sidebar.trash"),
                to=routes.TRASH,
                class_name=_FOOT_LINK,
            ),
            PageLink.create(
                rx.icon("settings-2", size=16),
                phrase("common.settings"),
                to=routes.SETTINGS,
                class_name=_FOOT_LINK,
            ),
            class_name="flex-none border-t border-line p-2",
        ),
        deferred(delete_conversation_dialog, when=SidebarState.deleting),
        deferred(row_menu, when=PlacementState.menu),
        deferred(bulk_export_menu, when=BulkExportState.open),
        deferred(move_dialog, when=PlacementState.moving),
        deferred(folder_dialog, when=FolderState.open),
        rx.el.p(NewsState.said, role="status", aria_live="polite", class_name="unseen"),
        label=phrase("sidebar.conversations"),
    )


@rx.memo
def conversation_row(
    item: rx.vars.ObjectVar[ConversationItem], renamed: rx.Var[bool], selecting: rx.Var[bool]
) -> rx.Component:
    """One conversation: a link, or the field that renames it; before the first of a group its heading.

    It reads no state but what it is given, so that only the rows that changed are drawn again.
    """
    return rx.el.li(
        rx.cond(item.heading != "", rx.el.h2(item.heading, class_name="list-heading")),
        rx.cond(
            renamed,
            _rename_form(item),
            rx.cond(selecting, tickable(item=item), _row(item)),
        ),
        class_name="mt-px",
    )


class _RowLink(Div):
    on_key_down: rx.EventHandler[rx.event.key_event]
    on_drag_start: rx.EventHandler[rx.event.no_args_event_spec]


def _key(item: rx.vars.ObjectVar[ConversationItem], key: rx.Var[str]) -> Any:
    """What a key does to the row whose link has the focus."""
    calls: Any = {
        RowKey.PIN.value: PlacementState.toggle_pin(item.id),
        RowKey.ARCHIVE.value: PlacementState.toggle_archive(item.id),
        RowKey.MOVE.value: PlacementState.ask_move(item.id),
        RowKey.UNREAD.value: PlacementState.toggle_unread(item.id),
        RowKey.SELECT.value: PlacementState.begin_select(item.id),
        RowKey.RENAME.value: SidebarState.begin_rename(item.id),
        RowKey.DELETE.value: SidebarState.ask_delete(item.id),
    }
    return rx.match(key, *calls.items(), rx.noop())


def _row(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    return rx.el.div(
        _RowLink.create(
            _link(item),
            on_key_down=lambda key, pressed: rx.cond(
                pressed.ctrl_key | pressed.meta_key | pressed.alt_key, rx.noop(), _key(item, key)
            ),
            on_drag_start=PlacementState.begin_drag(item.id),
            class_name="row-link",
        ),
        rx.el.div(
            rx.el.button(
                rx.icon("pencil", size=14),
                type="button",
                aria_label=phrase("sidebar.rename", name=item.name),
                title=phrase("common.rename"),
                on_click=SidebarState.begin_rename(item.id),
                class_name=_ROW_BUTTON,
            ),
            rx.el.button(
                rx.icon("trash-2", size=14),
                type="button",
                aria_label=phrase("sidebar.delete", name=item.name),
                title=phrase("common.delete"),
                on_click=SidebarState.ask_delete(item.id),
                class_name=_ROW_BUTTON,
            ),
            rx.el.button(
                rx.icon("ellipsis", size=14),
                id=menu_id(item.id),
                type="button",
                aria_label=phrase("list.more", name=item.name),
                title=phrase("list.more_short"),
                aria_haspopup="dialog",
                on_click=PlacementState.show_menu(item.id),
                class_name=_ROW_BUTTON,
            ),
            class_name="row-actions",
        ),
        class_name="conversation-row relative",
    )


def _link(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    return PageLink.create(
        rx.el.span(
            running_dot(conversation=item.id, running=item.running),
            rx.cond(
                item.temporary,
                rx.el.span(
                    rx.icon("hourglass", size=13),
                    role="img",
                    aria_label=phrase("sidebar.temporary"),
                    class_name="flex-none text-muted",
                ),
            ),
            _mark(item.pinned, "pin", phrase("list.pinned_mark"), "flex-none text-muted"),
            _mark(item.waiting, "hand", phrase("list.waiting"), "flex-none text-accent"),
            _mark(item.failed & ~item.running, "circle-alert", phrase("list.failed"), "flex-none text-danger"),
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
                rx.cond(item.name != "", item.name, phrase("common.new_conversation")),
                dir="auto",
                class_name=rx.cond(
                    item.unread, "truncate text-[14px] leading-5 font-semibold", "truncate text-[14px] leading-5"
                ),
            ),
            rx.cond(
                item.unread & ~item.running,
                rx.el.span(
                    role="img",
                    aria_label=phrase("list.unread"),
                    title=phrase("list.unread"),
                    class_name="dot ms-auto flex-none",
                ),
            ),
            class_name="flex items-center gap-2",
        ),
        rx.el.span(
            rx.cond(
                item.excerpt.length() > 0,
                _excerpt(item),
                rx.el.span(item.snippet, dir="auto", class_name="truncate"),
            ),
            rx.el.span(Moment.create(at=item.updated_at), class_name="ms-auto flex-none"),
            class_name="flex gap-2 text-[12.5px] leading-5 text-faint",
        ),
        to=item.path,
        title=rx.cond(item.model != "", phrase("list.details", count=item.pair_count, model=item.model), item.name),
        class_name="block rounded-lg px-2.5 py-1.5 hover:bg-hover aria-[current=page]:bg-hover",
    )


def _mark(when: rx.Var[bool], icon: str, text: str, class_name: str) -> rx.Component:
    return rx.cond(
        when,
        rx.el.span(rx.icon(icon, size=13), role="img", aria_label=text, title=text, class_name=class_name),
    )


def _excerpt(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    """What stands around the words that are searched for."""
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
            aria_label=phrase("common.title"),
            max_length=200,
            auto_complete="off",
            on_blur=SidebarState.end_rename,
            on_key_down=lambda key: rx.cond(key == "Escape", SidebarState.end_rename(), rx.noop()),
            class_name="h-[46px] w-full rounded-lg border border-accent bg-raised px-2.5 text-[14px] outline-none",
        ),
        on_submit=SidebarState.rename_conversation,
    )


@rx.memo
def running_dot(conversation: rx.Var[str], running: rx.Var[bool]) -> rx.Component:
    """Shown while a reply is on. Of the conversation on screen that is known at once."""
    return rx.cond(
        rx.cond(NewsState.conversation == conversation, NewsState.running, running),
        rx.el.span(role="img", aria_label=phrase("common.reply_is_running"), class_name="dot flex-none"),
    )
