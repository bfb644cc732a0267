"""The inspector's column with its tabs, and the button that opens it. Each section has a module of its own."""

from __future__ import annotations

from typing import Final, cast

import reflex as rx

from app.state.inspector.branches import BranchState
from app.state.inspector.frame import InspectorState
from app.state.inspector.sent import SentState
from app.state.inspector.snapshot import SnapshotState
from app.state.inspector.versions import VersionsState
from app.ui.inspector.branches import branches_panel
from app.ui.inspector.fork_choice import fork_choice
from app.ui.inspector.lineage import lineage_panel
from app.ui.inspector.preview import preview_panel
from app.ui.inspector.sent_dialog import sent_dialog
from app.ui.inspector.snapshot_dialog import snapshot_dialog
from app.ui.inspector.tools import tools_panel
from app.ui.inspector.versions_dialog import versions_dialog
from app.ui.kit.deferred import deferred
from app.ui.kit.escape import escape
from app.ui.kit.icon import icon
from app.ui.kit.island import Island, island
from app.ui.kit.tabs import Tabs, tab
from app.ui.phrase import phrase
from app.ui.usage.account import usage_section

_NAMES: Final = {
    "preview": (phrase("inspector.preview"), phrase("inspector.preview_of_the_request")),
    "tools": (phrase("common.tools"), phrase("inspector.tools_of_the_conversation")),
    "usage": (phrase("common.usage"), phrase("inspector.usage_of_the_conversation")),
    "branches": (phrase("inspector.branches"), phrase("inspector.branches_of_the_conversation")),
    "lineage": (phrase("inspector.lineage"), phrase("inspector.lineage_of_the_conversation")),
}
"""The tab of each section, and its whole name."""


class InspectorFrame(Island):
    """The column, called `label`, while a `section` is open. `covers` is the id of what it hides on small screens.

    It takes the focus when it opens, but not before the page was `ready` once: what was open before a reload opens
    again. On small screens it closes then, and when one goes to another page: `on_close`.
    """

    library = island("inspector/frame.tsx")
    tag = "InspectorFrame"
    section: rx.Var[str]
    label: rx.Var[str]
    covers: rx.Var[str]
    ready: rx.Var[bool]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]


def inspector() -> rx.Component:
    """The column on the right of a conversation."""
    named = rx.match(InspectorState.section, *((name, whole) for name, (_, whole) in _NAMES.items()), "Inspector")
    label = cast("rx.Var[str]", named)
    return rx.fragment(
        deferred(versions_dialog, when=VersionsState.pair),
        deferred(sent_dialog, when=SentState.pair),
        deferred(snapshot_dialog, when=SnapshotState.pair),
        escape(
            InspectorFrame.create(
                rx.cond(
                    InspectorState.section != "",
                    rx.fragment(_header(label), _sections()),
                ),
                section=InspectorState.section,
                label=label,
                covers="centre",
                ready=rx.State.is_hydrated,
                on_close=InspectorState.close,
            ),
            on_escape=InspectorState.close,
            class_name="contents",
        ),
        deferred(fork_choice, when=BranchState.choosing),
    )


def inspector_toggle() -> rx.Component:
    """Opens the preview, or closes the inspector."""
    label = _NAMES["preview"][1]
    return rx.el.button(
        rx.icon("scan-text", size=16),
        type="button",
        aria_label=label,
        title=f"{label} (p)",
        aria_expanded=InspectorState.section != "",
        aria_controls="inspector",
        on_click=rx.cond(InspectorState.section != "", InspectorState.close, InspectorState.show("preview")),
        class_name="grid size-8 flex-none place-items-center rounded-md text-muted hover:bg-hover "
        "aria-expanded:bg-hover aria-expanded:text-ink",
    )


def _header(label: rx.Var[str]) -> rx.Component:
    return rx.el.header(
        rx.el.h2(label, class_name="unseen"),
        Tabs.create(
            *(
                tab(text, chosen=InspectorState.section == name, on_click=InspectorState.show(name))
                for name, (text, _) in _NAMES.items()
            ),
            label=phrase("inspector.inspector"),
            class_name="tabs sections",
        ),
        rx.el.button(
            icon("m4.5 4.5 7 7m0-7-7 7"),
            type="button",
            aria_label=phrase("inspector.close_the_inspector"),
            title=phrase("inspector.close_esc"),
            on_click=InspectorState.close,
            class_name="inspector-close",
        ),
    )


def _sections() -> rx.Component:
    return rx.fragment(
        deferred(preview_panel, when=InspectorState.section == "preview"),
        deferred(tools_panel, when=InspectorState.section == "tools"),
        deferred(usage_section, when=InspectorState.section == "usage"),
        deferred(branches_panel, when=InspectorState.section == "branches"),
        deferred(lineage_panel, when=InspectorState.section == "lineage"),
    )
