"""The guard before every event of the page: what is not on the list of callable handlers is refused.

Every public method of a state can be called by any client with any arguments, and frameworks add some of their own. The
list is therefore written out here, and a test compares it with what there is.

Who may see which conversation is asked by each handler, of the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import reflex as rx
import structlog
from reflex.state import BaseState, StateUpdate
from reflex_base.event import Event

from app.state.agents import AgentState
from app.state.chat import ChatState
from app.state.model import ModelState
from app.state.notice import NoticeState
from app.state.settings import SettingsState
from app.state.sidebar import SidebarState

if TYPE_CHECKING:
    from reflex.app import App

_log = structlog.get_logger(__name__)

CALLABLE: Final[Mapping[type[rx.State], frozenset[str]]] = {
    AgentState: frozenset({"load", "choose"}),
    ChatState: frozenset({"open", "rename", "stop_reply"}),
    ModelState: frozenset({"load", "choose", "look"}),
    NoticeState: frozenset({"tell", "dismiss"}),
    SettingsState: frozenset({"load", "save_provider", "forget_provider", "test_provider", "add_server"}),
    SidebarState: frozenset({
        "load", "refresh", "show_more", "show_kind", "show_agent", "show_chats",
        "begin_rename", "end_rename", "rename_conversation", "ask_delete", "end_delete",
        "delete_conversation",
    }),
}  # fmt: skip
"""Every handler that a browser may call."""

# Reflex's own: fill a fresh page, run what it loads, take over the browser's storage, report a fault of a script.
_ROOT: Final = "reflex___state____state"
REFLEX: Final = frozenset(
    {
        f"{_ROOT}.hydrate",
        f"{_ROOT}.hydrate_and_load",
        f"{_ROOT}.reflex___state____on_load_internal_state.on_load_internal",
        f"{_ROOT}.reflex___state____on_load_internal_state.set_is_hydrated",
        f"{_ROOT}.reflex___state____update_vars_internal_state.update_vars_internal",
        f"{_ROOT}.reflex___state____frontend_event_exception_state.handle_frontend_exception",
    }
)
"""Reflex's own handlers that a page needs. Not among them: `setvar`, which writes any var."""

ALLOWED: Final = REFLEX | {
    f"{state.get_full_name()}.{handler}" for state, handlers in CALLABLE.items() for handler in handlers
}


class Guard(rx.Middleware):
    """Runs before each event, under the lock of its state."""

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        """None lets the event pass; an update ends it here."""
        _ = app, state
        if event.name in ALLOWED:
            return None
        _log.warning("refused an event that no page sends", event_name=event.name[:200])
        return StateUpdate()
