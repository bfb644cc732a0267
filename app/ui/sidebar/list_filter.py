"""The search field and the filter above the list of conversations, and the texts of a list without results."""

from __future__ import annotations

import reflex as rx

from app.state.sidebar.folders import FolderState
from app.state.sidebar.sidebar import ANY_AGENT, MAX_SEARCH, SidebarState

_SELECT = "list-choice"
_BUTTON = "ms-auto grid size-6 flex-none place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"


SEARCH_REST_MS = 200
"""Milliseconds after the last key until the typed words are searched for."""


def search_field() -> rx.Component:
    """Draw the search field: it lists the conversations that have the typed words in their title or in one pair."""
    return rx.el.div(
        rx.el.input(
            type="search",
            placeholder="Search conversations",
            aria_label="Search conversations",
            title='Whole words, gard* for a prefix, "fresh bread" for a phrase',
            max_length=MAX_SEARCH,
            auto_complete="off",
            default_value=SidebarState.words,
            key=SidebarState.kept_words,  # a new key creates a new field, without the focus
            on_change=SidebarState.search.debounce(SEARCH_REST_MS),
            class_name="list-search",
        ),
        rx.el.p(
            rx.cond(
                SidebarState.searching,
                rx.cond(
                    SidebarState.more,
                    f"More than {SidebarState.conversations.length()} conversations found",
                    rx.cond(
                        SidebarState.conversations.length() == 1,
                        "1 conversation found",
                        f"{SidebarState.conversations.length()} conversations found",
                    ),
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
    """Draw the note below a search for frequent words: only the newest pairs with these words are found."""
    return rx.el.p(
        "Many pairs contain these words; only the newest were searched. Add a word to find older ones.",
        class_name="px-2.5 pt-2 text-[12.5px] text-muted",
    )


def list_filter() -> rx.Component:
    """Draw the filter of the list: a menu of kinds and one of agents, and a button that lists all chats again.

    Without a filter and a search, the list shows folders: then the button creates a folder.
    """
    return rx.el.div(
        rx.el.select(
            rx.el.option("Chats", value="chats"),
            rx.el.optgroup(
                rx.el.option("All background tasks", value="derived"),
                rx.el.option("Running", value="active"),
                rx.el.option("Completed", value="completed"),
                rx.el.option("Failed", value="failed"),
                label="Background tasks: titles, summaries, delegated work",
            ),
            rx.el.option("Everything", value="all"),
            value=SidebarState.kind,
            on_change=SidebarState.show_kind,
            aria_label="Kind of conversation",
            class_name=_SELECT,
        ),
        rx.cond(
            SidebarState.agents.length() > 0,
            rx.el.select(
                rx.el.option("Any agent", value=ANY_AGENT),
                rx.el.option("No agent", value=""),
                rx.foreach(SidebarState.agents, lambda agent: rx.el.option(agent.name, value=agent.id)),
                value=SidebarState.agent,
                on_change=SidebarState.show_agent,
                aria_label="Agent of the conversation",
                class_name=_SELECT,
            ),
        ),
        rx.cond(
            SidebarState.filtered,
            rx.el.button(
                rx.icon("x", size=14),
                type="button",
                aria_label="List all chats",
                title="List all chats",
                on_click=SidebarState.show_chats,
                class_name=_BUTTON,
            ),
            rx.cond(
                SidebarState.searching,
                None,
                rx.el.button(
                    rx.icon("folder-plus", size=15),
                    type="button",
                    aria_label="New folder",
                    title="New folder",
                    on_click=FolderState.ask_create,
                    class_name=_BUTTON,
                ),
            ),
        ),
        role="group",
        aria_label="Conversation filter",
        custom_attrs={"data-filtered": rx.cond(SidebarState.filtered, "", None)},
        class_name="list-filter",
    )


def nothing_found() -> rx.Component:
    """Draw the text for a search that finds no conversation."""
    return rx.el.div(
        rx.el.p("No conversation contains these words."),
        rx.cond(
            SidebarState.unspaced,
            rx.el.p(
                "If a Latin word directly touches a Chinese, Japanese or Thai letter, type that letter too, "
                "for example 用Python."
            ),
        ),
        class_name="grid gap-2 px-2.5 pt-3 text-[13.5px] text-muted",
    )


def nothing_listed() -> rx.Component:
    """Draw the text for a filter that no conversation matches."""
    return rx.el.p(
        "No conversations found. ",
        rx.el.button(
            "List all chats", type="button", on_click=SidebarState.show_chats, class_name="underline hover:text-ink"
        ),
        class_name="px-2.5 pt-3 text-[13.5px] text-muted",
    )
