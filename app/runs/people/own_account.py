"""Commands on one's own account: name, password, and the sessions that are signed in.

await change_password(wb, session_id, old="…", new="…")      # ends the other sessions
sessions = await list_own_sessions(wb, caller())
await end_session(wb, caller(), session_id)

Not what others may do with it: `administration.py`.
"""

from __future__ import annotations

from app.domain.errors import NotFoundError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import OpenSession, clean_name, require_password
from app.runs.people.audit import enter
from app.runs.people.passwords import hash_password, is_password
from app.runs.people.sessions import WrongPasswordError, read_session, throttled
from app.runs.process.ids import now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.people import people


async def list_own_sessions(wb: Workbench, person_id: str) -> tuple[OpenSession, ...]:
    """The valid sessions of a person, the one used last first."""
    async with wb.store.read() as session:
        return await people.load_sessions_of(session, person_id, now())


@shielded
async def rename(wb: Workbench, person_id: str, name: str) -> str:
    """Give a person another name; return it as it is stored.

    Raises:
        InputError: it is empty, too long or has characters that do not show.
    """
    cleaned = clean_name(name)
    async with wb.store.write() as session:
        await people.set_name(session, person_id, cleaned)
    return cleaned


@shielded
async def change_password(wb: Workbench, session_id: str, old: str, new: str) -> None:
    """Replace the password of the person whose session this is. Their other sessions and reset links end.

    Raises:
        InputError: the new password is too short or too long.
        WrongPasswordError: the old password is another.
        TooManyAttemptsError: too many attempts of this account failed.
        NotFoundError: the session is not valid any more.
    """
    require_password(new)
    signed_in = await read_session(wb, session_id)
    if signed_in is None:
        raise NotFoundError("session", session_id)
    person = signed_in.person
    async with throttled(person.email, f"session {session_id}"):
        async with wb.store.read() as session:
            found = await people.find_by_email(session, person.email)
        if found is None or not await is_password(old, found[1]):
            raise WrongPasswordError("This is not your password.")
    hashed = await hash_password(new)
    async with wb.store.write() as session:
        await people.set_password_hash(session, person.id, hashed)
        await people.delete_resets_of(session, person.id)
        await people.revoke_sessions_of(session, person.id, now(), but=session_id)
        await enter(session, AuditAction.PASSWORD_CHANGED, ObjectKind.PERSON, person.id)


@shielded
async def end_session(wb: Workbench, person_id: str, session_id: str) -> None:
    """Sign a session of this person out. Nothing happens if it is over, or another person's."""
    async with wb.store.write() as session:
        await people.revoke_own_session(session, person_id, session_id, now())
        await enter(session, AuditAction.SESSION_REVOKED, ObjectKind.SESSION, session_id)


@shielded
async def end_other_sessions(wb: Workbench, person_id: str, session_id: str) -> None:
    """Sign all sessions of this person out but this one."""
    async with wb.store.write() as session:
        await people.revoke_sessions_of(session, person_id, now(), but=session_id)
        await enter(session, AuditAction.PERSON_SIGNED_OUT, ObjectKind.PERSON, person_id)
