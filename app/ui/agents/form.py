"""The form of one agent."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.agents.form import MAX_FIELD, AgentFormState
from app.ui import routes
from app.ui.agents.field import choice, field
from app.ui.agents.tools import tool_fields
from app.ui.kit.keys.escape import escape


def agent_form() -> rx.Component:
    """Draw the form of an agent: every field, a line about the agent's budgets, and the buttons."""
    form = AgentFormState.form
    stored = form.id != ""
    fields = rx.el.form(
        rx.el.h2(rx.cond(stored, "Edit agent", "New agent")),
        rx.el.input(type="hidden", name="id", value=form.id),
        *_texts(),
        _parameters(),
        tool_fields(),
        rx.cond(stored, _budgets()),
        rx.el.p(AgentFormState.errors.form, role="alert", class_name="agent-fault"),
        rx.el.div(
            rx.el.button(
                rx.cond(AgentFormState.changed, "Discard", "Cancel"),
                type="button",
                on_click=AgentFormState.close,
                class_name="quiet",
            ),
            rx.el.button(rx.cond(stored, "Save", "Create agent"), type="submit", class_name="loud"),
            class_name="dialog-buttons",
        ),
        on_submit=AgentFormState.save,
        aria_label=rx.cond(stored, f"Agent {form.name}", "New agent"),
        no_validate=True,
        class_name="agent-form",
    )
    return escape(fields, on_escape=AgentFormState.close, key=AgentFormState.editing)


def _texts() -> list[rx.Component]:
    return [
        rx.el.div(
            field(
                "name",
                "Name",
                "Shown in menus, filters and to other agents.",
                type="text",
                max_length=60,
                auto_complete="off",
                auto_focus=True,
            ),
            field("icon", "Icon", "An emoji (optional).", type="text", max_length=8, auto_complete="off"),
            class_name="agent-names",
        ),
        field(
            "description",
            "Description",
            "One line. Other agents read it to decide which agent to delegate to.",
            type="text",
            max_length=500,
            auto_complete="off",
        ),
        field(
            "system_prompt",
            "System prompt",
            "Shown and sent as the first card, before the conversation's own system prompt.",
            control=rx.el.textarea,
            rows=8,
            dir="auto",
            max_length=MAX_FIELD,
        ),
        field("model", "Model", "Overrides the model of the conversation.", control=_models),
    ]


def _models(**props: Any) -> rx.Component:
    """Draw the menu of the agent's model. It contains the chosen model even if the provider does not list it now."""
    own = AgentFormState.form.model
    return rx.el.select(
        rx.el.option("Model of the conversation", value=""),
        rx.cond(own != "", rx.el.option(own, value=own)),
        rx.foreach(AgentFormState.models, lambda one: rx.el.option(one.name, value=one.model, key=one.model)),
        key=own,  # a menu uses its default value only when it is created
        **props,
    )


def _parameters() -> rx.Component:
    number: dict[str, Any] = {"type": "number", "input_mode": "decimal"}
    own = "Model default"
    return rx.el.fieldset(
        rx.el.legend("Parameters"),
        rx.el.p(
            "Empty = the provider's default. Parameters that a model does not accept are left out, "
            "and the filter bar shows that.",
            class_name="agent-hint",
        ),
        rx.el.div(
            field(
                "temperature",
                "Temperature",
                "0 to 2, if the model accepts it.",
                min=0,
                max=2,
                step="any",
                **number,
            ),
            field("top_p", "Top p", "0 to 1.", min=0, max=1, step="any", **number),
            field("max_output_tokens", "Output tokens", "Maximum for one reply.", min=1, step=1, **number),
            field("seed", "Seed", "Only if the provider accepts a seed.", min=0, step=1, **number),
            choice(
                "effort",
                "Effort",
                "Amount of thinking, if the model supports it.",
                {"": own, "low": "Low", "medium": "Medium", "high": "High"},
            ),
            choice(
                "thinking", "Thinking", "Only if the model allows a choice.", {"": own, "true": "On", "false": "Off"}
            ),
            class_name="agent-parameters",
        ),
    )


def _budgets() -> rx.Component:
    return rx.el.p(
        AgentFormState.budgets,
        " ",
        rx.el.a("Budgets", href=routes.USAGE),
        " are set under Usage, with this agent's id: ",
        rx.el.code(AgentFormState.form.id),
        class_name="agent-hint",
    )
