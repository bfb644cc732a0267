"""Structured replies among the pairs that one page has loaded, parsed as JSON, also while they stream.

    structured = StructuredReplies(ctx, owner, views)
    view = structured.put(view)                  # adds the parsed reply, if this version of the reply was parsed
    await structured.keep_read(show)             # parses replies as they grow; calls `show` after each

The parsed reply is part of its pair's view. Schemas are checked in `runs/send/structured_replies.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from app.domain.conversation.lifecycle import RUNNING
from app.domain.errors import ConflictError, NotFoundError
from app.runs.app_context import AppContext
from app.runs.send.structured_replies import read_structured
from app.views.reply.pair import ScreenPairView, ScreenPart
from app.views.structured.shown_reply import ReadReply, ReadReplyView, show_read_reply

PACE_SECONDS: Final = 0.5
"""Seconds between two reads of a reply that is still running."""


@dataclass(frozen=True, slots=True)
class _Read:
    """The result of parsing a reply that had these `parts`.

    `reply` identifies the reply by the pair's version and its run.
    """

    reply: tuple[int, str | None]
    running: bool
    parts: tuple[ScreenPart, ...]
    view: ReadReplyView


@dataclass(eq=False)
class StructuredReplies:
    """The structured replies among the pairs that a page has loaded. `views` are the views of these pairs by id.

    When a reply was parsed, a view that contains the result replaces the view of its pair.
    """

    ctx: AppContext
    owner: str
    views: dict[str, ScreenPairView]
    _read: dict[str, _Read] = field(default_factory=dict[str, _Read])
    _due: set[str] = field(default_factory=set[str])
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, view: ScreenPairView) -> ScreenPairView:
        """Return the view of a pair, with its parsed reply if there is one. Schedule the parsing of a changed reply."""
        if not view.structured:
            return view
        read = self._read.get(view.id)
        if read is not None and read.reply != _reply_of(view):
            read = None
        if read is None or read.running or _is_running(view):
            self._due.add(view.id)
            self._changed.set()
        return view if read is None else replace(view, read=read.view)

    def forget(self, pair_ids: Collection[str]) -> None:
        """Drop the parsed replies of pairs that the page no longer has."""
        self._due.difference_update(pair_ids)
        for pair_id in pair_ids:
            self._read.pop(pair_id, None)

    async def keep_read(self, show: Callable[[], None]) -> None:
        """Parse every structured reply of the page repeatedly while the reply runs, and once when it is over.

        Call `show` after each change of a pair's view. Never returns.
        """
        while True:
            await self._changed.wait()
            self._changed.clear()
            for view in sorted((self.views[each] for each in self._due), key=lambda one: -one.position):
                if view.id in self._due and await self._read_one(view):
                    show()
            if self._due:
                with suppress(TimeoutError):
                    async with asyncio.timeout(PACE_SECONDS):
                        await self._changed.wait()
                self._changed.set()

    async def _read_one(self, view: ScreenPairView) -> bool:
        """Read a reply if it has grown or ended. Return True if the pair's view changed."""
        known = self._read.get(view.id)
        if known is not None and known.parts is view.parts and known.running == _is_running(view):
            return False
        try:
            found = await read_structured(self.ctx, self.owner, view.id)
        except (NotFoundError, ConflictError):
            self._due.discard(view.id)
            return False
        shown = await asyncio.to_thread(
            show_read_reply,
            ReadReply(
                schema=found.schema_json,
                running=found.running,
                found=found.found,
                value=found.value,
                faults=found.faults,
                repair=found.repair,
            ),
        )
        current = self.views.get(view.id)
        if current is None or _reply_of(current) != _reply_of(view):
            return False  # the pair was deleted or answered again meanwhile
        self._read[view.id] = _Read(_reply_of(view), found.running, view.parts, shown)
        if not found.running and not _is_running(current):
            self._due.discard(view.id)
        self.views[view.id] = replace(current, read=shown)
        return True


def _reply_of(view: ScreenPairView) -> tuple[int, str | None]:
    return view.version, view.run_id


def _is_running(view: ScreenPairView) -> bool:
    return view.lifecycle in RUNNING
