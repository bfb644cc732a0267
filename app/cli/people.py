"""`inview user …`: manage people, on the machine that the database is on.

Everything is a one-time link, so no password is ever typed into a shell.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import InputError, NotFoundError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import Person, Role, clean_email
from app.runs.people import administration
from app.runs.people.audit import enter
from app.runs.people.welcome import invite
from app.runs.process.ids import now
from app.runs.transfer.exports.person_archive import Progress, write_archive
from app.settings import Settings
from app.store.database.database import Store, open_store
from app.store.people import people


async def make_invitation(settings: Settings, role: Role) -> str:
    """Return the path of a one-time link that makes a person with this role."""
    async with open_store(settings.database_url) as store:
        return await invite(store, role)


async def make_reset(settings: Settings, email: str) -> str:
    """Return the path of a one-time link that sets a person's password.

    Raises:
        NotFoundError: nobody has this address.
    """
    async with open_store(settings.database_url) as store:
        person = await _read(store, email)
        return await invite(store, person.role, person.id)


async def sign_out_everywhere(settings: Settings, email: str) -> None:
    """End all sessions of a person; a running server notices within a second.

    Raises:
        NotFoundError: nobody has this address.
    """
    async with open_store(settings.database_url) as store, store.write() as session:
        person = await _find(session, email)
        await people.revoke_sessions_of(session, person.id, now())
        await enter(session, AuditAction.PERSON_SIGNED_OUT, ObjectKind.PERSON, person.id)


async def set_disabled(settings: Settings, email: str, *, disabled: bool) -> None:
    """Keep a person from using the installation, or let them in again; what they have open ends within a second.

    Raises:
        NotFoundError: nobody has this address.
        ConflictError: it is the last owner.
    """
    async with open_store(settings.database_url) as store:
        person = await _read(store, email)
        await administration.set_disabled(store, None, person.id, disabled=disabled)


async def change_role(settings: Settings, email: str, role: Role) -> None:
    """Give a person another role; it counts from their next event on.

    Raises:
        NotFoundError: nobody has this address.
        ConflictError: it is the last owner.
    """
    async with open_store(settings.database_url) as store:
        await administration.change_role(store, None, (await _read(store, email)).id, role)


async def find_person(settings: Settings, email: str) -> Person:
    """Return the person with this address.

    Raises:
        NotFoundError: nobody has this address.
    """
    async with open_store(settings.database_url) as store:
        return await _read(store, email)


async def delete_person(settings: Settings, person: Person) -> None:
    """Delete a person and all that is theirs but the ledger.

    Raises:
        ConflictError: it is the last owner, or a reply of theirs is running.
    """
    async with open_store(settings.database_url) as store:
        await administration.delete_with_belongings(store, settings.data_dir, None, person)


async def export_everything(settings: Settings, email: str, path: Path, progress: Progress) -> None:
    """Write everything about a person to a new archive.

    Raises:
        NotFoundError: nobody has this address.
        InputError: there is such a file already, or it cannot be made.
    """
    async with open_store(settings.database_url) as store:
        try:
            await write_archive(store, (await _read(store, email)).id, path, progress)
        except FileExistsError:
            raise InputError("file", "exists already. Name another one.") from None
        except OSError as error:
            raise InputError("file", f"cannot be written: {error.strerror}. Name another one.") from None


async def list_people(settings: Settings) -> tuple[Person, ...]:
    """Everybody who can sign in."""
    async with open_store(settings.database_url) as store, store.read() as session:
        return await people.load_people(session)


async def _read(store: Store, email: str) -> Person:
    async with store.read() as session:
        return await _find(session, email)


async def _find(session: AsyncSession, email: str) -> Person:
    found = await people.find_by_email(session, clean_email(email))
    if found is None:
        raise NotFoundError("person", email)
    return found[0]
