"""The page's states on a real workbench, driven by events as a browser sends them, without a browser."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from reflex.istate.manager.memory import StateManagerMemory
from reflex.state import State
from reflex.utils.format import format_event_handler
from reflex_base.event import Event
from reflex_base.event.processor import BaseStateEventProcessor

import app.app as wiring
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from tests.runs.steps import settings_of


@pytest.fixture
async def wb(tmp_path: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(settings_of(tmp_path)) as opened:
        yield opened


@dataclass
class Tab:
    """One tab of a browser. `vars` are what it has been told so far, by state class and name."""

    processor: BaseStateEventProcessor
    path: str = "/"
    connection: str = "first"
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    vars: dict[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])

    async def send(self, handler: Any, **payload: Any) -> None:
        """Send an event and take in what comes back. A fault of the handler comes out here as well."""
        await self.send_event(format_event_handler(handler), payload)

    async def send_event(self, event_name: str, payload: dict[str, Any]) -> None:
        """The same for any name."""
        event = Event(name=event_name, payload=payload, router_data=self._router_data())
        async for delta in self.processor.enqueue_stream_delta(self.token, event):
            for state, changed in delta.items():
                for var, value in changed.items():
                    self.vars[state, var.removesuffix("_rx_state_")] = value

    async def connect(self, connection: str, *, anew: bool = False) -> None:
        """Connect as a page does that was loaded `anew`, or that had lost its connection. Loads nothing."""
        self.connection = connection
        hashes: dict[str, Any] = {"hashes": []} if anew else {}
        await self.send_event(f"{State.get_full_name()}.hydrate_and_load", {"vars": {}, **hashes})

    def shows(self, state: Any, var: str) -> Any:
        """The value of a var as last told, None if it never was."""
        return self.vars.get((state.get_full_name(), var))

    def _router_data(self) -> dict[str, Any]:
        headers = {"origin": "http://127.0.0.1:3000"}
        pathname = self.path.partition("?")[0]
        router = {"pathname": pathname, "asPath": self.path, "headers": headers, "token": self.token}
        return {**router, "sid": self.connection}


@pytest.fixture
async def processor(wb: Workbench, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[BaseStateEventProcessor]:
    # An event that meets an empty state runs what its page loads first, which here would follow a conversation forever.
    monkeypatch.setattr(wiring.app, "_load_events", {})
    made = BaseStateEventProcessor(
        middleware=wiring.app, backend_exception_handler=wiring.app.backend_exception_handler
    ).configure(state_manager=StateManagerMemory())
    async with made:
        yield made


@pytest.fixture
def tab(processor: BaseStateEventProcessor) -> Tab:
    return Tab(processor)
