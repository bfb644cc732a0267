"""A page in front of a watcher: it reads each screen and waits for one that shows something.

async with a_page(ctx, conversation_id) as page:
    screen = await page.until(lambda screen: screen.context)
"""

# The test reads private attributes: the watcher has no event for "nothing left to do".
# pyright: reportPrivateUsage=false

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING
from app.runs.app_context import AppContext
from app.runs.runtime.event_bus import FeedEvent
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.watch.screen import Screen
from app.runs.watch.watcher import Watcher
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair
from app.views.conversation.parts import TextView, ThinkingView
from app.views.reply.pair import ScreenPairView
from tests.runs.clock import HANG_SECONDS
from tests.store.values import START, a_pair_of


@dataclass
class Page:
    """A page. `screens` are the screens it read, the newest last."""

    watcher: Watcher
    screens: list[Screen] = field(default_factory=list[Screen])
    _opening: asyncio.Task[None] = field(init=False)

    def __post_init__(self) -> None:
        (self._opening,) = self.watcher._open

    @property
    def screen(self) -> Screen:
        return self.screens[-1] if self.screens else Screen()

    @property
    def positions(self) -> list[int]:
        return positions_of(self.screen)

    async def read(self) -> Screen:
        """Read the next screen."""
        async with asyncio.timeout(20):
            screen = await self.watcher.next_screen()
        assert screen is not None, "the conversation is gone"
        self.screens.append(screen)
        return screen

    async def until(self, seen: Callable[[Screen], object]) -> Screen:
        """Read screens until one fulfils the condition. The current screen counts."""
        while not (self.screens and seen(self.screen)):
            await self.read()
        return self.screen

    async def until_known(self) -> Screen:
        """Read screens until the pairs in view are known."""
        return await self.until(lambda screen: screen.context)

    async def until_end_of(self, pair_id: str) -> Screen:
        """Read screens until a reply has ended."""
        return await self.until(lambda screen: not is_running(screen, pair_id))

    async def until_gone(self) -> None:
        """Read screens until the conversation is gone."""
        async with asyncio.timeout(20):
            while (screen := await self.watcher.next_screen()) is not None:
                self.screens.append(screen)

    async def settle(self) -> Screen:
        """Read screens until they show all events so far, and what would be sent or why that is unknown.

        The nodes between the pairs may still follow: the watcher loads them later.
        """
        view = self.watcher.view
        async with asyncio.timeout(HANG_SECONDS):
            await asyncio.wait((self._opening,))
            while True:
                await self._hear()
                shown = self.watcher.screen
                is_known = shown.context is not None or shown.refusal is not None
                if is_known and not (self.watcher._changed.is_set() or view._stale.is_set() or view.busy.locked()):
                    return self.screen
                await self.read()

    async def _hear(self) -> None:
        """Wait until the watcher has processed all events so far. It processes them in order."""
        mark: Any = object()
        heard = asyncio.Event()
        take = self.watcher._take

        async def take_or_say(event: FeedEvent) -> None:
            if event is mark:
                heard.set()
            else:
                await take(event)

        self.watcher._take = take_or_say
        self.watcher.ctx.event_bus.publish(self.watcher.owner, self.watcher.conversation_id, mark)
        await heard.wait()
        self.watcher._take = take


@asynccontextmanager
async def a_page(
    ctx: AppContext,
    conversation_id: str,
    *,
    options: ViewOptions | None = None,
    draft: str = "",
    owner: str = LOCAL_OWNER,
) -> AsyncGenerator[Page]:
    """Open a page."""
    watcher = Watcher(ctx, owner, conversation_id, options or ViewOptions(), draft)
    async with watcher:
        yield Page(watcher)


async def store_past(
    ctx: AppContext, conversation_id: str, count: int, *, first: int = 1, answer: str = "answer"
) -> list[Pair]:
    """Store `count` answered pairs in a conversation."""
    pairs = [a_pair_of(conversation_id, at, f"question {at}", f"{answer} {at}") for at in range(first, first + count)]
    async with ctx.store.write() as session:
        revision = await next_revision(session, conversation_id, START)
        for pair in pairs:
            await insert_pair(session, LOCAL_OWNER, pair, revision)
    return pairs


def positions_of(screen: Screen) -> list[int]:
    return [pair.position for pair in screen.pairs]


def view_of(screen: Screen, pair_id: str) -> ScreenPairView:
    (view,) = [pair for pair in screen.pairs if pair.id == pair_id]
    return view


def reply_of(view: ScreenPairView) -> list[tuple[str, str]]:
    """Return the texts of a reply with their kinds."""
    return [(part.type, part.text) for part in view.parts if isinstance(part, TextView | ThinkingView)]


def text_of(view: ScreenPairView) -> str:
    return "".join(part.text for part in view.parts if isinstance(part, TextView))


def is_running(screen: Screen, pair_id: str) -> bool:
    """Return whether the reply of this pair is running. Also true while the page does not have the pair yet."""
    views = [pair for pair in screen.pairs if pair.id == pair_id]
    return not views or views[0].lifecycle in RUNNING
