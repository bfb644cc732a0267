"""What Inview uses of Redis's client, typed: its own types are in part unknown.

redis = connect("redis://127.0.0.1:6379/0")
prompt = connect_promptly("redis://127.0.0.1:6379/0")
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final, Protocol, Self, cast

from redis.asyncio import from_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

PROMPT_SECONDS: Final = 1.0


class Subscriptions(Protocol):
    """A connection that receives what is published in channels."""

    async def subscribe(self, *channels: str) -> None: ...
    async def unsubscribe(self, *channels: str) -> None: ...
    def listen(self) -> AsyncIterator[dict[str, Any]]: ...
    async def aclose(self) -> None: ...


class Pipeline(Protocol):
    """Commands that are sent together."""

    def publish(self, channel: str, message: bytes) -> object: ...
    def evalsha(self, sha: str, numkeys: int, /, *keys_and_args: str | float) -> object: ...
    async def execute(self) -> list[object]: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *raised: object) -> None: ...


class RedisClient(Protocol):
    """A pool of connections to Redis. A command raises `redis.exceptions.RedisError` if it cannot be carried out."""

    @property
    def connection_pool(self) -> Any: ...

    async def ping(self) -> bool: ...
    async def publish(self, channel: str, message: bytes) -> int: ...
    async def set(self, name: str, value: str, *, nx: bool, px: int) -> bool | None: ...
    async def script_load(self, script: str) -> str: ...
    async def eval(self, script: str, numkeys: int, /, *keys_and_args: str | float) -> Any: ...
    async def evalsha(self, sha: str, numkeys: int, /, *keys_and_args: str | float) -> Any: ...
    def pubsub(self, *, ignore_subscribe_messages: bool) -> Subscriptions: ...
    def pipeline(self, *, transaction: bool) -> Pipeline: ...
    async def aclose(self) -> None: ...


def connect(url: str) -> RedisClient:
    """A client. Nothing is connected before the first command.

    Raises:
        ValueError: the URL is none of Redis.
    """
    return cast("RedisClient", from_url(url))


def connect_promptly(url: str) -> RedisClient:
    """A client whose commands fail within `PROMPT_SECONDS` and are never repeated, for what goes on without Redis."""
    retry = Retry(NoBackoff(), 0)
    made = from_url(url, socket_timeout=PROMPT_SECONDS, socket_connect_timeout=PROMPT_SECONDS, retry=retry)
    return cast("RedisClient", made)
