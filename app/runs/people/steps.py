"""Sign-ins under way: what the server keeps between two requests of one browser.

token = await open_step(wb, StepKind.CODE, {}, person_id)     # for the browser's cookie; told once
step = await read_step(wb, StepKind.CODE, token)              # None: taken, expired, or never there
step = await take_step(wb, StepKind.CODE, token)              # the same; it works once
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Final

import orjson

from app.domain.people.people import TOKEN_BYTES, hash_token
from app.runs.process.ids import now
from app.runs.workbench import Workbench
from app.store.people import sign_in_steps

STEP_LIFE: Final = timedelta(minutes=10)


class StepKind(StrEnum):
    """What is under way."""

    CODE = "code"
    """The password was right; a code is asked for."""
    ENROLMENT = "enrolment"
    """A secret was shown that becomes the second step once a code of it was typed."""
    PROVIDER = "provider"
    """The browser was sent to a sign-in provider."""
    PASSKEY = "passkey"
    """The browser was asked to sign in with a passkey."""
    NEW_PASSKEY = "new passkey"
    """The browser was asked to make a passkey."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was kept, and for which person; None if the person is not known yet."""

    person_id: str | None
    data: Mapping[str, str] = field(repr=False)


async def open_step(wb: Workbench, kind: StepKind, data: Mapping[str, str], person_id: str | None = None) -> str:
    """Keep something for ten minutes, encrypted; return the token that opens it."""
    token, at = secrets.token_urlsafe(TOKEN_BYTES), now()
    sealed = wb.catalogue.cipher.encrypt(orjson.dumps(data).decode())
    async with wb.store.write() as session:
        await sign_in_steps.delete_expired_steps(session, at)
        await sign_in_steps.insert_step(session, hash_token(token), kind, (person_id, sealed), at + STEP_LIFE)
    return token


async def read_step(wb: Workbench, kind: StepKind, token: str) -> Step | None:
    """Return what waits under a token and leave it there."""
    async with wb.store.read() as session:
        return _open(wb, await sign_in_steps.find_step(session, hash_token(token), kind, now()))


async def take_step(wb: Workbench, kind: StepKind, token: str) -> Step | None:
    """Return what is kept under a token, and delete it: a token works once."""
    async with wb.store.write() as session:
        return _open(wb, await sign_in_steps.take_step(session, hash_token(token), kind, now()))


def _open(wb: Workbench, found: sign_in_steps.Found | None) -> Step | None:
    if found is None or found[1] is None:
        return None
    return Step(found[0], orjson.loads(wb.catalogue.cipher.decrypt(found[1])))
