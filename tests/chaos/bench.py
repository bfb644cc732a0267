"""The real workbench under test, which can be ended, killed and opened again; and the tabs that look at it.

    bench = await open_bench(folder)
    await bench.restart(), await bench.die()
    tab = bench.open_tab(conversation_id)

Not here: what is done with it (`machine.py`) and what must come of that (`person.py`).
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.types import Message
from starlette.websockets import WebSocket

from app.api.live import stream_live
from app.domain.preferences import Preferences
from app.runs.commands import LOCAL_OWNER
from app.runs.preference_commands import set_preferences
from app.runs.workbench import Workbench, open_workbench
from tests.api.browser import RUNNING, Browser
from tests.chaos.puppet import Puppet, a_puppet
from tests.runs.steps import settings_of

PATIENCE_SECONDS = 15.0
IMPATIENCE_SECONDS = 1.0
"""The same once something was not so: what fails is then tried again and again, to be made smaller."""


@dataclass(eq=False)
class LiveTab(Browser):
    """A page at the live socket, without a network in between: it takes each frame as it is sent."""

    said: asyncio.Queue[Message] = field(default_factory=asyncio.Queue[Message])
    task: asyncio.Task[None] | None = None
    fault: AssertionError | None = None

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.send":
            try:
                self.take(message["text"])
            except AssertionError as fault:
                self.fault = fault
        await asyncio.sleep(0)

    @property
    def shown(self) -> list[dict[str, Any]]:
        """The pairs as they look; of a running one only what does not depend on when one looked."""
        return [
            {name: pair[name] for name in ("id", "position", "user_text", "parts", "version", "versions")}
            if pair["lifecycle"] in RUNNING
            else pair
            for pair in self.pairs
        ]

    @property
    def counted(self) -> object:
        """What is said of all of them together."""
        return None if self.view is None else {**self.view, "as_of": None, "error": None}

    async def close(self) -> None:
        if self.task is not None:
            self.said.put_nowait({"type": "websocket.disconnect", "code": 1001})
            await self.task
            self.task = None


@dataclass(eq=False)
class Bench:
    folder: Path
    puppet: Puppet
    peer: AsyncExitStack
    database: sqlite3.Connection
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    wb: Workbench = field(init=False)

    async def start(self) -> None:
        settings = settings_of(self.folder, INVIEW_COMPATIBLE=f"peer={self.puppet.url}/v1")
        self.wb = await self.stack.enter_async_context(open_workbench(settings))

    async def restart(self) -> None:
        """End in order, and start again."""
        await self.stack.aclose()
        await self.start()

    async def die(self) -> None:
        """End as by kill -9, as far as that can be within a process: nothing more is stored. Then start again."""
        runs = tuple(self.wb.engine.runs.values())
        self.wb.engine.runs.clear()
        tasks = [task for run in runs for task in (run.work, run.finishing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.restart()

    async def close(self) -> None:
        self.database.close()
        await self.stack.aclose()
        await self.peer.aclose()

    async def open_tab(self, conversation_id: str) -> LiveTab:
        """A tab that has its window and knows what is in view."""
        tab = LiveTab()
        tab.said.put_nowait({"type": "websocket.connect"})
        place = {"conversation_id": conversation_id}
        scope: dict[str, Any] = {
            "type": "websocket",
            "path_params": place,
            "query_string": b"",
            "headers": [],
            "path": "/live",
        }
        tab.task = asyncio.create_task(stream_live(WebSocket(scope, tab.said.get, tab.send)))
        await eventually(lambda: tab.view is not None, "a tab knows what is in view")
        return tab


async def open_bench(folder: Path) -> Bench:
    stack = AsyncExitStack()
    puppet = await stack.enter_async_context(a_puppet())
    database = sqlite3.connect(folder / "inview.db", isolation_level=None, timeout=PATIENCE_SECONDS)
    bench = Bench(folder, puppet, stack, database)
    await bench.start()
    await set_preferences(bench.wb, LOCAL_OWNER, Preferences(titles=False))  # every call here is one that somebody sent
    return bench


_patience = [PATIENCE_SECONDS]


async def eventually(seen: Callable[[], object], what: str, now: Callable[[], object] = lambda: "") -> None:
    """Wait until this is so; `now` says how it stands, for whoever reads that it never was."""
    give_up = asyncio.get_running_loop().time() + _patience[0]
    while not seen():
        if asyncio.get_running_loop().time() > give_up:
            waited, _patience[0] = _patience[0], IMPATIENCE_SECONDS
            raise AssertionError(f"{what}: not so after {waited} s. {now()}")
        await asyncio.sleep(0.001)
