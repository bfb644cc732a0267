"""Reduced imports: prevents libraries from loading modules that Inview does not use.

This saves an idle server about 10 MB.

Each library in `SPARED` would load a second library that it can work without. This module makes the second library
appear not installed. Inview imports its own large modules only in the functions that need them.

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

# The libraries, each with the module that it would load. A comment has the purpose of the module.
SPARED: Final = {
    "engineio": "requests",  # an HTTP client
    "structlog": "rich",  # coloured tracebacks, with Pygments; Inview's tracebacks are plain
    "uvicorn": "watchfiles",  # a restart after a file changed
}


def import_sparingly(library: str) -> None:
    """Import a library of `SPARED`, and prevent it from loading the second library that it can work without.

    Call this before any other code imports the library.
    """
    with _absent(SPARED[library]):
        importlib.import_module(library)


def do_without_redis() -> None:
    """Replace the library `redis` by an almost empty module, so that it is never imported.

    Reflex keeps its state in memory here, but one of Reflex's modules needs two names of `redis` when it is imported.
    All other modules of Reflex and Socket.IO look for more names, and conclude that `redis` is not installed.
    """
    client, asynchronous = ModuleType("redis"), ModuleType("redis.asyncio")
    vars(client).update(ResponseError=type("ResponseError", (Exception,), {}), asyncio=asynchronous)
    vars(asynchronous).update(Redis=type("Redis", (), {}))
    sys.modules.update({"redis": client, "redis.asyncio": asynchronous})


@contextmanager
def _absent(module: str) -> Generator[None]:
    sys.modules[module] = None  # pyright: ignore[reportArgumentType] - with None, Python does not find the module
    try:
        yield
    finally:
        del sys.modules[module]
