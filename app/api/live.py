"""The live socket: an open conversation's history and the reply that streams into it (docs/live-socket.md).

A connection is a snapshot and what comes after it. Three things make that exact:

- It listens to the conversation's feed before it reads the snapshot, so nothing falls between the two. Feed events are
  facts without content: what they speak of is read again, and what the browser has already is not sent again.
- A running pair is sent without its reply; the reply comes from the run's log, followed from its beginning.
- No frame is made before the one before it was taken. A slow reader's next piece is what has gathered meanwhile, so
  nothing piles up here however long a reply is.

Not here: how a frame looks (`live_frames.py`), when a piece is due (`runs/broadcast.py`), who may connect (the gate).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, assert_never
from uuid import uuid4

import structlog
from starlette.websockets import WebSocket, WebSocketDisconnect

from app.api.access import owner_of
from app.api.live_frames import (
    PING,
    ReplyFrames,
    control,
    end_frame,
    shows_as_streamed,
    window_frame,
)
from app.domain.conversation import Pair
from app.domain.errors import NotFoundError
from app.domain.lifecycle import RUNNING
from app.runs.broadcast import follow, watch
from app.runs.feeds import (
    ConversationChanged,
    ConversationRemoved,
    FeedEvent,
    PairsChanged,
    PairsRemoved,
    RunStarted,
)
from app.runs.workbench import Workbench, current
from app.store.conversations import describe_listed, load_conversation
from app.store.pairs import WINDOW, load_pairs, load_pairs_by_id
from app.views.conversation import describe_conversation
from app.views.encode import to_json
from app.views.pair import ScreenPairView, describe_pair_head, describe_pair_on_screen

PING_SECONDS = 20.0
"""Between two signs of life. A browser that has not seen one for twice that long connects again."""
STALLED_SECONDS = 40.0
"""A reader that took nothing for this long is given up. (One that vanished while idle, the server's own pings find.)"""
CLOSE_SECONDS = 1.0

GONE: Final = 4404
STALLED: Final = 4408
FAILED: Final = 1011

_log = structlog.get_logger(__name__)


class _ClosedError(Exception):
    """The connection is over. `code` None: the browser closed it."""

    def __init__(self, code: int | None = None, reason: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


async def stream_live(websocket: WebSocket) -> None:
    """Serve one connection until either side ends it."""
    conversation_id: str = websocket.path_params["conversation_id"]
    await websocket.accept()
    connection = _Connection(websocket, current(), await owner_of(websocket), conversation_id)
    try:
        await connection.serve()
    except* (_ClosedError, WebSocketDisconnect) as ended:
        error = ended.exceptions[0]
        if isinstance(error, _ClosedError) and error.code is not None:
            await _close(websocket, error.code, error.reason)
    except* Exception as failed:  # noqa: BLE001 - logged; a socket has no problem document, the browser connects again
        log_id = uuid4().hex
        _log.error("live socket failed", log_id=log_id, conversation_id=conversation_id, exc_info=failed)
        await _close(websocket, FAILED, f"It is in the log under {log_id}.")


async def _close(websocket: WebSocket, code: int, reason: str) -> None:
    """Say why, unless the other side takes nothing any more: the server cuts the connection in any case."""
    with suppress(TimeoutError, WebSocketDisconnect):
        async with asyncio.timeout(CLOSE_SECONDS):
            await websocket.close(code, reason)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a browser was told of a pair: which messages it has in full, and the head as written."""

    messages: tuple[str, str | None]
    head: bytes


@dataclass(frozen=True, slots=True)
class _Followed:
    """The reply that streams to a browser."""

    pair_id: str
    run_id: str


@dataclass(eq=False)
class _Connection:
    """One browser. `has`: what it was told of pairs that are not running. `following`: the reply that streams to it.

    `telling` makes reading a pair and telling of it one step, so that no older reading is told after a newer one.
    """

    websocket: WebSocket
    wb: Workbench
    owner: str
    conversation_id: str
    has: dict[str, _Told] = field(default_factory=dict[str, _Told])
    following: _Followed | None = None
    follower: asyncio.Task[None] | None = None
    telling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def serve(self) -> None:
        feed = watch(self.wb, self.owner, self.conversation_id)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._listen(), name=f"live socket of {self.conversation_id}")
                await self._send_window(tasks)
                tasks.create_task(self._keep_alive())
                async for event in feed:
                    await self._tell(event, tasks)
        except* NotFoundError:
            raise _ClosedError(GONE, "no such conversation") from None

    async def _send(self, frame: str) -> None:
        await self.websocket.send({"type": "websocket.send", "text": frame})

    # --- is the browser there? ---

    async def _listen(self) -> None:
        """Wait for the end. A browser has nothing to say; what it says all the same is not looked at."""
        while (await self.websocket.receive())["type"] != "websocket.disconnect":
            pass
        raise _ClosedError

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(PING_SECONDS)
            try:
                async with asyncio.timeout(STALLED_SECONDS):
                    await self._send(PING)
            except TimeoutError:
                raise _ClosedError(STALLED, "nothing was read for too long") from None

    # --- what is told ---

    async def _send_window(self, tasks: asyncio.TaskGroup) -> None:
        async with self.wb.store.read() as session:
            await load_conversation(session, self.owner, self.conversation_id)
            found = await load_pairs(session, self.owner, self.conversation_id, limit=WINDOW + 1)
        pairs = found[-WINDOW:]
        frame, kept = window_frame([_show(pair) for pair in pairs], older=len(found) > WINDOW)
        await self._send(frame)
        for pair in pairs[len(pairs) - kept :]:
            if _runs(pair):
                self._start_following(pair, tasks)
            else:
                self.has[pair.id] = _tell_of(pair)

    async def _tell(self, event: FeedEvent, tasks: asyncio.TaskGroup) -> None:
        match event:
            case RunStarted():
                await self._tell_started(event.pair, tasks)
            case PairsChanged():
                await self._tell_pairs(event.pair_ids, tasks)
            case PairsRemoved():
                await self._tell_removed(event.pair_ids)
            case ConversationChanged():
                async with self.wb.store.read() as session:
                    listed = await describe_listed(session, self.owner, self.conversation_id)
                view = describe_conversation(listed.conversation, pair_count=listed.pair_count, snippet=listed.snippet)
                await self._send(control("conversation", conversation=view))
            case ConversationRemoved():
                raise _ClosedError(GONE, "the conversation was deleted")
            case _:
                assert_never(event)

    async def _tell_pairs(self, pair_ids: tuple[str, ...], tasks: asyncio.TaskGroup) -> None:
        started: Pair | None = None
        async with self.telling:
            for pair in await self._load(pair_ids):
                if self.following == _Followed(pair.id, pair.run_id or ""):
                    continue  # what is left of its text comes first; its end then tells what is new of it
                if _runs(pair):
                    started = pair  # the one reply that runs in the conversation
                else:
                    await self._tell_pair(pair)
        if started is not None:
            await self._tell_started(started, tasks)

    async def _tell_started(self, pair: Pair, tasks: asyncio.TaskGroup) -> None:
        """A reply is on. Nothing is read here: its first piece may be a millisecond away."""
        told = self.has.get(pair.id)
        if self.following == _Followed(pair.id, pair.run_id or "") or (told and told.messages == _messages_of(pair)):
            return  # the snapshot had it, running or over
        if self.follower is not None:
            await asyncio.wait((self.follower,))  # a slow reader gets the reply before it to its end first
        await self._send(control("pairs", pairs=[_show(pair)]))
        self._start_following(pair, tasks)

    async def _tell_pair(self, pair: Pair) -> None:
        told = self.has.get(pair.id)
        telling = self.has[pair.id] = _tell_of(pair)
        if told is None or told.messages != telling.messages:
            await self._send(control("pairs", pairs=[_show(pair)]))
        elif told.head != telling.head:
            await self._send(control("pairs", pairs=[describe_pair_head(pair)]))

    async def _tell_removed(self, pair_ids: tuple[str, ...]) -> None:
        for pair_id in pair_ids:
            self.has.pop(pair_id, None)
        await self._send(control("removed", ids=pair_ids))

    # --- the reply that streams ---

    def _start_following(self, pair: Pair, tasks: asyncio.TaskGroup) -> None:
        if pair.run_id is None:
            raise ValueError(f"Pair {pair.id} runs without a run: the store broke its own rule.")
        self.following = _Followed(pair.id, pair.run_id)
        self.follower = tasks.create_task(self._follow(pair.id, pair.run_id))

    async def _follow(self, pair_id: str, run_id: str) -> None:
        frames = ReplyFrames(pair_id)
        try:
            async for events in follow(self.wb, self.owner, run_id):
                for frame in frames.write(events):
                    await self._send(frame)
        except NotFoundError:
            pass  # deleted while it ran; the feed tells
        async with self.telling:
            self.following = None
            for pair in await self._load((pair_id,)):
                if pair.run_id == run_id:  # else the next run of this pair is on, and the feed tells
                    self.has[pair.id] = _tell_of(pair)
                    await self._send(end_frame(_show(pair) if _hides_parts(pair) else describe_pair_head(pair)))

    async def _load(self, pair_ids: tuple[str, ...]) -> tuple[Pair, ...]:
        async with self.wb.store.read() as session:
            return await load_pairs_by_id(session, self.owner, pair_ids)


def _runs(pair: Pair) -> bool:
    return pair.lifecycle in RUNNING


def _show(pair: Pair) -> ScreenPairView:
    """A running pair without its reply: that comes from the run's log, from its beginning."""
    view = describe_pair_on_screen(pair)
    return replace(view, parts=()) if _runs(pair) else view


def _tell_of(pair: Pair) -> _Told:
    return _Told(_messages_of(pair), to_json(describe_pair_head(pair)))


def _messages_of(pair: Pair) -> tuple[str, str | None]:
    return pair.request.id, None if pair.reply is None else pair.reply.id


def _hides_parts(pair: Pair) -> bool:
    return pair.reply is not None and not shows_as_streamed(pair.reply.parts)
