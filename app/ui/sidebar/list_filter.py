"""Which conversations the left column lists: chats or child conversations, and under which agent."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.folders import FolderState
from app.state.sidebar import ANY_AGENT, ARCHIVED, MAX_SEARCH, SidebarState
from app.ui.phrase import phrase

_SELECT = "list-choice"
_COUNTS: Any = SidebarState.counts


SEARCH_REST_MS = 200
"""Without another key, until what was typed is searched for."""


def search_field() -> rx.Component:
    """Lists the conversations that have some words in their title or in one pair."""
    return rx.el.div(
        rx.el.input(
            type="search",
            placeholder=phrase("sidebar.search_conversations"),
            aria_label=phrase("sidebar.search_conversations"),
            title=phrase("sidebar.search_hint"),
            max_length=MAX_SEARCH,
            auto_complete="off",
            default_value=SidebarState.words,
            key=rx.cond(rx.State.is_hydrated, "known", "new"),  # drawn anew once the words are known, after a reload
            on_change=SidebarState.search.debounce(SEARCH_REST_MS),
            class_name="list-search",
        ),
        rx.el.p(
            rx.cond(
                SidebarState.searching,
                rx.cond(
                    SidebarState.more,
                    phrase("sidebar.more_than_conversations_found", count=SidebarState.conversations.length()),
                    phrase("sidebar.conversations_found", count=SidebarState.conversations.length()),
                ),
                "",
            ),
            role="status",
            class_name="unseen",
        ),
        role="search",
        class_name="px-2 pb-1.5",
    )


def found_incompletely() -> rx.Component:
    """Says that only the newest places were looked at."""
    return rx.el.p(
        phrase("sidebar.search_too_many"),
        class_name="px-2.5 pt-2 text-[12.5px] text-muted",
    )


def list_filter() -> rx.Component:
    """Two small menus, and a way back to all chats while something else is chosen."""
    return rx.el.div(
        rx.el.select(
            rx.el.option(phrase("sidebar.chats"), value="chats"),
            _counted(phrase("list.unread_kind"), _COUNTS.unread, "unread"),
            _counted(phrase("list.running_kind"), _COUNTS.running, "running"),
            _counted(phrase("list.waiting_kind"), _COUNTS.waiting, "waiting"),
            rx.el.option(phrase("list.failed_kind"), value="error"),
            _counted(phrase("list.pinned"), _COUNTS.pinned, "pinned"),
            rx.el.option(phrase("list.archived_kind"), value="archived"),
            rx.el.option(phrase("list.imported_kind"), value="imported"),
            rx.el.option(phrase("sidebar.temporary"), value="temporary"),
            rx.cond(
                SidebarState.folders.length() > 0,
                rx.el.optgroup(
                    rx.foreach(
                        SidebarState.folders, lambda folder: rx.el.option(folder.name, value=folder.kind, key=folder.id)
                    ),
                    label=phrase("list.folders"),
                ),
            ),
            rx.el.optgroup(
                rx.el.option(phrase("sidebar.all_derived"), value="derived"),
                rx.el.option(phrase("sidebar.under_way"), value="active"),
                rx.el.option(phrase("common.completed"), value="completed"),
                rx.el.option(phrase("common.failed"), value="failed"),
                label=phrase("sidebar.titles_summaries_delegated_work"),
            ),
            rx.el.option(phrase("common.everything"), value="all"),
            value=SidebarState.kind,
            on_change=SidebarState.show_kind,
            aria_label=phrase("sidebar.which_conversations_are_listed"),
            class_name=_SELECT,
        ),
        rx.cond(
            SidebarState.agents.length() > 0,
            rx.el.select(
                rx.el.option(phrase("sidebar.any_agent"), value=ANY_AGENT),
                rx.el.option(phrase("common.no_agent"), value=""),
                rx.foreach(SidebarState.agents, lambda agent: rx.el.option(agent.name, value=agent.id)),
                value=SidebarState.agent,
                on_change=SidebarState.show_agent,
                aria_label=phrase("sidebar.agent_filter"),
                class_name=_SELECT,
            ),
        ),
        rx.cond(
            SidebarState.filtered & ~SidebarState.folder.bool(),  # a folder has a way back of its own
            rx.el.button(
                rx.icon("x", size=14),
                type="button",
                aria_label=phrase("sidebar.list_all_chats"),
                title=phrase("sidebar.list_all_chats"),
                on_click=SidebarState.show_chats,
                class_name="ms-auto grid size-6 flex-none place-items-center rounded-md text-muted hover:bg-hover "
                "hover:text-ink",
            ),
        ),
        rx.el.button(
            rx.icon("folder-plus", size=15),
            type="button",
            aria_label=phrase("list.new_folder"),
            title=phrase("list.new_folder"),
            on_click=FolderState.ask_new,
            class_name=rx.cond(
                SidebarState.filtered & ~SidebarState.folder.bool(),
                "grid size-6 flex-none place-items-center rounded-md text-muted hover:bg-hover hover:text-ink",
                "ms-auto grid size-6 flex-none place-items-center rounded-md text-muted hover:bg-hover hover:text-ink",
            ),
        ),
        role="group",
        aria_label=phrase("sidebar.filter_of_the_list"),
        custom_attrs={"data-filtered": rx.cond(SidebarState.filtered, "", None)},
        class_name="list-filter",
    )


def _counted(name: Any, count: Any, kind: str) -> rx.Component:
    """A list in the menu, with how many conversations it has, if it has any."""
    return rx.el.option(name, rx.cond(count != "", f" ({count})", ""), value=kind)


def nothing_found() -> rx.Component:
    """What stands where no conversation has the words that are searched for."""
    return rx.el.p(phrase("sidebar.search_empty"), class_name="px-2.5 pt-3 text-[13.5px] text-muted")


def nothing_listed() -> rx.Component:
    """What stands where no conversation is as wanted."""
    return rx.cond(
        SidebarState.folder,
        _nothing(phrase("list.empty_folder")),
        rx.cond(SidebarState.kind == ARCHIVED, _nothing(phrase("list.nothing_archived")), _nothing_like_that()),
    )


def _nothing(text: str) -> rx.Component:
    return rx.el.p(text, class_name="px-2.5 pt-3 text-[13.5px] text-muted")


def _nothing_like_that() -> rx.Component:
    return rx.el.p(
        f"{phrase('sidebar.none_is_like_that')} ",
        rx.el.button(
            phrase("sidebar.list_all_chats"),
            type="button",
            on_click=SidebarState.show_chats,
            class_name="underline hover:text-ink",
        ),
        class_name="px-2.5 pt-3 text-[13.5px] text-muted",
    )
