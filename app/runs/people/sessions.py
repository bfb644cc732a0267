"""Signs in and out, and finds the person of a session.

entered = await sign_in(wb, Credentials(email, password), Device(agent, address))   # Entered(…), or CodeAsked(…)
signed_in = await find_session(wb, token)          # None: no session, revoked, expired, or the person is disabled
signed_in = await read_session(wb, session_id)     # the same afresh, for each event of the page
await revoke(wb, session_id)
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from app.domain.errors import InputError, InviewError
from app.domain.people.audit import Actor, AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import TOKEN_BYTES, Device, Person, SignedIn, clean_email, hash_token
from app.runs.caller import LOCAL
from app.runs.people.audit import enter, note
from app.runs.people.hash_line import FIRST, TooBusyError
from app.runs.people.known_devices import know_device, mark_device
from app.runs.people.passwords import NOBODY, is_password
from app.runs.people.steps import StepKind, open_step
from app.runs.people.throttle import (
    MAX_PER_ACCOUNT,
    MAX_PER_ADDRESS,
    WINDOW_SECONDS,
    Throttle,
    TooManyAttemptsError,
    network_of,
)
from app.runs.process.ids import new_id, now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench, current
from app.store.audit.entries import insert_entry
from app.store.people import people
from app.store.people.second_steps import has_second_step

TOUCH_EVERY: Final = timedelta(minutes=5)
MAX_AGENT: Final = 300

SESSION_HEADER: Final = "x-inview-session"
"""Header in which the sign-in gate names the session to what stands behind it. What a client sends in it is dropped."""
ADDRESS_HEADER: Final = "x-inview-address"
"""The same for the network address that a request came from."""

_throttle: Final = Throttle()


class WrongPasswordError(InviewError):
    """Address and password do not belong together, or the person is disabled: which of them is not said."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What somebody typed to sign in. `mark` is that of their browser, "" if it has none (`known_devices.py`)."""

    email: str
    password: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Entered:
    """A session began. `token` is for its cookie, `mark` for that by which this browser is known from now on."""

    token: str
    mark: str


@dataclass(frozen=True, slots=True)
class CodeAsked:
    """The password was right and a code is asked for now. `token` opens this step (`second_step.py`)."""

    token: str
    mark: str


async def sign_in(wb: Workbench, typed: Credentials, device: Device) -> Entered | CodeAsked:
    """Check the password; begin a session, or ask for a code where the person has a second step.

    It takes as long whether there is such a person or not. A browser that the person used before goes first, then who
    tried least often from their address.

    Raises:
        WrongPasswordError: they do not belong together.
        TooManyAttemptsError: too many attempts of this account, address or device failed.
        TooBusyError: too many others are signing in, and nothing was checked.
    """
    try:
        email = clean_email(typed.email)
    except InputError:
        email = ""
    async with wb.store.read() as session:
        found = await people.find_by_email(session, email)
        asks_code = found is not None and await has_second_step(session, found[0].id)
    person_id, password_hash = ("", NOBODY) if found is None else (found[0].id, found[1])
    known = know_device(wb, typed.mark, person_id, password_hash)
    account, address = (email, device.address) if known is None else (f"device {known}", f"device {known}")
    rank = FIRST if known is not None else FIRST + 1 + _throttle.tries_from(address)
    async with throttled(account, address):
        right = await is_password(typed.password, password_hash, rank)
        if found is None or not right or found[0].disabled:
            note(AuditAction.SIGN_IN_FAILED, ObjectKind.PERSON, person_id)
            raise WrongPasswordError("E-mail address and password do not belong together.")
    mark = typed.mark if known is not None else mark_device(wb, person_id, password_hash)
    if asks_code:
        return CodeAsked(await open_step(wb, StepKind.CODE, {}, person_id), mark)
    return Entered(await begin_session(wb, found[0], device), mark)


