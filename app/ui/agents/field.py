"""The fields of the agent's form, and the menus among them."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.agents.form import AgentFormState
from app.ui.kit.entry_form import EntryForm

FORM = EntryForm("agent", AgentFormState.form, AgentFormState.errors)


def choice(name: str, label: str, hint: str, options: dict[str, str]) -> rx.Component:
    """A menu of a few values. It is made anew when the stored value comes: a menu begins with one value only."""

    def menu(**props: Any) -> rx.Component:
        items = [rx.el.option(text, value=value) for value, text in options.items()]
        return rx.el.select(*items, key=getattr(AgentFormState.form, name), **props)

    return FORM.field(name, label, hint, control=menu)
