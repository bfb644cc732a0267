"""One-time links: the first start makes the owner, an invitation a person, a reset a new password.

link = await first_link(wb)                          # the path to print; None: there is an owner already
path = await invite(wb, Role.MEMBER)                 # "/welcome?key=…", told once
person = await accept(wb, token, NewPerson(…))
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import (
    INVITATION_LIFE,
    TOKEN_BYTES,
    Invitation,
    Person,
    Role,
    clean_email,
    clean_name,
    hash_token,
    require_password,
)
from app.runs.people.audit import enter
from app.runs.people.passwords import hash_password
from app.runs.process.ids import new_id, now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.store.database.database import Store
from app.store.people import identities, passkeys, people, second_steps

WELCOME: Final = "/welcome"


@dataclass(frozen=True, slots=True)
class NewPerson:
    """What somebody types who follows a link. For a reset only the password counts."""

    name: str
    email: str
    password: str


async def has_owner(wb: Workbench) -> bool:
    """Return whether the owner's account was made."""
    async with wb.store.read() as session:
        return await people.count_owners(session) > 0


async def first_link(wb: Workbench) -> str | None:
    """Return the path that makes the owner's account. It replaces an earlier one. None if there is an owner."""
    if await has_owner(wb):
        return None
    async with wb.store.write() as session:
        await people.delete_invitations_for_owners(session)
    return await invite(wb.store, Role.OWNER)


async def invite(store: Store, role: Role, person_id: str | None = None) -> str:
    """Make a one-time link and return its path: for a new person with this role, or for a person's new password."""
    async with store.write() as session:
        return await insert_link(session, role, person_id)


async def insert_link(session: AsyncSession, role: Role, person_id: str | None = None) -> str:
    """The same within a transaction."""
    token, at = secrets.token_urlsafe(TOKEN_BYTES), now()
    invitation = Invitation(new_id(), role, person_id, at + INVITATION_LIFE)
    await people.insert_invitation(session, invitation, hash_token(token), at)
    if person_id is None:
        await enter(session, AuditAction.PERSON_INVITED, ObjectKind.INVITATION, invitation.id, role=role)
    else:
        await enter(session, AuditAction.PERSON_RESET, ObjectKind.PERSON, person_id)
    return f"{WELCOME}?key={token}"


async def read_invitation(wb: Workbench, token: str) -> Invitation:
    """Return what a link is for.

    Raises:
        NotFoundError: it was used, has expired, or never was.
    """
    async with wb.store.read() as session:
        found = await people.find_invitation(session, hash_token(token), now())
    if found is None:
        raise NotFoundError("invitation", "this link")
    return found


async def accept(wb: Workbench, token: str, typed: NewPerson) -> Person:
    """Carry out what a link is for; it works once. The first owner gets what the local owner had.

    Raises:
        NotFoundError: the link was used, has expired, or never was.
        InputError: name, address or password cannot be used.
        ConflictError: another person has this address.
    """
    invitation = await read_invitation(wb, token)
    require_password(typed.password)
    if invitation.person_id is not None:
        return await _reset(wb, invitation, invitation.person_id, typed.password)
    person = Person(
        new_id(), clean_name(typed.name), clean_email(typed.email), invitation.role, disabled=False, created_at=now()
    )
    hashed = await hash_password(typed.password)
    async with wb.store.write() as session:
        return await insert_invited(session, invitation, person, hashed)


async def insert_invited(session: AsyncSession, invitation: Invitation, person: Person, password_hash: str) -> Person:
    """Use an invitation up and keep the new person. The first owner gets what the local owner had.

    Raises:
        NotFoundError: the link was used meanwhile.
        ConflictError: another person has this address.
    """
    await require_free(session, person.email)
    if not await people.take_invitation(session, invitation.id):
        raise NotFoundError("invitation", "this link")
    if invitation.role is Role.OWNER and await people.count_owners(session) == 0:
        person = replace(person, id=LOCAL_OWNER)
    await people.insert_person(session, person, password_hash)
    await enter(session, AuditAction.PERSON_JOINED, ObjectKind.PERSON, person.id, role=person.role)
    return person


async def require_free(session: AsyncSession, email: str) -> None:
    """Refuse an e-mail address that somebody has.

    Raises:
        ConflictError: somebody has it.
    """
    if await people.find_by_email(session, email) is not None:
        raise ConflictError("Another person has this e-mail address. Sign in, or use another address.")


async def _reset(wb: Workbench, invitation: Invitation, person_id: str, password: str) -> Person:
    hashed = await hash_password(password)
    async with wb.store.write() as session:
        if not await people.take_invitation(session, invitation.id):
            raise NotFoundError("invitation", "this link")
        await people.set_password_hash(session, person_id, hashed)
        await second_steps.delete_second_step(session, person_id)
        await identities.delete_all_linked(session, person_id)
        await passkeys.delete_all_passkeys(session, person_id)
        await people.revoke_sessions_of(session, person_id, now())
        await enter(session, AuditAction.PASSWORD_CHANGED, ObjectKind.PERSON, person_id)
        found = {person.id: person for person in await people.load_people(session)}.get(person_id)
    if found is None:
        raise InputError("link", "belongs to a person who does not exist any more.")
    return found
