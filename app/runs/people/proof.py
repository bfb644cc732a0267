"""Asks for the password or a code again before a person changes how they sign in: an open browser is not enough.

await prove(wb, session_id, password)          # counts for ten minutes
person = await require_proof(wb, session_id)   # raises NotProvedError

Who has no password (they came by a provider) has to have signed in within the last ten minutes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from app.domain.errors import InviewError
from app.domain.people.people import Person
from app.runs.people.passwords import is_password
from app.runs.people.sessions import WrongPasswordError, read_session, throttled
from app.runs.process.ids import now
from app.runs.workbench import Workbench
from app.store.people import people

PROOF_LIFE: Final = timedelta(minutes=10)


class NotProvedError(InviewError):
    """The person of this session has to prove first that it is them."""

    def __init__(self, *, has_password: bool) -> None:
        super().__init__("Type your password first." if has_password else "Sign out and in again first.")
        self.has_password = has_password


async def require_proof(wb: Workbench, session_id: str) -> Person:
    """Return whose session this is, if they proved within the last ten minutes that it is them.

    Raises:
        NotProvedError: they did not, or the session is not valid any more.
    """
    since = now() - PROOF_LIFE
    signed_in = await read_session(wb, session_id)
    if signed_in is None:
        raise NotProvedError(has_password=False)
    async with wb.store.read() as session:
        found = await people.find_by_email(session, signed_in.person.email)
        began_at, proved_at = await people.load_proof(session, session_id)
    has_password = found is not None and found[1] != ""
    proof = proved_at if has_password else began_at
    if proof is None or proof < since:
        raise NotProvedError(has_password=has_password)
    return signed_in.person


async def prove(wb: Workbench, session_id: str, password: str) -> None:
    """Check the password of the person whose session this is.

    Raises:
        WrongPasswordError: it is another.
        NotProvedError: the session is not valid any more.
        TooManyAttemptsError: too many attempts of this account failed.
    """
    signed_in = await read_session(wb, session_id)
    if signed_in is None:
        raise NotProvedError(has_password=False)
    email = signed_in.person.email
    async with throttled(email, f"session {session_id}"):
        async with wb.store.read() as session:
            found = await people.find_by_email(session, email)
        if found is None or not await is_password(password, found[1]):
            raise WrongPasswordError("This is not your password.")
    async with wb.store.write() as session:
        await people.set_proved(session, session_id, now())
