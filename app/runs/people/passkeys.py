"""Passkeys: a person adds, names and removes them, and signs in with one.

asked = await begin_adding(wb, place, person)         # the options go to the browser, the token to its cookie
await finish_adding(wb, place, person, asked.token, NewPasskey("Phone", answer))
asked = await begin_sign_in(wb, place)
token = await finish_sign_in(wb, place, asked.token, answer, device)

A challenge is good once, for ten minutes and in the browser that asked. The browser verifies its user, so a passkey
counts as both steps of signing in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.domain.errors import InviewError
from app.domain.people.audit import Actor, AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.passkeys import MAX_PASSKEYS, Passkey, RelyingParty
from app.domain.people.people import Device, Person, clean_name
from app.runs import caller
from app.runs.people import web_authentication
from app.runs.people.audit import enter, note_entry
from app.runs.people.sessions import begin_session, throttled
from app.runs.people.steps import StepKind, open_step, take_step
from app.runs.people.web_authentication import Assertion, UnprovedError
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.audit.entries import insert_entry
from app.store.people import passkeys, people


class Refusal(StrEnum):
    """Why a passkey was not added, or signed nobody in."""

    LATE = "late"
    UNKNOWN = "unknown"
    UNPROVED = "unproved"
    COPIED = "copied"
    DISABLED = "disabled"
    TAKEN = "taken"
    TOO_MANY = "too_many"


class PasskeyRefusedError(InviewError):
    """A passkey was not added, or signed nobody in."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Asked:
    """What the browser is asked: `options` of the Web Authentication API as JSON. `token` is for its cookie."""

    token: str = field(repr=False)
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewPasskey:
    """What a person calls a passkey, and what their browser answered, as JSON."""

    name: str
    answer: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer to a challenge, from a browser."""

    challenge: str
    assertion: Assertion
    device: Device


async def list_passkeys(wb: Workbench, person: Person) -> tuple[Passkey, ...]:
    """A person's passkeys, the oldest first."""
    async with wb.store.read() as session:
        return await passkeys.load_passkeys(session, person.id)


async def begin_adding(wb: Workbench, place: RelyingParty, person: Person) -> Asked:
    """Ask the browser of somebody who is signed in to make a passkey.

    Raises:
        PasskeyRefusedError: this person has as many as can be.
    """
    known = await list_passkeys(wb, person)
    if len(known) >= MAX_PASSKEYS:
        raise PasskeyRefusedError(Refusal.TOO_MANY)
    challenge = web_authentication.make_challenge()
    options = web_authentication.build_creation(place, person, challenge, known)
    return Asked(await open_step(wb, StepKind.NEW_PASSKEY, {"challenge": challenge}, person.id), options)


@shielded
async def finish_adding(wb: Workbench, place: RelyingParty, person: Person, token: str, made: NewPasskey) -> None:
    """Have the passkey that the browser made sign this person in.

    Raises:
        InputError: it has no name.
        PasskeyRefusedError: it was not proved to be the browser's answer to the challenge, or somebody has it.
    """
    name = clean_name(made.name)
    step = await take_step(wb, StepKind.NEW_PASSKEY, token)
    if step is None or step.person_id != person.id:
        raise PasskeyRefusedError(Refusal.LATE)
    try:
        key = web_authentication.read_creation(made.answer, place, step.data["challenge"])
    except UnprovedError as fault:
        raise _refuse(wb, person.id, Refusal.UNPROVED) from fault
    async with wb.store.write() as session:
        if await passkeys.find_passkey(session, key.credential_id) is not None:
            raise PasskeyRefusedError(Refusal.TAKEN)
        if await passkeys.count_passkeys(session, person.id) >= MAX_PASSKEYS:
            raise PasskeyRefusedError(Refusal.TOO_MANY)
        passkey = Passkey(
            new_id(), person.id, name, key.credential_id, key.public_key, key.sign_count, key.transports, now(), None
        )
        await passkeys.insert_passkey(session, passkey)
        await enter(session, AuditAction.PASSKEY_ADDED, ObjectKind.PERSON, person.id)


