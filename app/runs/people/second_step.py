"""The second step of signing in: an authenticator app's code after the password, or a recovery code.

shown = await begin_enrolment(wb, person)                    # secret and address for the app
codes = await finish_enrolment(wb, person, shown.token, "287082")
token = await finish_sign_in(wb, step_token, "287082", device)
await turn_off(wb, person)

Sessions and API tokens that exist stay as they are.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import InviewError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import Device, Person
from app.runs.people.audit import enter, note
from app.runs.people.sessions import begin_session, throttled
from app.runs.people.steps import StepKind, open_step, read_step, take_step
from app.runs.people.time_codes import (
    build_uri,
    find_time_step,
    hash_recovery_code,
    make_recovery_codes,
    make_secret,
    show_secret,
)
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.people import people, second_steps


class WrongCodeError(InviewError):
    """The code is wrong, was used already, or belongs to another time."""

    def __init__(self) -> None:
        super().__init__("This code is wrong, or was used already.")


class StepOverError(InviewError):
    """What was under way has expired or is done: it begins again."""

    def __init__(self) -> None:
        super().__init__("It took too long. Begin again.")


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A secret that becomes the second step once a code of it was typed. `token` opens it in the same browser."""

    token: str
    secret: str = field(repr=False)
    uri: str = field(repr=False)


async def begin_enrolment(wb: Workbench, person: Person) -> Enrolment:
    """Make a secret for an authenticator app. Nothing is turned on yet."""
    secret = make_secret()
    token = await open_step(wb, StepKind.ENROLMENT, {"secret": b64encode(secret).decode()}, person.id)
    return _show(wb, person, token, secret)


async def read_enrolment(wb: Workbench, person: Person, token: str) -> Enrolment:
    """Return an enrolment once more: the code that was typed was wrong.

    Raises:
        StepOverError: it is over.
    """
    return _show(wb, person, token, await _read_secret(wb, person, token))


@shielded
async def finish_enrolment(wb: Workbench, person: Person, token: str, code: str) -> tuple[str, ...]:
    """Turn the second step on if this is a code of the secret; return the recovery codes, which are shown once.

    Raises:
        WrongCodeError: it is none.
        StepOverError: the enrolment is over.
        TooManyAttemptsError: too many attempts of this account failed.
    """
    secret = await _read_secret(wb, person, token)
    at = now()
    async with throttled(person.email, f"person {person.id}"):
        step = find_time_step(secret, code, at=at.timestamp(), after=0)
        if step is None:
            raise WrongCodeError
    if await take_step(wb, StepKind.ENROLMENT, token) is None:
        raise StepOverError
    sealed = wb.catalogue.cipher.encrypt(b64encode(secret).decode())
    async with wb.store.write() as session:
        await second_steps.save_second_step(session, person.id, sealed, step, at)
        await enter(session, AuditAction.SECOND_STEP_CHANGED, ObjectKind.PERSON, person.id, why="turned on")
        return await _renew_codes(session, person.id)


@shielded
async def renew_recovery_codes(wb: Workbench, person: Person) -> tuple[str, ...]:
    """Replace the recovery codes; return the new ones, which are shown once.

    Raises:
        StepOverError: the second step was turned off meanwhile.
    """
    async with wb.store.write() as session:
        if not await second_steps.has_second_step(session, person.id):
            raise StepOverError
        await enter(session, AuditAction.SECOND_STEP_CHANGED, ObjectKind.PERSON, person.id, why="new recovery codes")
        return await _renew_codes(session, person.id)


@shielded
async def turn_off(wb: Workbench, person: Person) -> None:
    """Ask this person for no code any more; their recovery codes go."""
    async with wb.store.write() as session:
        await second_steps.delete_second_step(session, person.id)
        await enter(session, AuditAction.SECOND_STEP_CHANGED, ObjectKind.PERSON, person.id, why="turned off")


async def count_codes(wb: Workbench, person: Person) -> int | None:
    """How many recovery codes a person has left; None: no second step."""
    async with wb.store.read() as session:
        if not await second_steps.has_second_step(session, person.id):
            return None
        return await second_steps.count_recovery_codes(session, person.id)


@shielded
async def finish_sign_in(wb: Workbench, token: str, code: str, device: Device) -> str:
    """Check the code of somebody whose password was right and begin a session; return its token.

    Raises:
        WrongCodeError: it is wrong, or was used already.
        StepOverError: the password was typed too long ago.
        TooManyAttemptsError: too many attempts of this account or address failed.
    """
    step = await read_step(wb, StepKind.CODE, token)
    if step is None or step.person_id is None:
        raise StepOverError
    async with wb.store.read() as session:
        person = await people.load_person(session, step.person_id)
    async with throttled(person.email, device.address):
        if person.disabled:
            raise WrongCodeError  # disabled since the password was typed
        if not await _use_code(wb, person.id, code):
            note(AuditAction.SIGN_IN_FAILED, ObjectKind.PERSON, person.id)
            raise WrongCodeError
    if await take_step(wb, StepKind.CODE, token) is None:
        raise StepOverError
    return await begin_session(wb, person, device)


async def _use_code(wb: Workbench, person_id: str, code: str) -> bool:
    async with wb.store.write() as session:
        found = await second_steps.load_secret(session, person_id)
        if found is None:
            return True  # turned off since the password was typed
        sealed, last = found
        if sealed is not None:
            secret = b64decode(wb.catalogue.cipher.decrypt(sealed))
            step = find_time_step(secret, code, at=now().timestamp(), after=last)
            if step is not None:
                return await second_steps.use_time_step(session, person_id, step)
        return await second_steps.use_recovery_code(session, person_id, hash_recovery_code(code))


async def _read_secret(wb: Workbench, person: Person, token: str) -> bytes:
    step = await read_step(wb, StepKind.ENROLMENT, token)
    if step is None or step.person_id != person.id:
        raise StepOverError
    return b64decode(step.data["secret"])


async def _renew_codes(session: AsyncSession, person_id: str) -> tuple[str, ...]:
    codes = make_recovery_codes()
    await second_steps.replace_recovery_codes(session, person_id, tuple(map(hash_recovery_code, codes)))
    return codes


def _show(wb: Workbench, person: Person, token: str, secret: bytes) -> Enrolment:
    host = urlsplit(wb.settings.address).netloc
    return Enrolment(token, show_secret(secret), build_uri(secret, person.email, host))
