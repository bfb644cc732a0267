"""Conversations that are shared with persons: who reads what, who copies, and what others see: nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from app.domain.people.audit_actions import AuditAction
from app.domain.people.people import Role
from app.domain.sharing.grants import Access
from app.runs.caller import acting_as
from app.runs.library.trash import restore
from app.runs.people.administration import delete_person
from app.runs.send.commands import create_conversation, delete_conversation, start_reply
from app.runs.send.intents import NewSend
from app.runs.temporary import create_temporary
from app.runs.transfer.grants import (
    copy_granted,
    end_access,
    give_access,
    list_access,
    list_granted,
    list_people,
    read_granted,
)
from app.runs.watch.broadcast import follow
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench, bench_of
from app.store.archive import load_places
from app.store.audit.rows_audit import AUDIT
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs_by_id
from app.store.ledger.rows_ledger import LEDGER
from tests.runs.people.accounts import a_person
from tests.runs.steps import settings_of

SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture
async def wb(data: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(replace(settings_of(data), accounts=True)) as opened:
        for name, role in (("olga", Role.OWNER), ("ann", Role.MEMBER), ("ben", Role.MEMBER), ("eve", Role.ADMIN)):
            await a_person(opened, name, role)
        yield opened


async def say(wb: Workbench, who: str, conversation_id: str, text: str) -> None:
    started = await start_reply(wb, who, NewSend(conversation_id, text))
    async for _ in follow(wb, who, started.run_id):
        pass


async def a_conversation(wb: Workbench, *texts: str) -> str:
    made = await create_conversation(wb, "ann", title="Garden", model="offline:demo", system_prompt="Be brief.")
    for text in texts or ("/echo Roses",):
        await say(wb, "ann", made.id, text)
    return made.id


async def words_of(wb: Workbench, who: str, conversation_id: str) -> list[tuple[str, str]]:
    async with wb.store.read() as session:
        ids = [place.pair_id for place in await load_places(session, who, conversation_id)]
        pairs = await load_pairs_by_id(session, who, tuple(ids))
    return [(plain_text(pair.request.parts), plain_text(pair.reply.parts if pair.reply else ())) for pair in pairs]


async def audited(wb: Workbench, action: AuditAction) -> list[tuple[str, str]]:
    await wb.trail.enter(wb.store)
    async with wb.store.read() as session:
        rows = await session.execute(select(AUDIT.c.person, AUDIT.c.subject).where(AUDIT.c.action == action))
    return [(row.person, row.subject) for row in rows]


async def test_who_has_access_reads_the_conversation_as_it_is_then(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    grant = await give_access(wb, "ann", conversation_id, "ben", Access.READ)
    await say(wb, "ann", conversation_id, f"/echo Later {SECRET}")

    (granted,) = await list_granted(wb, "ben")
    reading = await read_granted(wb, "ben", grant.id)

    assert (granted.grant, granted.title) == (grant, "Garden")
    assert (reading.by, reading.shown.pairs) == ("ann", 2)
    assert "Roses" in reading.shown.page
    assert "Later" in reading.shown.page
    assert "Be brief." in reading.shown.page
    assert "Shared by ann" in reading.shown.page
    assert SECRET not in reading.shown.page


@pytest.mark.parametrize("who", ["ann", "eve", "olga", "nobody"])
async def test_for_everybody_else_there_is_no_grant(wb: Workbench, who: str) -> None:
    conversation_id = await a_conversation(wb)
    grant = await give_access(wb, "ann", conversation_id, "ben", Access.CONTINUE)

    assert await list_granted(wb, who) == ()
    for attempt in (read_granted(wb, who, grant.id), copy_granted(wb, who, grant.id)):
        with pytest.raises(NotFoundError):
            await attempt
    if who != "ann":
        for attempt in (
            end_access(wb, who, grant.id),
            list_access(wb, who, conversation_id),
            give_access(wb, who, conversation_id, "ben", Access.READ),
        ):
            with pytest.raises(NotFoundError):
                await attempt
    assert await list_access(wb, "ann", conversation_id) == (grant,)


async def test_access_gives_nothing_else_of_the_conversation(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    await give_access(wb, "ann", conversation_id, "ben", Access.CONTINUE)

    async with wb.store.read() as session:
        with pytest.raises(NotFoundError):
            await load_conversation(session, "ben", conversation_id)
    with pytest.raises(NotFoundError):
        await start_reply(wb, "ben", NewSend(conversation_id, "Hello"))


async def test_a_copy_is_the_readers_own_and_paid_by_them(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb, "/echo Roses", f"/echo Lilies {SECRET}")
    grant = await give_access(wb, "ann", conversation_id, "ben", Access.CONTINUE)

    copied = await copy_granted(wb, "ben", grant.id)
    await say(wb, "ben", copied.id, "/echo Tulips")

    assert (copied.title, copied.pair_count) == ("Garden", 2)
    (first, second, third) = await words_of(wb, "ben", copied.id)
    assert (first, third[1]) == (("/echo Roses", "Roses"), "Tulips")
    assert SECRET not in "".join(second)
    assert len(await words_of(wb, "ann", conversation_id)) == 2
    async with wb.store.read() as session:
        assert (await load_conversation(session, "ben", copied.id)).system_prompt == "Be brief."
        paid = await session.execute(select(LEDGER.c.owner).where(LEDGER.c.conversation_id == copied.id))
        assert set(paid.scalars()) == {"ben"}
    assert await audited(wb, AuditAction.GRANT_MADE)
    with pytest.raises(NotFoundError):
        await give_access(wb, "ann", copied.id, "eve", Access.READ)


async def test_what_is_shared_for_reading_is_not_copied(wb: Workbench) -> None:
    grant = await give_access(wb, "ann", await a_conversation(wb), "ben", Access.READ)

    with pytest.raises(ForbiddenError):
        await copy_granted(wb, "ben", grant.id)

    again = await give_access(wb, "ann", grant.conversation_id, "ben", Access.CONTINUE)
    assert (again.id, again.access) == (grant.id, Access.CONTINUE)
    assert await copy_granted(wb, "ben", grant.id)


@pytest.mark.parametrize("who", ["ann", "ben"])
async def test_owner_and_reader_can_end_it_and_a_copy_stays(wb: Workbench, who: str) -> None:
    conversation_id = await a_conversation(wb)
    grant = await give_access(wb, "ann", conversation_id, "ben", Access.CONTINUE)
    copied = await copy_granted(wb, "ben", grant.id)

    await end_access(wb, who, grant.id)

    assert await list_granted(wb, "ben") == ()
    assert await list_access(wb, "ann", conversation_id) == ()
    with pytest.raises(NotFoundError):
        await read_granted(wb, "ben", grant.id)
    assert await words_of(wb, "ben", copied.id) == [("/echo Roses", "Roses")]


async def test_a_conversation_in_the_trash_cannot_be_read_until_it_is_restored(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    grant = await give_access(wb, "ann", conversation_id, "ben", Access.READ)
    await delete_conversation(wb, "ann", conversation_id)

    assert await list_granted(wb, "ben") == ()
    with pytest.raises(NotFoundError):
        await read_granted(wb, "ben", grant.id)

    await restore(wb, "ann", conversation_id)
    assert (await read_granted(wb, "ben", grant.id)).shown.pairs == 1


async def test_it_goes_with_either_of_the_two_persons(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    await give_access(wb, "ann", conversation_id, "ben", Access.READ)
    await give_access(wb, "ann", conversation_id, "eve", Access.READ)

    await delete_person(wb, "olga", "ben", "ben")
    assert [grant.person_id for grant in await list_access(wb, "ann", conversation_id)] == ["eve"]

    await delete_person(wb, "olga", "ann", "ann")
    assert await list_granted(wb, "eve") == ()


async def test_it_is_shared_with_persons_of_the_installation_alone(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)

    assert await list_people(wb, "ann") == {"olga": "olga", "ben": "ben", "eve": "eve"}
    for person_id in ("ann", "nobody", ""):
        with pytest.raises(InputError, match="nobody"):
            await give_access(wb, "ann", conversation_id, person_id, Access.READ)


async def test_the_audit_trail_says_who_shared_read_copied_and_ended(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    with acting_as("ann"):
        grant = await give_access(wb, "ann", conversation_id, "ben", Access.CONTINUE)
    with acting_as("ben"):
        await read_granted(wb, "ben", grant.id)
        await copy_granted(wb, "ben", grant.id)
        await end_access(wb, "ben", grant.id)

    steps = ("GRANT_MADE", "CONVERSATION_READ", "GRANT_COPIED", "GRANT_REVOKED")
    for action in (AuditAction[step] for step in steps):
        assert [subject for _, subject in await audited(wb, action)] == [conversation_id]


async def test_a_temporary_conversation_is_not_shared(wb: Workbench) -> None:
    conversation = await create_temporary(wb, "ann")

    with pytest.raises(ConflictError, match="temporary"):
        await give_access(await bench_of(wb, conversation.id), "ann", conversation.id, "ben", Access.READ)
