"""What is drawn by the old scripts on every page: menus, announcements; and links."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class _Shell(Script):
    library = script("shell.jsx")


class Picker(Script):
    """A searchable menu of groups. `name` is what `value` is called, `noun` what there is to find.

    `chosen_in` is the conversation in which it was chosen: in another the button names nothing.

    The children stand below the list.
    """

    library = script("picker.jsx")
    tag = "Picker"
    groups: rx.Var[list[Any]]
    value: rx.Var[str]
    name: rx.Var[str]
    chosen_in: rx.Var[str]
    looking: rx.Var[bool]
    label: rx.Var[str]
    noun: rx.Var[str]
    on_open: rx.EventHandler[rx.event.no_args_event_spec]
    on_choose: rx.EventHandler[rx.event.passthrough_event_spec(str)]


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
