"""The live socket: an open conversation's pairs in view, and the reply that streams into it (docs/live-socket.md).

A connection is a snapshot and what comes after it. Four things make that exact:

- It listens to the conversation's feed before it reads the snapshot, so nothing falls between the two. Feed events are
  facts without content: what they speak of is read again, and what the browser has already is not sent again.
- A running pair is sent without its reply; the reply comes from the run's log, followed from its beginning.
- No frame is made before the one before it was taken. A slow reader's next piece is what has gathered meanwhile, so
  nothing piles up here however long a reply is.
- What is in view is worked out by whoever works it out for a send (`runs/composing.py`), and never between a reply's
  start and its first piece.

Not here: what is in view (`live_view.py`), what a browser was told of it (`live_pairs.py`) and of what stands beside it
(`live_beside.py`), how a frame looks (`live_frames.py`), what a browser may say (`live_messages.py`), when a piece is
due (`runs/broadcast.py`), who may connect (the gate).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, assert_never
from uuid import uuid4

import structlog
from starlette.websockets import WebSocket, WebSocketDisconnect

from app.api.access import owner_of, workbench
from app.api.live_beside import tell_beside, tell_comparison, tell_permissions, tell_queue
from app.api.live_frames import PING, ReplyFrames, control
from app.api.live_messages import Draft, Have, MessageError, Pace, View, read_look, read_message
from app.api.live_pairs import LivePairs
from app.api.live_view import LiveView
from app.domain.conversation import Pair
from app.domain.errors import NotFoundError
from app.runs.broadcast import follow, watch
from app.runs.feeds import (
    ComparisonChanged,
    ConversationChanged,
    ConversationRemoved,
    FeedEvent,
    PairsChanged,
    PairsRemoved,
    PermissionsChanged,
    QueueChanged,
    RetryHurried,
    RunStarted,
    ToolProgress,
)
from app.store.conversations import describe_listed
from app.views.conversation import describe_conversation

PING_SECONDS = 20.0
"""Between two signs of life. A browser that has not seen one for twice that long connects again."""
STALLED_SECONDS = 40.0
"""A reader that took nothing for this long is given up. (One that vanished while idle, the server's own pings find.)"""
CLOSE_SECONDS = 1.0
SETTLE_SECONDS = 0.02
"""After a change, others of the same action are waited for before what is in view is worked out again."""
STARTED_SECONDS = 0.4
"""After a reply's start: its first piece goes first."""

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
    try:
        look = read_look(websocket.query_params)
    except MessageError as error:
        await _close(websocket, error.code, error.reason)
        return

    async def send(frame: str) -> None:
        await websocket.send({"type": "websocket.send", "text": frame})

    bench, owner = await workbench(websocket), await owner_of(websocket)
    connection = _Connection(websocket, LiveView(LivePairs(bench, owner, send), conversation_id, look))
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


@dataclass(eq=False)
class _Connection:
    """One browser. `stale`: what is in view is to be worked out again, but not before `due` on the loop's clock."""

    websocket: WebSocket
    view: LiveView
    follower: asyncio.Task[None] | None = None
    stale: asyncio.Event = field(default_factory=asyncio.Event)
    due: float = 0.0

    async def serve(self) -> None:
        view = self.view
        feed = watch(view.wb, view.owner, view.conversation_id)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._listen(), name=f"live socket of {view.conversation_id}")
                if (running := await view.open()) is not None:
                    self._start_following(running, tasks)
                self._work_out(0)
                tasks.create_task(self._keep_alive())
                tasks.create_task(self._keep_view(tasks))
                await tell_beside(view.pairs, view.conversation_id)
                async for event in feed:
                    await self._tell(event, tasks)
        except* NotFoundError:
            raise _ClosedError(GONE, "no such conversation") from None
        finally:
            view.close()

    # --- what the browser says ---

    async def _listen(self) -> None:
        pace, clock = Pace(), asyncio.get_running_loop().time
        while True:
            message = await self.websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise _ClosedError
            try:
                pace.count(clock())
                self._obey(read_message(message.get("text")))
            except MessageError as error:
                raise _ClosedError(error.code, error.reason) from None

    def _obey(self, message: View | Draft | Have) -> None:
        """The newest of each kind counts: what nobody has looked at yet is replaced."""
        match message:
            case View(look):
                self.view.asked, self.view.answer, self.view.outdated = look, True, True
                self._work_out(0)
            case Draft(text):
                self.view.draft = text
                self._work_out(0)
            case Have(position):
                self.view.extend(position)
            case _:
                assert_never(message)

    async def _keep_alive(self) -> None:
        while True:
            await asyncio.sleep(PING_SECONDS)
            try:
                async with asyncio.timeout(STALLED_SECONDS):
                    await self.view.pairs.send(PING)
            except TimeoutError:
                raise _ClosedError(STALLED, "nothing was read for too long") from None

    # --- what is told ---

    def _work_out(self, seconds: float) -> None:
        """Have what is in view worked out again: at once if a person waits for it, else after so long."""
        due = asyncio.get_running_loop().time() + seconds
        self.due = due if seconds == 0 or not self.stale.is_set() else max(self.due, due)
        self.stale.set()

    def _change(self, seconds: float) -> None:
        """As `_work_out`, because something happened to the conversation."""
        self.view.outdated = True
        self._work_out(seconds)

    async def _keep_view(self, tasks: asyncio.TaskGroup) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await self.stale.wait()
            while (early := self.due - clock()) > 0:  # noqa: ASYNC110 - who waits for it may bring it forward
                await asyncio.sleep(min(early, SETTLE_SECONDS))
            self.stale.clear()
            if (started := await self.view.work_out()) is not None:
                await self._tell_started(started, tasks)

    async def _tell(self, event: FeedEvent, tasks: asyncio.TaskGroup) -> None:
        match event:
            case RunStarted():
                await self._tell_started(event.pair, tasks)
                self._change(STARTED_SECONDS)
            case PairsChanged():
                if (started := await self.view.pairs.tell_changed(event.pair_ids)) is not None:
                    await self._tell_started(started, tasks)
                self._change(SETTLE_SECONDS)
            case PairsRemoved():
                await self.view.pairs.tell_removed(event.pair_ids)
                self._change(SETTLE_SECONDS)
            case ConversationChanged():
                await self._tell_conversation()
                self._change(SETTLE_SECONDS)
            case QueueChanged():
                await tell_queue(self.view.pairs, self.view.conversation_id)
            case ComparisonChanged():
                await tell_comparison(self.view.pairs, self.view.conversation_id)
            case RetryHurried():
                await self.view.pairs.send(control("attempt", pair_id=event.pair_id))
            case PermissionsChanged():
                await tell_permissions(self.view.pairs, self.view.conversation_id)
            case ToolProgress():
                await self._tell_progress(event)
            case ConversationRemoved():
                raise _ClosedError(GONE, "the conversation was deleted")
            case _:
                assert_never(event)

    async def _tell_progress(self, event: ToolProgress) -> None:
        """How far a tool is. Where the frames of its reply are behind, nobody knows the call: it is passed over."""
        said = {"progress": event.progress, "total": event.total, "message": event.message}
        if event.conversation_id is not None:
            said["conversation_id"] = event.conversation_id
        await self.view.pairs.send(control("tool_progress", tool_call_id=event.tool_call_id, **said))

    async def _tell_conversation(self) -> None:
        async with self.view.wb.store.read() as session:
            listed = await describe_listed(session, self.view.owner, self.view.conversation_id)
        shown = describe_conversation(listed.conversation, pair_count=listed.pair_count, snippet=listed.snippet)
        await self.view.pairs.send(control("conversation", conversation=shown))

    # --- the reply that streams ---

    async def _tell_started(self, pair: Pair, tasks: asyncio.TaskGroup) -> None:
        """A reply is on. Nothing is read here: its first piece may be a millisecond away."""
        if self.view.pairs.knows(pair):
            return  # the snapshot had it, running or over
        if self.follower is not None and not self.follower.done():
            await asyncio.wait((self.follower,))  # a slow reader gets the reply before it to its end first
        await self.view.pairs.tell_started(pair)
        self._start_following(pair, tasks)

    def _start_following(self, pair: Pair, tasks: asyncio.TaskGroup) -> None:
        if pair.run_id is None:
            raise ValueError(f"Pair {pair.id} runs without a run: the store broke its own rule.")
        self.view.pairs.following = pair
        self.follower = tasks.create_task(self._follow(pair.id, pair.run_id))

    async def _follow(self, pair_id: str, run_id: str) -> None:
        frames = ReplyFrames(pair_id)
        with suppress(NotFoundError):  # deleted while it ran; the feed tells
            async for events in follow(self.view.wb, self.view.owner, run_id):
                for frame in frames.write(events):
                    await self.view.pairs.send(frame)
        await self.view.pairs.tell_end(pair_id, run_id)
