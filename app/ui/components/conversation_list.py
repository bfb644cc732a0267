"""The left column: new conversation, the conversations, settings."""

from __future__ import annotations

import reflex as rx

from app.state.address import conversation_path
from app.state.agents import AgentState
from app.state.chat import ChatState
from app.state.model import ModelState
from app.state.sidebar import ConversationItem, SidebarState
from app.ui import routes
from app.ui.components.list_filter import list_filter, nothing_listed
from app.ui.components.shell import Announcer, Drawer, DrawerToggle, Modal, Moment, PageLink, RunningDot
from app.ui.components.trash import Deleted

_ROW_BUTTON = "grid size-7 place-items-center rounded-md text-muted hover:bg-line hover:text-ink"
_FOOT_LINK = (
    "flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-[14px] text-muted hover:bg-hover hover:text-ink "
    "aria-[current=page]:bg-hover aria-[current=page]:text-ink"
)
_BUTTON = "rounded-lg px-3.5 py-1.5 text-[14px] font-medium"

# The list, and in it the row that changed since it was sent, where that stands by now.
_ROWS = rx.Var(
    "((all, fresh, place) => { if (!fresh.id) return all; const rows = all.filter(({ id }) => id !== fresh.id); "
    f"rows.splice(place, 0, fresh); return rows; }})({SidebarState.conversations}, {SidebarState.fresh}, "
    f"{SidebarState.place})"
).to(list[ConversationItem])


def conversation_list() -> rx.Component:
    """All conversations, newest first, with what can be done to each."""
    return Drawer.create(
        rx.el.div(
            PageLink.create(
                rx.el.span("Inview", class_name="font-semibold tracking-tight"), to=routes.HOME, class_name="rounded-md"
            ),
            DrawerToggle.create(
                rx.icon("panel-left", size=17), label="Fold the conversation list away", class_name=_ROW_BUTTON
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
        list_filter(),
        rx.el.div(
            rx.cond(
                SidebarState.conversations.length() > 0,
                rx.el.ul(rx.foreach(_ROWS, lambda item: conversation_row(item=item, key=item.id))),
                rx.cond(
                    SidebarState.loaded,
                    rx.cond(
                        SidebarState.filtered,
                        nothing_listed(),
                        rx.el.p(
                            "Conversations you start are kept here.", class_name="px-2.5 pt-3 text-[13.5px] text-muted"
                        ),
                    ),
                ),
            ),
            rx.cond(
                SidebarState.more,
                rx.el.button(
                    "Show older",
                    type="button",
                    on_click=SidebarState.show_more,
                    class_name="mt-1 w-full rounded-lg py-1.5 text-[13px] text-muted hover:bg-hover hover:text-ink",
                ),
            ),
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
        _delete_dialog(),
        Deleted.create(conversation=SidebarState.deleted, name=SidebarState.deleted_name, at=SidebarState.deleted_at),
        Announcer.create(
            newest=_ROWS[0].id,
            on_run=SidebarState.refresh,
            on_changed=[SidebarState.load, ChatState.open, ModelState.load, AgentState.load],
        ),
        label="Conversations",
    )


@rx.memo
def conversation_row(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    """One conversation: a link, or the field that renames it."""
    return rx.el.li(
        rx.cond(SidebarState.renaming == item.id, _rename_form(item), _row(item)),
        class_name="mt-px",
    )


def _row(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    return rx.el.div(
        PageLink.create(
            rx.el.span(
                RunningDot.create(conversation=item.id, running=item.running),
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
                rx.el.span(item.snippet, dir="auto", class_name="truncate"),
                rx.el.span(Moment.create(at=item.updated_at), class_name="ms-auto flex-none"),
                class_name="flex gap-2 text-[12.5px] leading-5 text-faint",
            ),
            to=conversation_path(f"{item.id}"),
            class_name="block rounded-lg px-2.5 py-1.5 hover:bg-hover aria-[current=page]:bg-hover",
        ),
        rx.el.div(
            rx.el.button(
                rx.icon("pencil", size=14),
                type="button",
                aria_label=f"Rename {item.name}",
                title="Rename",
                on_click=SidebarState.begin_rename(item.id),
                class_name=_ROW_BUTTON,
            ),
            rx.el.button(
                rx.icon("trash-2", size=14),
                type="button",
                aria_label=f"Delete {item.name}",
                title="Delete",
                on_click=SidebarState.ask_delete(item.id),
                class_name=_ROW_BUTTON,
            ),
            class_name="row-actions",
        ),
        class_name="conversation-row relative",
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


def _delete_dialog() -> rx.Component:
    return Modal.create(
        rx.el.h2("Delete this conversation?", class_name="text-[16px] font-semibold"),
        rx.el.p(
            rx.cond(
                SidebarState.deleting_temporary,
                "“" + SidebarState.deleting_name + "” is temporary: everything said in it will be gone for good.",
                "“" + SidebarState.deleting_name + "” and everything said in it goes to the trash. "
                "It can be brought back with Undo, or from there.",
            ),
            class_name="mt-1.5 text-[14px] text-muted [overflow-wrap:anywhere]",
        ),
        rx.el.div(
            rx.el.button(
                "Keep it",
                type="button",
                auto_focus=True,
                on_click=SidebarState.end_delete,
                class_name=f"{_BUTTON} hover:bg-hover",
            ),
            rx.el.button(
                "Delete",
                type="button",
                on_click=SidebarState.delete_conversation,
                class_name=f"{_BUTTON} bg-danger text-page",
            ),
            class_name="mt-5 flex justify-end gap-2",
        ),
        open=SidebarState.deleting != "",
        label="Delete this conversation?",
        on_close=SidebarState.end_delete,
    )
