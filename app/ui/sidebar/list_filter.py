"""Which conversations the left column lists: chats or what was derived from them, and under which agent."""

from __future__ import annotations

import reflex as rx

from app.state.sidebar import ANY_AGENT, SidebarState

_SELECT = "list-choice"


def list_filter() -> rx.Component:
    """Two small menus, and a way back to all chats while something else is chosen."""
    return rx.el.div(
        rx.el.select(
            rx.el.option("Chats", value="chats"),
            rx.el.optgroup(
                rx.el.option("All derived", value="derived"),
                rx.el.option("Under way", value="active"),
                rx.el.option("Completed", value="completed"),
                rx.el.option("Failed", value="failed"),
                label="Titles, summaries, delegated work",
            ),
            rx.el.option("Everything", value="all"),
            value=SidebarState.kind,
            on_change=SidebarState.show_kind,
            aria_label="Which conversations are listed",
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
                aria_label="Agent of the conversations listed",
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
                class_name="ms-auto grid size-6 flex-none place-items-center rounded-md text-muted hover:bg-hover "
                "hover:text-ink",
            ),
        ),
        role="group",
        aria_label="Filter of the list",
        custom_attrs={"data-filtered": rx.cond(SidebarState.filtered, "", None)},
        class_name="list-filter",
    )


def nothing_listed() -> rx.Component:
    """What stands where no conversation is as wanted."""
    return rx.el.p(
        "None is like that. ",
        rx.el.button(
            "List all chats", type="button", on_click=SidebarState.show_chats, class_name="underline hover:text-ink"
        ),
        class_name="px-2.5 pt-3 text-[13.5px] text-muted",
    )
