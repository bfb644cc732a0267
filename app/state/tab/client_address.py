"""The network address of the browser that sends an event, for the rate limits of an address and the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import reflex as rx

from app.runs.runtime.client import Client, set_client

if TYPE_CHECKING:
    from reflex.app import App
    from reflex.state import BaseState, StateUpdate
    from reflex_base.event import Event


class ClientAddress(rx.Middleware):
    """Middleware that gives the browser's network address to the commands that the handler of an event calls.

    Reflex runs it in the task of the handler, so the address is known there and in the tasks that the handler starts.
    """

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        """Note the address of the browser. Stop no event."""
        _ = app, event
        set_client(Client(state.router.session.client_ip, "page"))
        return None
