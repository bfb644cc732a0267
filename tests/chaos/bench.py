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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.domain.conversation.lifecycle import RUNNING
from app.domain.preferences import Preferences
from app.patches.apply import apply, plain
from app.patches.diff import diff
from app.runs.library.preference_commands import set_preferences
from app.runs.send.commands import LOCAL_OWNER
from app.runs.watch.screen import Screen
from app.runs.watch.watcher import Watcher
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench, bench_of
from tests.chaos.puppet import Puppet, a_puppet
from tests.runs.steps import settings_of

PATIENCE_SECONDS = 15.0
IMPATIENCE_SECONDS = 1.0
"""The same once something was not so: what fails is then tried again and again, to be made smaller."""


@dataclass(eq=False)
class OpenPage:
    """A page that looks at a conversation: each screen of its watcher, turned into what a browser would hold.

    What travels is the difference between two screens, as on a real page: `fault` is one that did not fit.
    """

    watcher: Watcher
    screen: Screen | None = None
    task: asyncio.Task[None] | None = None
    fault: AssertionError | None = None
    _held: Screen | None = None
    _browser: Any = None

    async def look(self) -> None:
        """Take screens until the conversation is gone."""
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
        """The pairs as a browser has them."""
        return [] if self._browser is None else self._browser["pairs"]

    @property
    def waiting(self) -> list[str]:
        return [] if self.screen is None else [item.text for item in self.screen.queue.items]

    @property
    def comparison(self) -> object:
        return None if self.screen is None else self.screen.comparison

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

    async def open_tab(self, conversation_id: str) -> OpenPage:
        """A page that knows what is in view."""
        page = OpenPage(Watcher(await bench_of(self.wb, conversation_id), LOCAL_OWNER, conversation_id))
        page.task = asyncio.create_task(page.look())
        await eventually(lambda: page.counted is not None, "a page knows what is in view")
        return page


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
