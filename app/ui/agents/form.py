"""The form of one agent."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.agents.form import AgentFormState
from app.state.agents.views import ModelItem
from app.ui import routes
from app.ui.agents.field import FORM, choice
from app.ui.agents.tools import tool_fields
from app.ui.kit.escape import escape
from app.ui.phrase import phrase

_MAX_PROMPT = 900_000  # characters: more would close the socket; what is too long is refused by the server, and kept


def agent_form() -> rx.Component:
    """Every field of an agent, its budgets, and the buttons."""
    form = AgentFormState.form
    stored = form.id != ""
    fields = rx.el.form(
        rx.el.h2(rx.cond(stored, phrase("agents.edit_title"), phrase("agents.new_agent"))),
        rx.el.input(type="hidden", name="id", value=form.id),
        *_texts(),
        _parameters(),
        tool_fields(),
        rx.cond(stored, _budgets()),
        rx.el.p(AgentFormState.errors.form, role="alert", class_name="form-fault"),
        rx.el.div(
            rx.el.button(phrase("common.cancel"), type="button", on_click=AgentFormState.close, class_name="quiet"),
            rx.el.button(
                rx.cond(stored, phrase("common.save"), phrase("agents.make_button")),
                type="submit",
                class_name="loud",
            ),
            class_name="dialog-buttons",
        ),
        on_submit=AgentFormState.save,
        aria_label=rx.cond(stored, phrase("agents.agent", name=form.name), phrase("agents.new_agent")),
        no_validate=True,
        class_name="entry-form",
    )
    return escape(fields, on_escape=AgentFormState.close, key=AgentFormState.editing)


def _texts() -> list[rx.Component]:
    return [
        rx.el.div(
            FORM.field(
                "name",
                phrase("common.name"),
                phrase("agents.name_hint"),
                type="text",
                max_length=60,
                auto_complete="off",
                auto_focus=True,
            ),
            FORM.field(
                "icon",
                phrase("agents.icon"),
                phrase("agents.icon_hint"),
                type="text",
                max_length=8,
                auto_complete="off",
            ),
            class_name="agent-names",
        ),
        FORM.field(
            "description",
            phrase("agents.description"),
            phrase("agents.description_hint"),
            type="text",
            max_length=500,
            auto_complete="off",
        ),
        FORM.field(
            "system_prompt",
            phrase("common.system_prompt"),
            phrase("agents.prompt_hint"),
            control=rx.el.textarea,
            rows=8,
            dir="auto",
            max_length=_MAX_PROMPT,
        ),
        FORM.field(
            "model",
            phrase("common.model"),
            phrase("agents.model_hint"),
            type="text",
            list="agent-models",
            auto_complete="off",
            spell_check=False,
        ),
        rx.el.datalist(rx.foreach(AgentFormState.models, _suggest), id="agent-models"),
    ]


def _suggest(model: rx.vars.ObjectVar[ModelItem]) -> rx.Component:
    return rx.el.option(model.name, value=model.model)


def _parameters() -> rx.Component:
    number: dict[str, Any] = {"type": "number", "input_mode": "decimal"}
    own = phrase("agents.model_default")
    return rx.el.fieldset(
        rx.el.legend(phrase("common.parameters")),
        rx.el.p(
            phrase("agents.parameters_about"),
            class_name="form-hint",
        ),
        rx.el.div(
            FORM.field(
                "temperature",
                phrase("common.temperature"),
                phrase("agents.temperature_hint"),
                min=0,
                max=2,
                step="any",
                **number,
            ),
            FORM.field(
                "top_p", phrase("common.top_p"), phrase("agents.top_p_hint"), min=0, max=1, step="any", **number
            ),
            FORM.field(
                "max_output_tokens",
                phrase("agents.most_output_tokens"),
                phrase("agents.output_hint"),
                min=1,
                step=1,
                **number,
            ),
            FORM.field("seed", phrase("common.seed"), phrase("agents.seed_hint"), min=0, step=1, **number),
            choice(
                "effort",
                phrase("common.effort"),
                phrase("agents.effort_hint"),
                {
                    "": own,
                    "low": phrase("common.low"),
                    "medium": phrase("common.medium"),
                    "high": phrase("common.high"),
                },
            ),
            choice(
                "thinking",
                phrase("common.thinking"),
                phrase("agents.thinking_hint"),
                {"": own, "true": phrase("common.on"), "false": phrase("common.off")},
            ),
            class_name="agent-parameters",
        ),
    )


def _budgets() -> rx.Component:
    return rx.el.p(
        AgentFormState.budgets,
        " ",
        rx.el.a(phrase("agents.budgets"), href=routes.USAGE),
        f" {phrase('agents.budgets_place')} ",
        rx.el.code(AgentFormState.form.id),
        class_name="form-hint",
    )
