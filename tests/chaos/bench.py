"""The real app context under test, which can be shut down, killed and opened again; and the pages that watch it.

    bench = await open_bench(folder)
    await bench.restart(), await bench.die()
    tab = bench.open_tab(conversation_id)

The actions (`machine.py`) and the expected results (`person.py`) are not here.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.domain.conversation.lifecycle import RUNNING
from app.domain.settings.preferences import Preferences
from app.patches.apply import apply, plain
from app.patches.diff import diff
from app.runs.app_context import AppContext, context_for
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import set_preferences
from app.runs.watch.screen import Screen
from app.runs.watch.watcher import Watcher
from app.runs.wiring import open_app_context
from tests.chaos.puppet import Puppet, a_puppet
from tests.runs.steps import settings_of

PATIENCE_SECONDS = 15.0
IMPATIENCE_SECONDS = 1.0
"""The wait after a first failure, because hypothesis may repeat failing steps many times."""


@dataclass(eq=False)
class OpenPage:
    """A page that watches a conversation: each screen of its watcher, turned into the values that a browser would have.

    Only the difference between two screens is transferred, as on a real page: `fault` is a difference that did not fit.
    """

    watcher: Watcher
    screen: Screen | None = None
    task: asyncio.Task[None] | None = None
    fault: AssertionError | None = None
    _held: Screen | None = None
    _browser: Any = None

    async def look(self) -> None:
        """Read screens until the conversation is gone."""
        async with self.watcher:
            while (screen := await self.watcher.next_screen()) is not None:
                self._take(screen)
                await asyncio.sleep(0)

    def _take(self, screen: Screen) -> None:
        self._browser = apply(self._browser, diff(self._held, screen))
        self._held = self.screen = screen
        if self._browser != plain(screen):
            self.fault = AssertionError(f"a browser has {self._browser}, not {screen}")

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Return the pairs as a browser has them."""
        return [] if self._browser is None else self._browser["pairs"]

    @property
    def waiting(self) -> list[str]:
        return [] if self.screen is None else [item.text for item in self.screen.queue.items]

    @property
    def comparison(self) -> object:
        return None if self.screen is None else self.screen.comparison

    @property
    def shown(self) -> list[dict[str, Any]]:
        """Return the pairs as they are shown; of a running pair only what does not depend on the time."""
        return [
            {name: pair[name] for name in ("id", "position", "user_text", "parts", "version", "versions")}
            if pair["lifecycle"] in RUNNING
            else pair
            for pair in self.pairs
        ]

    @property
    def counted(self) -> object:
        """Return the figures for all pairs together."""
        return None if self.screen is None or self.screen.context is None else replace(self.screen.context, as_of="")

    async def close(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)
            self.task = None


@dataclass(eq=False)
class Bench:
    folder: Path
    puppet: Puppet
    peer: AsyncExitStack
    database: sqlite3.Connection
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    ctx: AppContext = field(init=False)

    async def start(self) -> None:
        settings = settings_of(self.folder, INVIEW_COMPATIBLE=f"peer={self.puppet.url}/v1")
        self.ctx = await self.stack.enter_async_context(open_app_context(settings))

    async def restart(self) -> None:
        """Shut down normally, and start again."""
        await self.stack.aclose()
        await self.start()

    async def die(self) -> None:
        """End as with kill -9, as far as possible within a process: nothing more is stored. Then start again."""
        runs = tuple(self.ctx.engine.runs.values())
        self.ctx.engine.runs.clear()
        tasks = [task for run in runs for task in (run.work, run.finishing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.restart()

    async def close(self) -> None:
        self.database.close()
        await self.stack.aclose()
        await self.peer.aclose()

    async def open_tab(self, conversation_id: str) -> OpenPage:
        """Open a page and wait until it knows the pairs in view."""
        page = OpenPage(Watcher(await context_for(self.ctx, conversation_id), LOCAL_OWNER, conversation_id))
        page.task = asyncio.create_task(page.look())
        await eventually(lambda: page.counted is not None, "a page knows what is in view")
        return page


async def open_bench(folder: Path) -> Bench:
    stack = AsyncExitStack()
    puppet = await stack.enter_async_context(a_puppet())
    database = sqlite3.connect(folder / "inview.db", isolation_level=None, timeout=PATIENCE_SECONDS)
    bench = Bench(folder, puppet, stack, database)
    await bench.start()
    # a title request would be an extra call: all calls here come from the test
    await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(titles=False))
    return bench


_patience = [PATIENCE_SECONDS]


async def eventually(seen: Callable[[], object], what: str, now: Callable[[], object] = lambda: "") -> None:
    """Wait until a condition holds. If it never does, the error message includes `now()`."""
    give_up = asyncio.get_running_loop().time() + _patience[0]
    while not seen():
        if asyncio.get_running_loop().time() > give_up:
            waited, _patience[0] = _patience[0], IMPATIENCE_SECONDS
            raise AssertionError(f"{what}: not so after {waited} s. {now()}")
        await asyncio.sleep(0.001)
