"""Reduced imports: leaves out what libraries would load and nobody uses here. An idle server is some 10 MB smaller.

Each of these libraries works without the other one; this module reports the other one as not installed. Not for our own
imports: those stand in the function that needs them.

    import_sparingly("uvicorn")
    "watchfiles" in sys.modules  # False
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

# Who would load what, and for what.
SPARED: Final = {
    "engineio": "requests",  # being a client
    "structlog": "rich",  # coloured tracebacks, and with them Pygments; ours are plain
    "uvicorn": "watchfiles",  # starting again whenever a file changes
}


def import_sparingly(library: str) -> None:
    """Import a library of `SPARED` before anybody else does."""
    with _absent(SPARED[library]):
        importlib.import_module(library)


def do_without_redis() -> None:
    """Have an empty client of Redis in place of the real one, from now on.

    Reflex keeps its state in memory here, but one of its modules wants two names of that client as it is imported.
    All else in Reflex and Socket.IO looks for more than these, and takes the client for not installed.
    """
    client, asynchronous = ModuleType("redis"), ModuleType("redis.asyncio")
    vars(client).update(ResponseError=type("ResponseError", (Exception,), {}), asyncio=asynchronous)
    vars(asynchronous).update(Redis=type("Redis", (), {}))
    sys.modules.update({"redis": client, "redis.asyncio": asynchronous})


@contextmanager
def _absent(module: str) -> Generator[None]:
    sys.modules[module] = None  # pyright: ignore[reportArgumentType] - how Python says that a module shall not be found
    try:
        yield
    finally:
        del sys.modules[module]
