"""The inspector, a column with tabs, and the button that opens it. Each section has its own module."""

from __future__ import annotations

from typing import Final, cast

import reflex as rx

from app.state.inspector.branches import BranchState
from app.state.inspector.frame import ON_START, InspectorState
from app.state.inspector.snapshot import SnapshotState
from app.state.inspector.versions import VersionsState
from app.state.usage.sent_call import SentCallState
from app.ui.inspector.branches import branches_panel
from app.ui.inspector.fork_choice import fork_choice
from app.ui.inspector.lineage import lineage_panel
from app.ui.inspector.log import log_panel
from app.ui.inspector.messages import messages_panel
from app.ui.inspector.preview import preview_panel
from app.ui.inspector.sent_call_dialog import sent_call_dialog
from app.ui.inspector.snapshot_dialog import snapshot_dialog
from app.ui.inspector.tools import tools_panel
from app.ui.inspector.versions_dialog import versions_dialog
from app.ui.kit.containers.deferred import deferred
from app.ui.kit.controls.icon import icon
from app.ui.kit.island import Island, island
from app.ui.kit.keys.escape import escape
from app.ui.kit.keys.tabs import Tabs, tab
from app.ui.usage.account import usage_section

_NAMES: Final = {
    "preview": ("Request", "Request of the next send"),
    "tools": ("Tools", "Tools of the conversation"),
    "messages": ("Messages", "Messages of the conversation"),
    "usage": ("Usage", "Usage of the conversation"),
    "branches": ("Branches", "Branches of the conversation"),
    "lineage": ("Lineage", "Lineage of the conversation"),
    "log": ("Log", "Log of the conversation"),
}
"""The label of the tab of each section, and its full name."""
SHOW_REQUEST: Final = "Show request"
"""The name of each control that opens the exact request that will be sent or that was sent."""
_PANELS: Final = {
    "preview": preview_panel,
    "tools": tools_panel,
    "messages": messages_panel,
    "usage": usage_section,
    "branches": branches_panel,
    "lineage": lineage_panel,
    "log": log_panel,
}
_IS_ON_START: Final = InspectorState.section == ON_START


class InspectorFrame(Island):
    """The column of the inspector, with the accessible name `label`. It is open while `section` is not "".

    - `covers`: the id of the element that the column covers on small screens.
    - `ready`: the column takes the focus when a person opens it. Before `ready`, the column does not take the focus,
      because a column that is open after a reload was not opened by the person.
    - `on_close`: on small screens, sent after a reload and when a person goes to another page, to close the column.
    """

    library = island("inspector/frame.tsx")
    tag = "InspectorFrame"
    section: rx.Var[str]
    label: rx.Var[str]
    covers: rx.Var[str]
    ready: rx.Var[bool]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]


def inspector() -> rx.Component:
    """Draw the inspector of a conversation with its dialogs."""
    named = rx.match(InspectorState.section, *((name, whole) for name, (_, whole) in _NAMES.items()), "Inspector")
    return rx.fragment(
        deferred(versions_dialog, when=VersionsState.pair),
        deferred(snapshot_dialog, when=SnapshotState.pair),
        deferred(sent_call_dialog, when=SentCallState.call.is_not_none()),
        _column(InspectorState.section, cast("rx.Var[str]", named), *_NAMES),
        deferred(fork_choice, when=BranchState.choosing),
    )


def start_inspector() -> rx.Component:
    """Draw the inspector of the start page, which has only the preview."""
    return _column(rx.cond(_IS_ON_START, ON_START, ""), rx.Var.create(_NAMES[ON_START][1]), ON_START)


def preview_toggle() -> rx.Component:
    """Draw the button that opens the preview, or closes it."""
    return _toggle(ON_START, "scan-text", "p", SHOW_REQUEST)


def log_toggle() -> rx.Component:
    """Draw the button that opens the log.

    The stylesheet shows it while the inspector is closed, if the top bar has room. Otherwise a tab of the inspector and
    the menu at the title lead to the log.
    """
    return _toggle("log", "scroll-text", "l")


def _toggle(section: str, picture: str, key: str, name: str = "") -> rx.Component:
    label, is_open = name or _NAMES[section][1], InspectorState.section == section
    return rx.el.button(
        rx.icon(picture, size=16),
        type="button",
        aria_label=label,
        title=f"{label} ({key})",
        aria_expanded=is_open,
        aria_controls="inspector",
        on_click=rx.cond(is_open, InspectorState.close, InspectorState.show(section)),
        class_name="grid size-8 flex-none place-items-center rounded-md text-muted hover:bg-hover "
        f"aria-expanded:bg-hover aria-expanded:text-ink {section}-toggle",
    )


def _column(section: rx.Var[str], label: rx.Var[str], *names: str) -> rx.Component:
    """Draw the column with a tab for each of the sections `names`. It is open while `section` is not ""."""
    return escape(
        InspectorFrame.create(
            rx.cond(section != "", rx.fragment(_header(label, names), *map(_section, names))),
            section=section,
            label=label,
            covers="centre",
            ready=rx.State.is_hydrated,
            on_close=InspectorState.close,
        ),
        on_escape=InspectorState.close,
        class_name="contents",
    )


def _header(label: rx.Var[str], names: tuple[str, ...]) -> rx.Component:
    return rx.el.header(
        rx.el.h2(label, class_name="unseen"),
        Tabs.create(
            *(
                tab(_NAMES[name][0], chosen=InspectorState.section == name, on_click=InspectorState.show(name))
                for name in names
            ),
            label="Inspector",
            class_name="tabs sections",
        ),
        rx.el.button(
            icon("m4.5 4.5 7 7m0-7-7 7"),
            type="button",
            aria_label="Close the inspector",
            title="Close (Esc)",
            on_click=InspectorState.close,
            class_name="inspector-close",
        ),
    )


def _section(name: str) -> rx.Component:
    return deferred(_PANELS[name], when=InspectorState.section == name)
