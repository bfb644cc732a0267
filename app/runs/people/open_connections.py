"""Open requests, streams and sockets of sessions and API tokens. Revoking one ends them within a second.

with connected(session_id, end):
...                              # `end` is called once, if the session or token stops being valid meanwhile
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import structlog

from app.domain.errors import StoreError
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.store.people import people, tokens

LOOK_SECONDS: Final = 0.4

_log = structlog.get_logger(__name__)
_open: Final[dict[str, set[Callable[[], None]]]] = {}


@contextmanager
def connected(session_id: str, end: Callable[[], None]) -> Generator[None]:
    """Keep a connection in mind for as long as this lasts."""
    _open.setdefault(session_id, set()).add(end)
    try:
        yield
    finally:
        ends = _open.get(session_id, set())
        ends.discard(end)
        if not ends:
            _open.pop(session_id, None)


async def keep_ending_revoked(wb: Workbench) -> None:
    """Close the connections of revoked sessions, by whatever process they were revoked. Runs until it is cancelled."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if _open:
            await _end_revoked(wb)


async def _end_revoked(wb: Workbench) -> None:
    asked = tuple(_open)
    try:
        async with wb.store.read() as session:
            valid = await people.list_valid(session, now(), asked)
            valid |= await tokens.list_valid_tokens(session, now(), asked, LOCAL_OWNER)
    except StoreError as fault:
        _log.warning("sessions could not be looked at", fault=str(fault))
        return
    for session_id in set(asked) - valid:
        for end in tuple(_open.get(session_id, ())):
            end()
