"""The composer: the script's text area and buttons, with the choice of a model in its row of tools."""

from __future__ import annotations

import reflex as rx

from app.state.model import ModelState
from app.ui import routes
from app.ui.components.scripts import Script, script
from app.ui.components.shell import PageLink, Picker


class Composer(Script):
    """Where a person writes. It sends over HTTP by itself; `on_stop` is asked to stop the reply that runs."""

    library = script("composer.jsx")
    tag = "Composer"
    model: rx.Var[str]
    placeholder: rx.Var[str]
    on_stop: rx.EventHandler[rx.event.no_args_event_spec]


def composer(on_stop: rx.event.EventType[()] | None = None) -> rx.Component:
    """Write, choose a model, send. Where the address names no conversation the first send makes one."""
    return rx.el.div(
        Composer.create(
            Picker.create(
                PageLink.create("Set up providers…", to=routes.SETTINGS, class_name="picker-foot"),
                groups=ModelState.groups,
                value=ModelState.chosen,
                name=ModelState.chosen_name,
                looking=ModelState.looking,
                label="Model",
                on_open=ModelState.look,
                on_choose=ModelState.choose,
            ),
            model=ModelState.chosen,
            placeholder="Message",
            **({"on_stop": on_stop} if on_stop else {}),
        ),
        class_name="composer-place",
    )
