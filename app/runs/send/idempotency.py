"""Idempotent sends: a program that sends again with the same key gets the run that its first send began.

    begun = await send_once(wb, owner, key, lambda alongside: start_reply(wb, owner, intent, alongside=alongside))

The key is stored in the transaction that stores the pair, so that of two sends at once only one begins a run. A send
that was refused leaves no key. Keys hold for `KEPT`, and go with their conversation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import InputError, SendLockedError
from app.runs.process.ids import now
from app.runs.send.commands import Alongside, StartedRun
from app.runs.workbench import Workbench
from app.store.run.idempotency import KeyedRun, insert_keyed_run, load_keyed_run
from app.store.run.runs import RunPlace

HEADER: Final = "Idempotency-Key"
KEPT: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A program's own name for a send, and the hash of the request that carried it."""

    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class BegunSend:
    """The run of a send, begun by it or by the one before it with the same key."""

    conversation_id: str
    started: StartedRun


async def send_once(
    wb: Workbench, owner: str, key: IdempotencyKey, send: Callable[[Alongside], Awaitable[object]]
) -> BegunSend:
    """Send, unless the key has begun a run already. `send` has to do what it is handed alongside.

    Raises:
        InputError: the key was used for another request.
        InviewError: as `send`.
    """
    if (begun := await _find(wb, owner, key)) is not None:
        return begun

    async def note(session: AsyncSession, place: RunPlace, started: StartedRun) -> None:
        at = now()
        run = KeyedRun(key.fingerprint, place.conversation_id, started.pair_id, started.run_id, started.content_hash)
        await insert_keyed_run(session, owner, key.key, run, at, at - KEPT)

    try:
        await send(note)
    except (SendLockedError, IntegrityError):  # perhaps by a send with the same key that was faster
        if (begun := await _find(wb, owner, key)) is None:
            raise
        return begun
    if (begun := await _find(wb, owner, key)) is None:
        raise SendLockedError(key.key)
    return begun


async def _find(wb: Workbench, owner: str, key: IdempotencyKey) -> BegunSend | None:
    found = None
    for store in wb.stores:
        async with store.read() as session:
            found = found or await load_keyed_run(session, owner, key.key, now() - KEPT)
    if found is None:
        return None
    if found.fingerprint != key.fingerprint:
        raise InputError(HEADER, "was used for another request within 24 hours. Use a new key for each request.")
    return BegunSend(found.conversation_id, StartedRun(found.run_id, found.pair_id, found.content_hash))
