"""The list of agents with the actions of each, and their export and import as files."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.agents.listing import AgentItem, AgentListState
from app.ui import routes
from app.ui.kit.containers.row_focus import RowFocus
from app.ui.kit.controls.file_upload import FileUpload

_EXPORT: Final = "/api/v1/agents/export"
_IMPORT: Final = "/api/v1/agents/import"
_FILE: Final = "agents.json"


def agent_list() -> rx.Component:
    """Draw the buttons for all agents, and the list of agents.

    A text replaces the list while it is loading or empty.
    """
    return rx.cond(
        AgentListState.loaded,
        RowFocus.create(
            _head(),
            rx.cond(
                AgentListState.items.length() > 0,
                rx.el.ul(
                    rx.foreach(AgentListState.items, lambda item: agent_row(item=item, key=item.id)),
                    class_name="agents-list",
                ),
                rx.el.p(
                    "No agents yet. An agent is a saved prompt with a model and its settings. "
                    "Create one or import a file.",
                    class_name="trash-empty",
                ),
            ),
            among="li",
            heading="h1",
        ),
        rx.el.p("Loading agents…", role="status", class_name="trash-said"),
    )


def _head() -> rx.Component:
    return rx.el.div(
        rx.el.p("An agent answers with its own prompt, model and parameters. Choose one below the message box."),
        _form_button("New agent", "New agent", "agent=new", "new", "loud"),
        FileUpload.create(
            "Import…",
            address=_IMPORT,
            type="application/json",
            accept="application/json,.json",
            label="Agent files",
            on_answers=AgentListState.finish_import,
            class_name="quiet",
        ),
        rx.el.button(
            "Export all",
            type="button",
            disabled=AgentListState.items.length() == 0,
            on_click=rx.download(url=_EXPORT, filename=_FILE),
            class_name="quiet",
        ),
        class_name="agents-head mb-[30px]",
    )


@rx.memo
def agent_row(item: rx.vars.ObjectVar[AgentItem], rest: rx.RestProp) -> rx.Component:
    """Draw an agent with the buttons Edit, Duplicate, Export and Delete."""
    return rx.el.li(
        rest,
        rx.el.span(item.icon, aria_hidden="true", class_name="agent-icon"),
        rx.el.div(
            rx.el.p(item.name, dir="auto", class_name="trash-name"),
            rx.el.p(item.about, dir="auto", class_name="trash-about"),
            rx.cond(item.damage != "", rx.el.p(item.damage, class_name="agent-fault"), rx.fragment()),
        ),
        _form_button("Edit", f"Edit {item.name}", f"agent={item.id}", f"agent {item.id}"),
        _form_button("Duplicate", f"Duplicate {item.name}", f"copy={item.id}", f"copy {item.id}"),
        rx.el.button(
            "Export",
            type="button",
            aria_label=f"Export {item.name}",
            on_click=rx.download(url=f"{_EXPORT}?agent={item.id}", filename=_FILE),
            class_name="quiet",
        ),
        rx.el.button(
            "Delete",
            type="button",
            aria_label=f"Delete {item.name}",
            on_click=AgentListState.delete_agent(item.id),
            class_name="quiet",
        ),
    )


def _form_button(text: str, label: str, query: str, form: str, class_name: str = "quiet") -> rx.Component:
    """Draw a button that opens the form at the address with this query.

    `form` identifies that form, as in `AgentFormState.editing`. When the form closes, the button gets the focus again.
    """
    returns = AgentListState.focused == form
    return rx.el.button(
        text,
        type="button",
        aria_label=label,
        auto_focus=returns,
        on_focus=rx.cond(returns, AgentListState.end_focus(), rx.noop()),
        on_click=rx.redirect(f"{routes.AGENTS}?{query}"),
        class_name=class_name,
    )
