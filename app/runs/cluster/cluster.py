"""The cluster: this process among the others of its installation.

    cluster = Cluster(link, event_bus, engine, load_pair, broker.notify, catalogue.forget, follow_servers)
    await cluster.join()

What happens in a conversation is published in all of them. What is asked of a run is done by the process that
receives it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import Final

import orjson
import structlog

from app.domain.conversation.conversation import Pair
from app.domain.errors import NotFoundError, StoreError
from app.domain.run.state import RunState
from app.runs.cluster.attempts import SharedAttempts
from app.runs.cluster.event_messages import RemoteStart, decode_event, encode_event
from app.runs.cluster.link import Json, Link
from app.runs.cluster.remote_runs import FOLLOW, Tellers, follow_remote
from app.runs.cluster.server_changes import ServerChange
from app.runs.cluster.shared_turns import SharedTurns
from app.runs.engine.engine import Engine
from app.runs.process.event_bus import EventBus, FeedEvent, PermissionsChanged, RunStarted

log = structlog.get_logger(__name__)

EVENTS: Final = "events"
LISTS: Final = "lists"
SETTINGS: Final = "settings"
SERVERS: Final = "servers"
WATCHED: Final = "watched"
STOP: Final = "stop"
HURRY: Final = "hurry"
ANNOUNCE_SECONDS: Final = 2.0
"""From one word on which conversations are looked at here to the next."""
BELIEVED_SECONDS: Final = 3 * ANNOUNCE_SECONDS

FollowServers = Callable[[ServerChange], Awaitable[None]]
LoadPair = Callable[[str, str], Awaitable[Pair]]


@dataclass(eq=False)
class Cluster:
    """`load_pair` loads a pair of an owner. `on_permissions` is called when a permission was asked for or given through
    another process, `on_settings` when providers, prices or budgets of an owner (None: perhaps of anybody) were changed
    there. `follow_servers` follows a change of MCP servers that another process made.
    """

    link: Link
    event_bus: EventBus
    engine: Engine
    load_pair: LoadPair
    on_permissions: Callable[[], None]
    on_settings: Callable[[str | None], None]
    follow_servers: FollowServers
    tellers: Tellers = field(init=False)
    turns: SharedTurns = field(init=False)
    attempts: SharedAttempts = field(init=False)
    _elsewhere: dict[str, tuple[float, frozenset[tuple[str, str]]]] = field(
        default_factory=dict[str, "tuple[float, frozenset[tuple[str, str]]]"]
    )
    _arrived: asyncio.Queue[bytes] = field(default_factory=asyncio.Queue[bytes])
    _changed: asyncio.Queue[ServerChange] = field(default_factory=asyncio.Queue[ServerChange])

    def __post_init__(self) -> None:
        self.tellers = Tellers(self.link, self.engine.runs)
        self.turns = self.engine.turns.of_all = SharedTurns(self.link, self.engine.turns)
        self.attempts = SharedAttempts(self.link, lambda: self.reached)
        self.link.serve = self._serve
        self.link.on_gap = self._catch_up
        self.event_bus.relay = self

    @property
    def reached(self) -> bool:
        """Whether Redis answers. While it does not, this process counts turns, requests and attempts by itself."""
        return self.turns.reached

    async def join(self) -> None:
        """Listen to the others."""
        await self.link.listen(EVENTS, self._arrived.put_nowait)
        await self.link.listen(LISTS, self._take_list)
        await self.link.listen(SETTINGS, self._take_settings)
        await self.link.listen(SERVERS, self._take_servers)
        await self.link.listen(WATCHED, self._take_watched)
        await self.turns.join()

    async def leave(self) -> None:
        """Tell the others how the replies of this process ended. Called once their ends are stored."""
        await self.turns.part()
        await self.tellers.close()
        await self.link.flush()

    def list_work(self) -> tuple[Coroutine[None, None, None], ...]:
        """What has to be kept at work."""
        link = self.link
        own = link.keep_receiving(), link.keep_sending(), self.keep_publishing(), self.keep_announcing()
        return *own, self.keep_following_servers(), *self.turns.list_work()

    # --- what this process publishes: `process/event_bus.py` calls these ---

    def relay_event(self, owner: str, conversation_id: str, event: FeedEvent) -> None:
        """Publish an event in the other processes too."""
        told = {"owner": owner, "conversation": conversation_id, "event": encode_event(event)}
        self.link.send(EVENTS, self._signed(told))

    def relay_list(self, owner: str) -> None:
        """Publish in the other processes too that the list of an owner changed."""
        self.link.send(LISTS, self._signed({"owner": owner}))

    def tell_settings(self, owner: str) -> None:
        """Have the other processes forget what they know of the settings of an owner."""
        self.link.send(SETTINGS, self._signed({"owner": owner}))

    def tell_servers(self, change: ServerChange) -> None:
        """Have the other processes follow a change of MCP servers that is stored."""
        self.link.send(SERVERS, self._signed({"change": asdict(change)}))

    def watched_elsewhere(self) -> frozenset[tuple[str, str]]:
        """The owners and conversations that somebody looks at through another process."""
        since = monotonic() - BELIEVED_SECONDS
        return frozenset(one for at, watched in self._elsewhere.values() if at > since for one in watched)

    # --- what this process asks of others ---

    async def follow(self, process_id: str, run_id: str) -> AsyncGenerator[RunState, None]:
        """The states of a run that another process receives. It ends after the run's end, or with that process."""
        async for state in follow_remote(self.link, process_id, run_id):
            yield state

    async def stop(self, process_id: str, run_id: str) -> bool:
        """Stop a run that another process receives. False: it is not on there any more.

        Raises:
            NoAnswerError: that process is gone, or does not answer.
        """
        return bool((await self.link.ask(process_id, {"do": STOP, "run": run_id})).get("on"))

    async def hurry(self, process_id: str, run_id: str) -> bool:
        """Make the next attempt of a run of another process now. False: it waits for none.

        Raises:
            NoAnswerError: that process is gone, or does not answer.
        """
        return bool((await self.link.ask(process_id, {"do": HURRY, "run": run_id})).get("on"))

    # --- at work ---

    async def keep_publishing(self) -> None:
        """Publish here what happened in other processes, in its order."""
        while True:
            said = orjson.loads(await self._arrived.get())
            if said["from"] == self.link.process_id:
                continue
            try:
                await self._publish(said["owner"], said["conversation"], decode_event(said["event"]))
            except StoreError as error:
                log.warning("an event of another process could not be read; pages read anew", fault=str(error))
                self._catch_up()

    async def keep_announcing(self) -> None:
        """Tell the others every two seconds what is looked at here: its replies are not marked as unread."""
        while True:
            watched = [list(one) for one in self.event_bus.watched_here()]
            self.link.send(WATCHED, self._signed({"watched": watched}))
            await asyncio.sleep(ANNOUNCE_SECONDS)

    async def keep_following_servers(self) -> None:
        """Follow the changes of MCP servers that other processes made, one after the other."""
        while True:
            change = await self._changed.get()
            try:
                await self.follow_servers(change)
            except StoreError as error:
                log.warning("a change of an MCP server could not be followed", fault=str(error))

    def _catch_up(self) -> None:
        """Messages of other processes may have been missed."""
        self.on_settings(None)
        self.on_permissions()
        self.event_bus.publish_gap()
        self._changed.put_nowait(ServerChange(None))

    async def _publish(self, owner: str, conversation_id: str, event: FeedEvent | RemoteStart) -> None:
        if isinstance(event, RemoteStart):
            if not self.event_bus.is_watched_here(owner, conversation_id):
                self.event_bus.publish_list_here(owner)
                return
            try:
                event = RunStarted(event.run_id, event.pair_id, await self.load_pair(owner, event.pair_id))
            except NotFoundError:
                return  # deleted meanwhile
        if isinstance(event, PermissionsChanged):
            self.on_permissions()
        self.event_bus.publish_here(owner, conversation_id, event)

    def _take_list(self, message: bytes) -> None:
        said = orjson.loads(message)
        if said["from"] != self.link.process_id:
            self.event_bus.publish_list_here(said["owner"])

    def _take_settings(self, message: bytes) -> None:
        said = orjson.loads(message)
        if said["from"] != self.link.process_id:
            self.on_settings(said["owner"])

    def _take_servers(self, message: bytes) -> None:
        said = orjson.loads(message)
        if said["from"] != self.link.process_id:
            self._changed.put_nowait(ServerChange(**said["change"]))

    def _take_watched(self, message: bytes) -> None:
        said = orjson.loads(message)
        if said["from"] != self.link.process_id:
            self._elsewhere[said["from"]] = monotonic(), frozenset((whose, one) for whose, one in said["watched"])

    def _signed(self, said: Json) -> bytes:
        return orjson.dumps({"from": self.link.process_id, **said})

    # --- what others ask ---

    async def _serve(self, request: Json) -> Json:
        """Do what another process asks of a run that is on here. `on`: whether it was."""
        run_id = str(request["run"])
        asked = request["do"]
        if asked == FOLLOW:
            return {"on": self.tellers.tell(run_id)}
        if asked == HURRY:
            return {"on": self.engine.hurry(run_id) is not None}
        if asked != STOP:
            raise ValueError(f"Another process asks to {asked!r}, which this version cannot do.")
        return {"on": await self.engine.stop(run_id)}
