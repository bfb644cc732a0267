"""The list of agents, with what can be done to each, and files of them out and in."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.agents.listing import AgentItem, AgentListState
from app.ui import routes
from app.ui.kit.entry_form import Returning, open_form_button
from app.ui.kit.file_upload import FileUpload
from app.ui.kit.sharing import share_button, shared_note
from app.ui.phrase import phrase

_EXPORT: Final = "/api/v1/agents/export"
_IMPORT: Final = "/api/v1/agents/import"
_FILE: Final = "agents.json"


def agent_list() -> rx.Component:
    """The commands, and the list or why there is none."""
    return rx.cond(
        AgentListState.loaded,
        rx.fragment(
            _head(),
            rx.cond(
                AgentListState.items.length() > 0,
                rx.el.ul(
                    rx.foreach(AgentListState.items, lambda item: agent_row(item=item, key=item.id)),
                    class_name="agents-list",
                ),
                rx.el.p(
                    phrase("agents.empty_list"),
                    class_name="trash-empty",
                ),
            ),
        ),
        rx.el.p(phrase("agents.list_loading"), role="status", class_name="trash-said"),
    )


def _head() -> rx.Component:
    return rx.el.div(
        rx.el.p(phrase("agents.about")),
        _form_button(phrase("agents.new_agent"), phrase("agents.new_agent"), "agent=new", "new", "loud"),
        FileUpload.create(
            phrase("agents.import"),
            address=_IMPORT,
            type="application/json",
            accept="application/json,.json",
            label=phrase("agents.file_of_agents"),
            on_answer=AgentListState.finish_import,
            class_name="quiet",
        ),
        rx.el.button(
            phrase("agents.export_all"),
            type="button",
            disabled=AgentListState.items.length() == 0,
            on_click=rx.download(url=_EXPORT, filename=_FILE),
            class_name="quiet",
        ),
        class_name="agents-head mb-[30px]",
    )


@rx.memo
def agent_row(item: rx.vars.ObjectVar[AgentItem], rest: rx.RestProp) -> rx.Component:
    """An agent with its commands: those that change it only where it may be changed."""
    return rx.el.li(
        rest,
        rx.el.span(item.icon, aria_hidden="true", class_name="agent-icon"),
        rx.el.div(
            rx.el.p(item.name, dir="auto", class_name="trash-name"),
            rx.el.p(item.about, dir="auto", class_name="trash-about"),
            shared_note(item.shared, item.shared_by),
        ),
        rx.cond(
            item.changeable,
            _form_button(
                phrase("common.edit"), phrase("agents.edit", name=item.name), f"agent={item.id}", f"agent {item.id}"
            ),
        ),
        _form_button(
            phrase("agents.duplicate"),
            phrase("agents.duplicate_name", name=item.name),
            f"copy={item.id}",
            f"copy {item.id}",
        ),
        rx.el.button(
            phrase("agents.export"),
            type="button",
            aria_label=phrase("agents.export_name", name=item.name),
            on_click=rx.download(url=f"{_EXPORT}?agent={item.id}", filename=_FILE),
            class_name="quiet",
        ),
        rx.cond(
            AgentListState.offered & item.changeable,
            share_button(item.shared, item.name, AgentListState.share(item.id, ~item.shared)),
        ),
        rx.cond(
            item.shared_by == "",
            rx.el.button(
                phrase("common.delete"),
                type="button",
                aria_label=phrase("agents.delete", name=item.name),
                on_click=AgentListState.delete_agent(item.id),
                class_name="quiet",
            ),
        ),
    )


def _form_button(text: str, label: str | rx.Var[str], query: str, form: str, class_name: str = "quiet") -> rx.Component:
    returning = Returning(AgentListState.focused == form, AgentListState.end_focus())
    return open_form_button(text, label, f"{routes.AGENTS}?{query}", returning, class_name)
