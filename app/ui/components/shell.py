"""What is drawn by the old scripts on every page: announcements; and links."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class _Shell(Script):
    library = script("shell.jsx")


class Announcer(_Shell):
    """Tells screen readers when a reply begins and ends; `on_changed`: the conversation may be called otherwise."""

    tag = "Announcer"
    on_changed: rx.EventHandler[rx.event.no_args_event_spec]


class RunningDot(_Shell):
    """The dot of a conversation in which a reply is on."""

    tag = "RunningDot"
    conversation: rx.Var[str]
    running: rx.Var[bool]


class Retry(_Shell):
    """The countdown to the next attempt, while there is one."""

    tag = "Retry"
    pair_id: rx.Var[str]


class PageLink(rx.Component):
    """A link within the app. The page it leads to, if open, is `aria-current`."""

    library = "react-router"
    tag = "NavLink"
    to: rx.Var[str]
    end: rx.Var[bool]
