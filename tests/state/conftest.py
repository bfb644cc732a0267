"""The page's states on a real app context, driven by events as a browser sends them, without a browser."""

from __future__ import annotations

import asyncio
import uuid
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from reflex.app import EventNamespace
from reflex.istate.manager.memory import StateManagerMemory
from reflex.state import State, StateUpdate
from reflex.utils.format import format_event_handler
from reflex_base.event import Event
from reflex_base.event.processor import BaseStateEventProcessor

import app.app as wiring
from app.runs.app_context import AppContext
from app.runs.wiring import open_app_context
from tests.runs.clock import HANG_SECONDS
from tests.runs.steps import settings_of


@pytest.fixture
async def ctx(tmp_path: Path) -> AsyncGenerator[AppContext]:
    async with open_app_context(settings_of(tmp_path)) as opened:
        yield opened


@dataclass(kw_only=True, slots=True)
class Processor(BaseStateEventProcessor):
    """A processor that records the redirects and downloads of handlers for each tab.

    Reflex sends these as events, not as vars.
    """

    ways: dict[str, list[str]] = field(default_factory=lambda: defaultdict[str, list[str]](list))
    files: dict[str, list[str]] = field(default_factory=lambda: defaultdict[str, list[str]](list))

    async def emit_update(self, update: StateUpdate, token: str) -> None:
        """Record the redirects and downloads that the socket of that tab would receive."""
        self.ways[token] += [event.payload["path"] for event in update.events if event.name == "_redirect"]
        self.files[token] += [event.payload["url"] for event in update.events if event.name == "_download"]


@dataclass
class Tab:
    """One tab of a browser.

    `vars` are the values received so far, by state class and name. `log` has each value, `deltas` has each update.
    """

    processor: Processor
    path: str = "/"
    connection: str = "first"
    address: str = ""
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    vars: dict[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])
    log: list[tuple[tuple[str, str], Any]] = field(default_factory=list[tuple[tuple[str, str], Any]])
    deltas: list[Any] = field(default_factory=list[Any])
    _received: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, handler: Any, **payload: Any) -> None:
        """Send an event and store the resulting values. An error of the handler is raised here as well."""
        await self.send_event(format_event_handler(handler), payload)

    async def send_event(self, event_name: str, payload: dict[str, Any]) -> None:
        """Send an event by its full name."""
        event = Event(name=event_name, payload=payload, router_data=self._router_data())
        async for delta in self.processor.enqueue_stream_delta(self.token, event):
            self.deltas.append(delta)
            for state, changed in delta.items():
                for var, value in changed.items():
                    name = state, var.removesuffix("_rx_state_")
                    self.vars[name] = value
                    self.log.append((name, value))
            self._received.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Return once a received value makes this true."""
        async with asyncio.timeout(HANG_SECONDS):
            while not holds():
                self._received.clear()
                await self._received.wait()

    async def connect(self, connection: str, *, anew: bool = False) -> None:
        """Connect like a page that was just loaded, or like one that had lost its connection. Loads nothing."""
        self.connection = connection
        hashes: dict[str, Any] = {"hashes": []} if anew else {}
        await self.send_event(f"{State.get_full_name()}.hydrate_and_load", {"vars": {}, **hashes})

    def shows(self, state: Any, var: str) -> Any:
        """Return the last received value of a var, or None."""
        return self.vars.get((state.get_full_name(), var))

    def received(self, state: Any, var: str) -> list[Any]:
        """Return every value of a var since the log was cleared."""
        return [value for name, value in self.log if name == (state.get_full_name(), var)]

    @property
    def way(self) -> list[str]:
        """Return the addresses to which handlers redirected the tab, in order. A test goes there by setting `path`."""
        return self.processor.ways[self.token]

    @property
    def downloads(self) -> list[str]:
        """Return the addresses of the files that handlers let the tab download, in order."""
        return self.processor.files[self.token]

    def _router_data(self) -> dict[str, Any]:
        headers = {"origin": "http://127.0.0.1:3000"}
        pathname = self.path.partition("?")[0]
        router = {"pathname": pathname, "asPath": self.path, "headers": headers, "token": self.token}
        return {**router, "sid": self.connection, "ip": self.address}


@pytest.fixture
async def processor(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Processor]:
    # An event that meets an empty state first runs the load events of its page. Here these would follow a conversation
    # forever.
    monkeypatch.setattr(wiring.app, "_load_events", {})
    made = Processor(middleware=wiring.app, backend_exception_handler=wiring.app.backend_exception_handler)
    async with made.configure(state_manager=StateManagerMemory(), event_namespace=cast("EventNamespace", made)):
        yield made


@pytest.fixture
def tab(processor: Processor) -> Tab:
    return Tab(processor)
