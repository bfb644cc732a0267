"""The access log: notes without a statement, written together, none lost when the process ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.event import listen
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from app.domain.audit import AuditAction
from app.domain.errors import StoreError
from app.runs.app_context import AppContext
from app.runs.audit import access_log
from app.runs.audit.access_log import MAX_WAITING, SAME_SECONDS, Access
from app.runs.audit.audit import read_audit
from app.runs.runtime.client import Client, serving
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.wiring import open_app_context
from app.store.audit.audit import AuditEntry
from app.store.database.database import Store
from tests.runs.steps import a_conversation, count_statements, reply_to, settings_of, until_quiet
from tests.waiting import until, until_found


def opened(conversation_id: str) -> Access:
    return Access(AuditAction.OPENED, conversation_id, conversation_id)


def read(subject: str, part: str = "pairs", conversation_id: str | None = None) -> Access:
    return Access(AuditAction.READ, subject, conversation_id or subject, part)


async def entries(ctx: AppContext, conversation_id: str) -> list[AuditEntry]:
    found = await read_audit(ctx.store, LOCAL_OWNER, limit=500)
    return [one for _, one in reversed(found) if one.subject == conversation_id and one.action != AuditAction.CREATED]


async def test_notes_need_no_statement_and_are_written_together_within_a_second(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx)
    statements = count_statements(ctx)

    for _ in range(3):
        ctx.accesses.note(LOCAL_OWNER, opened(conversation))
    await asyncio.sleep(0)
    assert statements == []

    async def found() -> bool:
        return len(await entries(ctx, conversation)) == 3

    await until_found(found)


async def test_one_transaction_writes_all_notes(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx)
    for _ in range(3):
        ctx.accesses.note(LOCAL_OWNER, opened(conversation))
    statements = count_statements(ctx)

    await ctx.accesses.flush()

    assert len([one for one in statements if one.startswith("INSERT")]) == 1
    assert len(await entries(ctx, conversation)) == 3


async def test_equal_reads_within_a_minute_are_one_entry(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    at = [1000.0]
    monkeypatch.setattr(access_log.time, "monotonic", lambda: at[0])
    one, other = await a_conversation(ctx), await a_conversation(ctx)

    for seconds in (0.0, 1.0, SAME_SECONDS - 2, 2.0):
        at[0] += seconds
        for _ in range(2):
            ctx.accesses.note(LOCAL_OWNER, read(one))
        ctx.accesses.note(LOCAL_OWNER, read(one, "history"))
        with serving(Client("192.0.2.7", "api")):
            ctx.accesses.note(LOCAL_OWNER, read(other))
        await ctx.accesses.flush()

    assert [entry.data["what"] for entry in await entries(ctx, one)] == ["pairs", "history"] * 2
    assert len(await entries(ctx, other)) == 2


async def test_notes_are_written_when_the_process_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_log, "WRITE_SECONDS", 3600.0)
    async with open_app_context(settings_of(tmp_path)) as ctx:
        conversation = await a_conversation(ctx)
        ctx.accesses.note(LOCAL_OWNER, opened(conversation))

    async with open_app_context(settings_of(tmp_path)) as ctx:
        assert [entry.action for entry in await entries(ctx, conversation)] == [AuditAction.OPENED]


async def test_notes_wait_while_the_database_cannot_be_written(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_log, "WRITE_SECONDS", 0.01)
    conversation = await a_conversation(ctx)
    write, faults = Store.write, [StoreError("The disk is full.")]

    @asynccontextmanager
    async def full(store: Store) -> AsyncGenerator[AsyncSession]:
        if faults:
            raise faults.pop()
        async with write(store) as session:
            yield session

    monkeypatch.setattr(Store, "write", full)
    with capture_logs() as logged:
        ctx.accesses.note(LOCAL_OWNER, opened(conversation))
        await until(lambda: not faults)
        await ctx.accesses.flush()

    assert len(await entries(ctx, conversation)) == 1
    assert [(one["log_level"], one["fault"]) for one in logged] == [("warning", "The disk is full.")]


async def test_the_number_of_waiting_notes_is_limited_and_a_lost_one_is_logged(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx)

    with capture_logs() as logged:
        for _ in range(MAX_WAITING + 1):
            ctx.accesses.note(LOCAL_OWNER, opened(conversation))

    assert [(one["log_level"], one["subject"]) for one in logged] == [("error", conversation)]


async def test_all_notes_that_may_wait_can_be_written_by_any_build_of_sqlite(ctx: AppContext) -> None:
    numbers = list[int]()

    def count(*execution: Any) -> None:
        *_, parameters, _, is_many = execution
        numbers.append(0 if is_many else len(parameters))

    listen(ctx.store.engine.sync_engine, "before_cursor_execute", count)
    for number in range(MAX_WAITING):
        ctx.accesses.note(LOCAL_OWNER, Access(AuditAction.READ, f"pair{number}", None, f"part{number}"))

    await ctx.accesses.flush()

    assert len(await read_audit(ctx.store, LOCAL_OWNER, limit=MAX_WAITING)) == MAX_WAITING
    assert max(numbers) <= 32_766  # the default of SQLite


async def test_an_address_that_no_database_can_store_does_not_end_the_log(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx)

    ctx.accesses.note(LOCAL_OWNER, opened("\ud800"))
    ctx.accesses.note(LOCAL_OWNER, opened("long" * 1000))
    ctx.accesses.note(LOCAL_OWNER, opened(conversation))
    await ctx.accesses.flush()

    found = await read_audit(ctx.store, LOCAL_OWNER, limit=9)
    assert [entry.subject for _, entry in found] == [conversation] * 2  # created, opened


async def test_the_conversation_of_a_pair_is_found_for_its_owner_only(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    ended = await reply_to(ctx, conversation, "/echo one")
    await until_quiet(ctx)

    def note(owner: str, subject: str) -> None:
        ctx.accesses.note(owner, Access(AuditAction.READ, subject, None, "raw"))

    for subject in (ended.pair.id, ended.pair.run_id or "", "gone"):
        note(LOCAL_OWNER, subject)
    note("other", ended.pair.id)
    await ctx.accesses.flush()

    async def named(owner: str) -> list[Any]:
        found = await read_audit(ctx.store, owner, limit=9)
        return [one.conversation_id for _, one in found if one.action == AuditAction.READ]

    # The reads of the pair and of its run are equal: both are the part "raw" of the conversation.
    assert await named(LOCAL_OWNER) == [None, conversation]
    assert await named("other") == [None]