@shielded
async def rename(wb: Workbench, person: Person, passkey_id: str, name: str) -> None:
    """Give a passkey another name. One that is gone is left so.

    Raises:
        InputError: the name is none.
    """
    cleaned = clean_name(name)
    async with wb.store.write() as session:
        if await passkeys.rename_passkey(session, person.id, passkey_id, cleaned):
            await enter(session, AuditAction.PASSKEY_RENAMED, ObjectKind.PERSON, person.id)


@shielded
async def remove(wb: Workbench, person: Person, passkey_id: str) -> None:
    """Have a passkey sign this person in no more. They keep a password or an account at a provider."""
    async with wb.store.write() as session:
        if await passkeys.delete_passkey(session, person.id, passkey_id):
            await enter(session, AuditAction.PASSKEY_REMOVED, ObjectKind.PERSON, person.id)


async def begin_sign_in(wb: Workbench, place: RelyingParty) -> Asked:
    """Ask a browser for a passkey of whoever sits at it."""
    challenge = web_authentication.make_challenge()
    token = await open_step(wb, StepKind.PASSKEY, {"challenge": challenge})
    return Asked(token, web_authentication.build_request(place, challenge))


@shielded
async def finish_sign_in(wb: Workbench, place: RelyingParty, token: str, answer: str, device: Device) -> str:
    """Check what the browser answered and begin a session; return its token.

    Raises:
        PasskeyRefusedError: it signs nobody in.
        TooManyAttemptsError: too many attempts with this passkey or of this address failed.
    """
    step = await take_step(wb, StepKind.PASSKEY, token)
    if step is None:
        raise PasskeyRefusedError(Refusal.LATE)
    async with throttled("a passkey that nobody has", device.address):
        assertion, passkey = await _find(wb, answer)
    # Wrong passwords, which anybody can type for an account, do not keep its passkeys from opening it.
    async with throttled(f"passkey {passkey.id}", device.address):
        person = await _use(wb, place, Attempt(step.data["challenge"], assertion, device), passkey)
    return await begin_session(wb, person, device)


async def _find(wb: Workbench, answer: str) -> tuple[Assertion, Passkey]:
    try:
        assertion = web_authentication.read_assertion(answer)
    except UnprovedError as fault:
        raise _refuse(wb, "", Refusal.UNPROVED) from fault
    async with wb.store.read() as session:
        passkey = await passkeys.find_passkey(session, assertion.credential_id)
    if passkey is None:
        raise _refuse(wb, "", Refusal.UNKNOWN)
    return assertion, passkey


async def _use(wb: Workbench, place: RelyingParty, attempt: Attempt, passkey: Passkey) -> Person:
    try:
        count = web_authentication.check_assertion(attempt.assertion, place, attempt.challenge, passkey)
    except UnprovedError as fault:
        raise _refuse(wb, passkey.person_id, Refusal.UNPROVED) from fault
    at = now()
    used = AuditEntry(
        at,
        Actor(passkey.person_id, f"passkey {passkey.id}", attempt.device.address),
        AuditAction.PASSKEY_USED,
        ObjectKind.PERSON,
        passkey.person_id,
    )
    async with wb.store.write() as session:
        person = await people.load_person(session, passkey.person_id)
        fault = Refusal.DISABLED if person.disabled else None
        if fault is None and not await passkeys.use_passkey(session, passkey.id, count, at):
            fault = Refusal.COPIED
        if fault is None:
            await insert_entry(session, used)
    if fault is not None:
        raise _refuse(wb, person.id, fault)
    return person


def _refuse(wb: Workbench, person_id: str, refusal: Refusal) -> PasskeyRefusedError:
    """Enter that a passkey was refused, and return what to raise."""
    said = AuditEntry(
        now(), caller.actor(), AuditAction.PASSKEY_REFUSED, ObjectKind.PERSON, person_id, None, {"why": refusal.value}
    )
    note_entry(wb, said)
    return PasskeyRefusedError(refusal)
