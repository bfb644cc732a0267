"""Logs statements that took long: their words without their values, and how long each took in milliseconds.

    log_slow(engine, seconds=0.5)

The line also names the request and the reply that it belongs to, as every line does (`cli/logs.py`).
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, Final

import structlog
from sqlalchemy import Engine, event

log = structlog.get_logger()

MAX_CHARACTERS: Final = 2_000
"""Of a statement in a line; the rest is left out."""
_BEGAN: Final = "inview_began"


def log_slow(engine: Engine, seconds: float) -> None:
    """Log each statement of this engine that takes longer. Waiting for others to finish writing counts too."""

    def begin(connection: Any, _cursor: Any, _statement: str, *_more: Any) -> None:
        connection.info[_BEGAN] = perf_counter()

    def end(connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        took = perf_counter() - connection.info[_BEGAN]
        if took >= seconds:
            words = " ".join(statement.split())
            shown = words if len(words) <= MAX_CHARACTERS else f"{words[:MAX_CHARACTERS]} …"
            log.warning("a statement took long", milliseconds=round(took * 1000), statement=shown)

    event.listen(engine, "before_cursor_execute", begin)
    event.listen(engine, "after_cursor_execute", end)
