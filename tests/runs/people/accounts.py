"""Persons for tests, without a password: hashing one takes a fifth of a second."""

from __future__ import annotations

from app.domain.people.people import Device, Person, Role
from app.runs.people.sessions import begin_session, find_session
from app.runs.process.ids import now
from app.runs.workbench import Workbench
from app.store.people.people import insert_person


async def a_person(wb: Workbench, name: str, role: Role = Role.MEMBER, password_hash: str = "") -> Person:
    """Store a person whose id is their name."""
    made = Person(name, name, f"{name}@example.org", role, disabled=False, created_at=now())
    async with wb.store.write() as session:
        await insert_person(session, made, password_hash)
    return made


async def a_session(wb: Workbench, whose: Person, agent: str = "") -> str:
    """Begin a session of this person; its id."""
    found = await find_session(wb, await begin_session(wb, whose, Device(agent, "127.0.0.1")))
    assert found is not None
    return found.session_id
