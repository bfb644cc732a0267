"""The composer: the script's text area and buttons, with the choice of a model and of an agent in its row of tools."""

from __future__ import annotations

import reflex as rx

from app.state.agents import AgentState
from app.state.model import ModelState
from app.ui import routes
from app.ui.components.keys import ModeBadge, Toasts
from app.ui.components.marks import TopicChip
from app.ui.components.scripts import Script, script
from app.ui.components.shell import PageLink, Picker


class Composer(Script):
    """Where a person writes. It sends over HTTP by itself; `on_stop` is asked to stop the reply that runs.

    `model` is the one chosen in the conversation `model_in`: where another is on screen, its own is not known yet.
    `on_model` hears of another model chosen because what was to be sent did not fit.
    """

    library = script("composer.jsx")
    tag = "Composer"
    model: rx.Var[str]
    model_in: rx.Var[str]
    agent: rx.Var[str]
    placeholder: rx.Var[str]
    on_stop: rx.EventHandler[rx.event.no_args_event_spec]
    on_model: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def composer(on_stop: rx.event.EventType[()] | None = None) -> rx.Component:
    """Write, choose a model, send. Where the address names no conversation the first send makes one."""
    return rx.el.div(
        Toasts.create(),
        Composer.create(
            Picker.create(
                PageLink.create("Set up providers…", to=routes.SETTINGS, class_name="picker-foot"),
                groups=ModelState.groups,
                value=ModelState.chosen,
                name=ModelState.chosen_name,
                chosen_in=ModelState.chosen_in,
                looking=ModelState.looking,
                label="Model",
                on_open=ModelState.look,
                on_choose=ModelState.choose,
            ),
            rx.cond(
                AgentState.groups.length() > 0,
                Picker.create(
                    PageLink.create("Manage agents…", to=routes.AGENTS, class_name="picker-foot"),
                    groups=AgentState.groups,
                    value=AgentState.chosen,
                    name=AgentState.chosen_name,
                    label="Agent",
                    noun="agent",
                    on_choose=AgentState.choose,
                ),
            ),
            TopicChip.create(),
            ModeBadge.create(),
            model=ModelState.chosen,
            model_in=ModelState.chosen_in,
            agent=AgentState.chosen,
            placeholder="Message",
            on_model=ModelState.choose,
            **({"on_stop": on_stop} if on_stop else {}),
        ),
        class_name="composer-place",
    )
