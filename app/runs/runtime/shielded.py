"""Shielded commands: a command that has started finishes even if its caller is cancelled.

When a browser disconnects, its request is cancelled. If that interrupted a command, a pair could be stored without its
run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import structlog

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

log = structlog.get_logger()

_under_way: set[asyncio.Task[Any]] = set()


def shielded(command: Callable[Arguments, Coroutine[Any, Any, Result]]) -> Callable[Arguments, Awaitable[Result]]:
    """Decorate a coroutine function to run in a separate task. Cancelling the caller stops only its waiting."""

    @wraps(command)
    async def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        task = asyncio.create_task(command(*args, **kwargs), name=command.__name__)
        _under_way.add(task)
        task.add_done_callback(_under_way.discard)
        return await asyncio.shield(task)

    return run


async def finish_under_way(seconds: float) -> None:
    """Wait, at most `seconds`, for the commands of this event loop that are running.

    Commands that do not finish in time are logged. The next start of Inview repairs incomplete data.
    """
    loop = asyncio.get_running_loop()
    if tasks := [task for task in _under_way if task.get_loop() is loop]:
        _, late = await asyncio.wait(tasks, timeout=seconds)
        for task in late:
            log.error("a command did not finish before Inview ended", command=task.get_name())