@asynccontextmanager
async def throttled(email: str, address: str) -> AsyncGenerator[None]:
    """Count an attempt to prove who one is as failed if an exception leaves. Attempts in all processes count.

    Of one that was too many at once no password was looked at: it counts for its address in this process alone.

    Raises:
        TooManyAttemptsError: too many attempts of this account or address failed.
    """
    try:
        _throttle.require(email, address)
        _throttle.note(email, address)  # before the hash is computed: a hundred at once do not all pass
        taken_back = await _count_in_all(email, address)
    except TooManyAttemptsError:
        note(AuditAction.SIGN_IN_THROTTLED, ObjectKind.INSTALLATION, "")
        raise
    try:
        yield
    except TooBusyError:
        _throttle.forgive_account(email)
        await taken_back()
        note(AuditAction.SIGN_IN_THROTTLED, ObjectKind.INSTALLATION, "")
        raise
    _throttle.forgive(email, address)
    await taken_back()


async def _count_in_all(email: str, address: str) -> Callable[[], Awaitable[None]]:
    """Count an attempt for all processes, where there are several. Returns what takes it back.

    Raises:
        TooManyAttemptsError: as many failed in all of them as may in one.
    """
    cluster = current().cluster
    if cluster is None:
        return _do_nothing
    attempts = cluster.attempts
    bounds = {f"account {email}": MAX_PER_ACCOUNT, f"address {network_of(address)}": MAX_PER_ADDRESS}
    attempt = await attempts.begin(bounds, WINDOW_SECONDS)
    if attempt is None:
        _throttle.forgive(email, address)
        raise TooManyAttemptsError
    return lambda: attempts.take_back(attempt)


async def _do_nothing() -> None:
    pass


async def begin_session(wb: Workbench, person: Person, device: Device) -> str:
    """Begin a session of a person who proved to be this one; return its token."""
    token, made = secrets.token_urlsafe(TOKEN_BYTES), SignedIn(new_id(), person, now())
    actor = Actor(person.id, f"session {made.session_id}", device.address)
    async with wb.store.write() as session:
        await people.insert_session(session, made, hash_token(token), replace(device, agent=device.agent[:MAX_AGENT]))
        entry = AuditEntry(made.used_at, actor, AuditAction.SIGNED_IN, ObjectKind.SESSION, made.session_id)
        await insert_entry(session, entry)
    return token


async def find_session(wb: Workbench, token: str) -> SignedIn | None:
    """Return the valid session of a token and note, every five minutes, that it was used; None: there is none."""
    at = now()
    async with wb.store.read() as session:
        found = await people.find_session(session, at, token_hash=hash_token(token))
    if found is None:
        return None
    if at - found.used_at > TOUCH_EVERY:
        async with wb.store.write() as session:
            await people.touch_session(session, found.session_id, at)
    return found


async def read_session(wb: Workbench, session_id: str) -> SignedIn | None:
    """Return the session with this id as it is now; None: it is not valid any more."""
    async with wb.store.read() as session:
        return await people.load_session(session, now(), session_id)


async def revoke(wb: Workbench, session_id: str) -> None:
    """End a session. What it has open ends within a second."""
    async with wb.store.write() as session:
        await people.revoke_session(session, session_id, now())
        await enter(session, AuditAction.SIGNED_OUT, ObjectKind.SESSION, session_id)


async def read_caller(headers: Mapping[str, str]) -> Actor | None:
    """Return whose event this is; None: it must not run. Read afresh for each event.

    `headers` are those of the socket, in which the sign-in gate names the session.
    """
    wb, address = current(), headers.get(ADDRESS_HEADER, "")
    if not wb.settings.accounts:
        return Actor(LOCAL_OWNER, LOCAL, address)
    session_id = headers.get(SESSION_HEADER)
    signed_in = None if session_id is None else await read_session(wb, session_id)
    return None if signed_in is None else Actor(signed_in.person.id, f"session {session_id}", address)
