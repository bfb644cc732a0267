"""Queries of persons, sessions and one-time links."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.domain.people.people import (
    SESSION_LIFE,
    Device,
    Invitation,
    Member,
    OpenSession,
    Person,
    Role,
    SignedIn,
)
from app.store.database.mapping import Columns
from app.store.people.rows_people import INVITATION, PERSON, SESSION

_SHOWN = tuple(column for column in PERSON.c if column.name != "password_hash")


async def insert_person(session: AsyncSession, person: Person, password_hash: str) -> None:
    """Keep a new person."""
    await session.execute(insert(PERSON).values(**asdict(person), password_hash=password_hash))


async def count_owners(session: AsyncSession) -> int:
    """How many persons have the role of an owner."""
    query = select(func.count()).select_from(PERSON).where(PERSON.c.role == Role.OWNER.value)
    return (await session.execute(query)).scalar_one()


async def load_people(session: AsyncSession) -> tuple[Person, ...]:
    """Everybody, who came first first."""
    rows = (await session.execute(select(*_SHOWN).order_by(PERSON.c.created_at, PERSON.c.id))).mappings()
    return tuple(map(_decode, rows))


async def load_members(session: AsyncSession) -> tuple[Member, ...]:
    """Everybody, who came first first, with when each last used a session."""
    used = select(SESSION.c.person_id, func.max(SESSION.c.used_at).label("used_at")).group_by(SESSION.c.person_id)
    last = used.subquery()
    query = (
        select(*_SHOWN, last.c.used_at)
        .outerjoin(last, last.c.person_id == PERSON.c.id)
        .order_by(PERSON.c.created_at, PERSON.c.id)
    )
    rows = (await session.execute(query)).mappings()
    return tuple(Member(_decode(row), row["used_at"]) for row in rows)


async def load_person(session: AsyncSession, person_id: str) -> Person:
    """The person with this id.

    Raises:
        NotFoundError: there is none.
    """
    row = (await session.execute(select(*_SHOWN).where(PERSON.c.id == person_id))).mappings().one_or_none()
    if row is None:
        raise NotFoundError("person", person_id)
    return _decode(row)


async def load_administrators(session: AsyncSession) -> frozenset[str]:
    """The ids of those who administer the installation and can sign in."""
    roles = [role.value for role in Role if role.administers]
    query = select(PERSON.c.id).where(PERSON.c.role.in_(roles), PERSON.c.disabled.is_(False))
    return frozenset((await session.execute(query)).scalars())


async def find_by_email(session: AsyncSession, email: str) -> tuple[Person, str] | None:
    """The person with this address and the hash of their password."""
    row = (await session.execute(select(PERSON).where(PERSON.c.email == email))).mappings().one_or_none()
    return None if row is None else (_decode(row), row["password_hash"])


async def set_password_hash(session: AsyncSession, person_id: str, password_hash: str) -> None:
    """Replace the hash of a person's password."""
    await session.execute(update(PERSON).where(PERSON.c.id == person_id).values(password_hash=password_hash))


async def set_disabled(session: AsyncSession, person_id: str, *, disabled: bool) -> None:
    """Keep a person from signing in, or let them in again."""
    await session.execute(update(PERSON).where(PERSON.c.id == person_id).values(disabled=disabled))


async def set_name(session: AsyncSession, person_id: str, name: str) -> None:
    """Replace a person's name."""
    await session.execute(update(PERSON).where(PERSON.c.id == person_id).values(name=name))


async def set_role(session: AsyncSession, person_id: str, role: Role) -> None:
    """Give a person another role."""
    await session.execute(update(PERSON).where(PERSON.c.id == person_id).values(role=role.value))


async def delete_person(session: AsyncSession, person_id: str) -> None:
    """Delete a person with their sessions and links. What they own has to be deleted before (`belongings.py`)."""
    await session.execute(delete(PERSON).where(PERSON.c.id == person_id))


async def insert_session(session: AsyncSession, signed_in: SignedIn, token_hash: str, device: Device) -> None:
    """Keep a new session."""
    await session.execute(
        insert(SESSION).values(
            id=signed_in.session_id,
            person_id=signed_in.person.id,
            token_hash=token_hash,
            created_at=signed_in.used_at,
            used_at=signed_in.used_at,
            agent=device.agent,
            address=device.address,
            revoked_at=None,
            proved_at=None,
        )
    )


async def find_session(session: AsyncSession, at: datetime, *, token_hash: str) -> SignedIn | None:
    """The valid session of a token."""
    return await _find(session, (SESSION.c.token_hash == token_hash) & _valid(at))


async def load_session(session: AsyncSession, at: datetime, session_id: str) -> SignedIn | None:
    """The session with this id, if it is valid."""
    return await _find(session, (SESSION.c.id == session_id) & _valid(at))


async def load_proof(session: AsyncSession, session_id: str) -> tuple[datetime, datetime | None]:
    """When a session began, and when its person last proved to be this one."""
    query = select(SESSION.c.created_at, SESSION.c.proved_at).where(SESSION.c.id == session_id)
    began_at, proved_at = (await session.execute(query)).one()
    return began_at, proved_at


async def set_proved(session: AsyncSession, session_id: str, at: datetime) -> None:
    """Note that the person of a session proved to be this one."""
    await session.execute(update(SESSION).where(SESSION.c.id == session_id).values(proved_at=at))


