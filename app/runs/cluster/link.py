"""The link: messages between the processes of an installation, by channels of Redis.

    async with open_link(url, process_id) as link:
        await link.listen("run:r1", receive)         # `receive` is called with each message from now on
        link.send("run:r1", b"...")                  # whoever listens gets it soon, or nobody does
        answer = await link.ask(other, {"do": "stop", "run": "r1"})

Messages are not kept: those that are sent while Redis is away are lost. A process that had lost the connection
is told so (`on_gap`), and reads anew what it shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import orjson
import structlog
from redis.exceptions import RedisError

from app.domain.errors import ConflictError, StoreError
from app.runs.cluster.redis_client import RedisClient, Subscriptions, connect, connect_promptly
from app.runs.process.ids import new_id

log = structlog.get_logger(__name__)

PREFIX: Final = "inview:"
ANSWER_SECONDS: Final = 5.0
"""How long another process may take to answer."""
RETRY_SECONDS: Final = 0.5
"""From one attempt to reach Redis again to the next."""
FLUSH_SECONDS: Final = 0.3
"""How long the end of the process waits for Redis."""
MAX_BATCH: Final = 500
"""Messages that are sent with one round trip at most."""
MAX_UNSENT: Final = 100_000
"""Messages that wait while Redis is away. More are dropped: whoever missed them reads anew."""

Json = dict[str, Any]
Receive = Callable[[bytes], None]
Serve = Callable[[Json], Awaitable[Json]]


class NoAnswerError(ConflictError):
    """The other process is gone, or did not answer in time."""


@dataclass(eq=False)
class Link:
    """The link of one process. `on_gap` is called when messages may have been missed. Commands through `prompt` fail
    soon where Redis is away.
    """

    redis: RedisClient
    prompt: RedisClient
    process_id: str
    prefix: str = PREFIX
    serve: Serve | None = None
    on_gap: Callable[[], None] = field(default=lambda: None)
    _listeners: dict[str, set[Receive]] = field(default_factory=dict[str, "set[Receive]"])
    _unsent: asyncio.Queue[tuple[str, bytes]] = field(default_factory=lambda: asyncio.Queue(MAX_UNSENT))
    _asked: dict[str, asyncio.Future[Json]] = field(default_factory=dict[str, "asyncio.Future[Json]"])
    _serving: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])
    _pubsub: Subscriptions | None = None
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def listen(self, channel: str, receive: Receive) -> None:
        """Have each message of a channel from now on."""
        async with self._changing:
            of_channel = self._listeners.setdefault(channel, set())
            of_channel.add(receive)
            if len(of_channel) == 1 and self._pubsub is not None:
                with suppress(RedisError):  # the connection is lost: all channels are listened to when it is back
                    await self._pubsub.subscribe(self.prefix + channel)

    async def leave(self, channel: str, receive: Receive) -> None:
        """Have no more of them."""
        async with self._changing:
            of_channel = self._listeners.get(channel, set())
            of_channel.discard(receive)
            if not of_channel and self._listeners.pop(channel, None) is not None and self._pubsub is not None:
                with suppress(RedisError):  # as above
                    await self._pubsub.unsubscribe(self.prefix + channel)

    def send(self, channel: str, message: bytes) -> None:
        """Send a message to whoever listens. It is on its way when this process waits next."""
        with suppress(asyncio.QueueFull):  # Redis is away; who missed it is told of a gap
            self._unsent.put_nowait((self.prefix + channel, message))

    async def ask(self, process_id: str, request: Json) -> Json:
        """What another process answers.

        Raises:
            NoAnswerError: it is gone, does not answer, or Redis is away.
        """
        request_id = new_id()
        answered = self._asked[request_id] = asyncio.get_running_loop().create_future()
        message = orjson.dumps({"id": request_id, "from": self.process_id, "request": request})
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                if not await self.redis.publish(f"{self.prefix}process:{process_id}", message):
                    raise NoAnswerError("The process that receives this reply is gone; the reply ends within 20 s.")
                return await answered
        except TimeoutError as error:
            raise NoAnswerError("The process that receives this reply does not answer. Try again.") from error
        except RedisError as error:
            raise NoAnswerError(f"Redis cannot be reached: {error}. Another process receives this reply.") from error
        finally:
            del self._asked[request_id]

    async def claim(self, task: str, seconds: float) -> bool:
        """Whether this process is the one that does a task now. Nobody else is for so long.

        Raises:
            StoreError: Redis cannot be reached.
        """
        try:
            taken = await self.redis.set(f"{self.prefix}task:{task}", self.process_id, nx=True, px=int(seconds * 1000))
        except RedisError as error:
            raise StoreError(f"Redis cannot be reached: {error}.") from error
        return bool(taken)

    # --- at work ---

    async def keep_receiving(self) -> None:
        """Receive as long as the process lives; connect again whenever the connection is lost."""
        lost = False
        while True:
            pubsub = self.redis.pubsub(ignore_subscribe_messages=True)
            try:
                async with self._changing:
                    await pubsub.subscribe(*(self.prefix + channel for channel in (self._own, *self._listeners)))
                    self._pubsub = pubsub
                if lost:
                    log.info("the connection to Redis is back")
                    self.on_gap()
                lost = False
                await self._receive_all(pubsub)
            except RedisError as error:
                if not lost:
                    log.warning("the connection to Redis is lost; it is tried again", fault=str(error))
                lost = True
            finally:
                self._pubsub = None
                with suppress(RedisError):
                    await pubsub.aclose()
            await asyncio.sleep(RETRY_SECONDS)

    async def keep_sending(self) -> None:
        """Send what waits as long as the process lives."""
        while True:
            first = await self._unsent.get()
            try:
                await self._send_batch([first, *self._take_unsent(MAX_BATCH)])
            except RedisError:  # those who listen lost their connections too, and read anew
                await asyncio.sleep(RETRY_SECONDS)

    async def flush(self) -> None:
        """Send all that waits now, because the process ends."""
        with suppress(RedisError, TimeoutError):  # who listens finds in the database what it missed
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._send_batch(self._take_unsent(MAX_UNSENT))

    def _take_unsent(self, most: int) -> list[tuple[str, bytes]]:
        taken: list[tuple[str, bytes]] = []
        while not self._unsent.empty() and len(taken) < most:
            taken.append(self._unsent.get_nowait())
        return taken

    async def _send_batch(self, messages: list[tuple[str, bytes]]) -> None:
        async with self.redis.pipeline(transaction=False) as pipeline:
            for channel, message in messages:
                pipeline.publish(channel, message)
            await pipeline.execute()

    @property
    def _own(self) -> str:
        return f"process:{self.process_id}"

    async def _receive_all(self, pubsub: Subscriptions) -> None:
        async for message in pubsub.listen():
            channel, data = message["channel"].decode().removeprefix(self.prefix), message["data"]
            if channel == self._own:
                self._take(data)
            for receive in tuple(self._listeners.get(channel, ())):
                receive(data)

    def _take(self, data: bytes) -> None:
        """A request of another process, or its answer to one of ours."""
        said = orjson.loads(data)
        if "answer" in said:
            asked = self._asked.get(said["id"])
            if asked is not None and not asked.done():
                asked.set_result(said["answer"])
            return
        task = asyncio.create_task(self._answer(said), name="answer another process")
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _answer(self, said: Json) -> None:
        try:
            answer = {} if self.serve is None else await self.serve(said["request"])
        except Exception:  # a fault of ours: who asked waits in vain, and says so
            log.exception("a request of another process failed by a fault of Inview", request=said["request"])
            return
        self.send(f"process:{said['from']}", orjson.dumps({"id": said["id"], "answer": answer}))


@asynccontextmanager
async def open_link(url: str, process_id: str) -> AsyncGenerator[Link]:
    """The link of this process. Whoever opens it keeps `keep_receiving` and `keep_sending` at work.

    Raises:
        StoreError: Redis cannot be reached.
    """
    redis, prompt = connect(url), connect_promptly(url)
    try:
        # Channels are the same in all databases of a server, so their names have its number.
        link = Link(redis, prompt, process_id, f"{PREFIX}{urlsplit(url).path.strip('/') or 0}:")
        try:
            await redis.ping()
        except RedisError as error:
            raise StoreError(f"Redis cannot be reached: {error}.", "Start it, or correct INVIEW_REDIS_URL.") from error
        yield link
    finally:
        await redis.aclose()
        await prompt.aclose()
