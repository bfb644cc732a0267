from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import delete, text, update
from sqlalchemy.exc import IntegrityError

from app.domain.people.audit import Actor, AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.store.audit.entries import AuditFilter, insert_entry, list_entries
from app.store.audit.integrity import ChainReport, check_audit
from app.store.audit.rows_audit import AUDIT, AUDIT_NOTE
from app.store.audit.trail import Trail, ask
from app.store.database.database import Store
from tests.databases import write_past_rules

AT = datetime(2026, 11, 23, 12, 0, 0, 123456, tzinfo=UTC)
ANN = Actor("ann", "session s1", "203.0.113.7")
SENT = AuditEntry(
    AT, ANN, AuditAction.MESSAGE_SENT, ObjectKind.CONVERSATION, "c1", "c1", {"through": "x", "words": "no"}
)


async def enter(store: Store, *entries: AuditEntry) -> None:
    async with store.write() as session:
        for entry in entries:
            await insert_entry(session, entry)


async def check(store: Store) -> ChainReport:
    async with store.read() as session:
        return await check_audit(session)


async def test_entry_is_read_as_it_was_written_and_its_note_is_apart(store: Store) -> None:
    await enter(store, SENT)

    async with store.read() as session:
        (found,) = await list_entries(session, AuditFilter(), limit=9)
        (row,) = (await session.execute(text("SELECT * FROM audit"))).all()
    assert found.entry == SENT
    assert "203.0.113.7" not in str(row)
    assert "words" not in str(row)


async def test_filters_name_person_action_group_object_and_dates(store: Store) -> None:
    later = replace(SENT, at=AT.replace(year=2027), actor=Actor("mia"), action=AuditAction.SHARE_MADE, subject="c2")
    await enter(store, SENT, later)

    async def found(wanted: AuditFilter) -> list[str]:
        async with store.read() as session:
            return [one.entry.subject for one in await list_entries(session, wanted, limit=9)]

    assert await found(AuditFilter()) == ["c2", "c1"]
    assert await found(AuditFilter(person="mia")) == ["c2"]
    assert await found(AuditFilter(action="share")) == await found(AuditFilter(action="share.made")) == ["c2"]
    assert await found(AuditFilter(subject="c2")) == ["c2"]
    assert await found(AuditFilter(until=AT.replace(year=2027))) == ["c1"]
    assert await found(AuditFilter(since=AT.replace(year=2027))) == ["c2"]


async def test_database_refuses_to_change_or_delete_an_entry(store: Store) -> None:
    await enter(store, SENT)

    for table in (AUDIT, AUDIT_NOTE):
        for statement in (update(table).values(data={}), delete(table)):
            with pytest.raises(IntegrityError, match=r"a row of the audit trail is never (changed|deleted)"):
                async with store.write() as session:
                    await session.execute(statement)


async def test_whole_chain_is_found_whole(store: Store) -> None:
    await enter(store, *(replace(SENT, subject=f"c{number}") for number in range(5)))

    report = await check(store)

    assert (report.count, report.faults) == (5, ())


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE audit SET person = 'mia' WHERE id = 3", "Entry 3 does not follow entry 2: it was changed"),
        ("UPDATE audit SET at = '2026-11-23 12:00:00.123457' WHERE id = 1", "Entry 1 does not follow the beginning"),
        ("UPDATE audit SET data = '{}' WHERE id = 4", "Entry 4 does not follow entry 3"),
        ("UPDATE audit SET data = 'x' WHERE id = 4", "Entry 4 does not follow entry 3"),
        ("DELETE FROM audit WHERE id = 2", "Entry 3 does not follow entry 1"),
        ("DELETE FROM audit WHERE id >= 4", "Entry 4 and what came after it, up to 5, was deleted"),
        ("UPDATE audit_note SET data = '{}' WHERE entry_id = 2", "The note of entry 2 was changed"),
        ("DELETE FROM audit_note WHERE entry_id = 2", "The note of entry 2 is missing"),
    ],
)
async def test_first_broken_link_is_named(store: Store, url: str, statement: str, said: str) -> None:
    await enter(store, *(replace(SENT, subject=f"c{number}") for number in range(5)))

    write_past_rules(url, statement)

    faults = (await check(store)).faults
    assert [fault for fault in faults if said in fault], faults
    assert sum("is missing from the database" in fault for fault in faults) == 4
    assert len(faults) == 5


async def test_hundred_writers_at_once_make_one_chain(store: Store) -> None:
    trail = Trail()
    store.companions.append(trail)

    async def write(number: int) -> None:
        entry = replace(SENT, subject=f"c{number}")
        match number % 3:
            case 0:
                await enter(store, entry)
            case 1:
                ask(entry, trail)
                async with store.write():
                    pass
            case _:
                trail.note(entry)
                await trail.enter(store)

    await asyncio.gather(*(asyncio.create_task(write(number)) for number in range(100)))

    assert (await check(store)).faults == ()
    async with store.read() as session:
        listed = await list_entries(session, AuditFilter(), limit=200)
    assert {one.entry.subject for one in listed} == {f"c{number}" for number in range(100)}
    assert [one.number for one in listed] == list(range(100, 0, -1))


async def test_entry_of_a_transaction_that_is_not_committed_waits_for_the_next(store: Store) -> None:
    trail = Trail()
    store.companions.append(trail)
    asked = ask(SENT, trail)
    trail.note(replace(SENT, subject="noted"))

    async def fail() -> None:
        async with store.write() as session:
            await insert_entry(session, SENT)
            await session.execute(delete(AUDIT))

    with pytest.raises(IntegrityError):
        await fail()

    assert not asked.entered
    assert (await check(store)).count == 0
    async with store.write():
        pass
    async with store.read() as session:
        listed = await list_entries(session, AuditFilter(), limit=9)
    assert [one.entry.subject for one in listed] == ["c1", "noted"]
    assert asked.entered
    assert trail.is_empty


async def test_reading_of_what_is_not_the_readers_is_entered_as_not_found(store: Store) -> None:
    trail = Trail()
    store.companions.append(trail)
    trail.note(replace(SENT, action=AuditAction.CONVERSATION_READ))
    await trail.enter(store)

    async with store.read() as session:
        (found,) = await list_entries(session, AuditFilter(), limit=9)
    assert found.entry.data["outcome"] == "not found"
