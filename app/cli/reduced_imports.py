"""Reduced imports: keeps libraries from loading modules that Inview does not use. An idle server is some 10 MB smaller.

Each library in `SPARED` would load a second library that it can do without. This module makes it seem that the second
library is not installed. Inview imports its own large modules only in the functions that need them.

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

# Libraries, with the module that each would load and its purpose.
SPARED: Final = {
    "engineio": "requests",  # for a client
    "structlog": "rich",  # for coloured tracebacks, with Pygments; Inview's are plain
    "uvicorn": "watchfiles",  # for a restart after a file changed
}


def import_sparingly(library: str) -> None:
    """Import a library of `SPARED` without the second library that it would load.

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
