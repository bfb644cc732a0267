"""The title above a conversation, and the settings of titles."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class TitleField(Script):
    """The title, to be typed over; a model may be asked for another where it is `made`, that is no person's own."""

    library = script("title.jsx")
    tag = "TitleField"
    title: rx.Var[str]
    made: rx.Var[bool]
    on_rename: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class TitleSettings(Script):
    """Whether a model is asked for titles, and which one; whether identical requests are answered from the database."""

    library = script("title_settings.jsx")
    tag = "TitleSettings"