async def list_valid(session: AsyncSession, at: datetime, session_ids: Collection[str]) -> frozenset[str]:
    """Which of these sessions are valid."""
    query = select(SESSION.c.id).join(PERSON).where(SESSION.c.id.in_(session_ids) & _valid(at))
    return frozenset((await session.execute(query)).scalars())


async def load_sessions_of(session: AsyncSession, person_id: str, at: datetime) -> tuple[OpenSession, ...]:
    """The valid sessions of a person, the one used last first."""
    query = (
        select(SESSION)
        .join(PERSON)
        .where((SESSION.c.person_id == person_id) & _valid(at))
        .order_by(SESSION.c.used_at.desc(), SESSION.c.id)
    )
    rows = (await session.execute(query)).mappings()
    return tuple(
        OpenSession(row["id"], Device(row["agent"], row["address"]), row["created_at"], row["used_at"]) for row in rows
    )


async def touch_session(session: AsyncSession, session_id: str, at: datetime) -> None:
    """Note that a session was used."""
    await session.execute(update(SESSION).where(SESSION.c.id == session_id).values(used_at=at))


async def revoke_session(session: AsyncSession, session_id: str, at: datetime) -> None:
    """End a session."""
    await session.execute(
        update(SESSION).where(SESSION.c.id == session_id, SESSION.c.revoked_at.is_(None)).values(revoked_at=at)
    )


async def revoke_own_session(session: AsyncSession, person_id: str, session_id: str, at: datetime) -> None:
    """End a session of this person. Nothing happens if it is another person's or over."""
    await session.execute(
        update(SESSION)
        .where(SESSION.c.id == session_id, SESSION.c.person_id == person_id, SESSION.c.revoked_at.is_(None))
        .values(revoked_at=at)
    )


async def revoke_sessions_of(session: AsyncSession, person_id: str, at: datetime, *, but: str | None = None) -> None:
    """End all sessions of a person. `but` is the id of one that stays."""
    await session.execute(
        update(SESSION)
        .where(SESSION.c.person_id == person_id, SESSION.c.revoked_at.is_(None), SESSION.c.id != (but or ""))
        .values(revoked_at=at)
    )


async def insert_invitation(session: AsyncSession, invitation: Invitation, token_hash: str, at: datetime) -> None:
    """Keep a new one-time link."""
    await session.execute(insert(INVITATION).values(**asdict(invitation), token_hash=token_hash, created_at=at))


async def find_invitation(session: AsyncSession, token_hash: str, at: datetime) -> Invitation | None:
    """The invitation of a token, if it was not used and has not expired."""
    query = select(INVITATION).where(INVITATION.c.token_hash == token_hash, INVITATION.c.expires_at > at)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        return None
    return Invitation(row["id"], Role(row["role"]), row["person_id"], row["expires_at"])


async def take_invitation(session: AsyncSession, invitation_id: str) -> bool:
    """Delete a one-time link; False: somebody else was faster."""
    gone = await session.execute(delete(INVITATION).where(INVITATION.c.id == invitation_id).returning(INVITATION.c.id))
    return gone.one_or_none() is not None


async def load_open_invitations(session: AsyncSession, at: datetime) -> tuple[Invitation, ...]:
    """The links that make a new person and have not been used, the newest first."""
    query = (
        select(INVITATION)
        .where(INVITATION.c.person_id.is_(None), INVITATION.c.expires_at > at)
        .order_by(INVITATION.c.created_at.desc(), INVITATION.c.id)
    )
    rows = (await session.execute(query)).mappings()
    return tuple(Invitation(row["id"], Role(row["role"]), None, row["expires_at"]) for row in rows)


async def delete_resets_of(session: AsyncSession, person_id: str) -> None:
    """Delete the links that set this person's password."""
    await session.execute(delete(INVITATION).where(INVITATION.c.person_id == person_id))


async def delete_invitations_for_owners(session: AsyncSession) -> None:
    """Delete the links that make an owner: a new first-start link replaces the one before."""
    await session.execute(
        delete(INVITATION).where(INVITATION.c.role == Role.OWNER.value, INVITATION.c.person_id.is_(None))
    )


async def delete_links(session: AsyncSession, invitations: Collection[str], reset: Collection[str]) -> None:
    """Delete the one-time links with these ids, and those that set the passwords of these persons."""
    await session.execute(
        delete(INVITATION).where(INVITATION.c.id.in_(invitations) | INVITATION.c.person_id.in_(reset))
    )


def _valid(at: datetime) -> ColumnElement[bool]:
    return SESSION.c.revoked_at.is_(None) & (SESSION.c.used_at > at - SESSION_LIFE) & PERSON.c.disabled.is_(False)


async def _find(session: AsyncSession, condition: ColumnElement[bool]) -> SignedIn | None:
    query = select(SESSION.c.id.label("session_id"), SESSION.c.used_at, *_SHOWN).join(PERSON).where(condition)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        return None
    return SignedIn(row["session_id"], _decode(row), row["used_at"])


def _decode(row: Columns) -> Person:
    return Person(row["id"], row["name"], row["email"], Role(row["role"]), row["disabled"], row["created_at"])
