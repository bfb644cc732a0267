from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ErrorClass, NotFoundError
from app.domain.tokens.calibration import Observation
from app.domain.usage import Usage
from app.store.conversation.conversations import delete_conversation_forever
from app.store.database.database import Store
from app.store.ledger.ledger import (
    ENTRY,
    CountedRequest,
    EndedCall,
    insert_calls,
    insert_missing_calls,
    load_calls,
    load_observations,
    on_account,
)
from app.store.ledger.rollups import find_faults
from app.store.run.snapshots import Snapshot, delete_snapshots, load_snapshot, save_snapshot
from tests.store.values import OWNER, START, a_conversation, a_pair_of, save_conversation

CALL = EndedCall(
    id="l1",
    owner=OWNER,
    conversation_id="c1",
    pair_id="c1-1",
    run_id="r1",
    attempt=1,
    model="offline:demo",
    outcome=Lifecycle.SUCCEEDED,
    started_at=START,
    ended_at=START,
    usage=Usage(1, 2, 3, 4, 5, 6),
)
FAILED = replace(CALL, id="l0", attempt=2, outcome=Lifecycle.ERROR, error_class=ErrorClass.RATE, usage=None)

COUNT = replace(CALL, id="asked", run_id="r3", purpose="count", usage=None)


async def calls_of(store: Store, conversation_id: str = "c1") -> tuple[EndedCall, ...]:
    async with store.read() as session:
        return await load_calls(session, OWNER, conversation_id)


async def test_calls_are_read_back_unchanged_and_unreported_is_not_zero(store: Store) -> None:
    async with store.write() as session:
        await insert_calls(session, [CALL, FAILED])
        await insert_calls(session, [])

    assert await calls_of(store) == (FAILED, CALL)


async def test_the_ledger_outlives_the_conversation_and_all_else_goes_with_it(store: Store) -> None:
    await save_conversation(store, a_conversation(), *(a_pair_of("c1", place) for place in (1, 2, 3)))
    async with store.write() as session:
        await insert_calls(session, [CALL])

    async with store.write() as session:
        await delete_conversation_forever(session, OWNER, "c1")

    assert await calls_of(store) == (CALL,)
    async with store.read() as session:
        for table in ("conversation", "pair", "message", "run", "snapshot"):
            assert (await session.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0


async def test_a_call_is_entered_once(store: Store) -> None:
    async with store.write() as session:
        await insert_calls(session, [CALL])

    with pytest.raises(IntegrityError):
        async with store.write() as session:
            await insert_calls(session, [replace(CALL, id="l9")])
    async with store.write() as session:
        await insert_missing_calls(session, [replace(CALL, id="l9"), FAILED])
        await insert_missing_calls(session, [])

    assert await calls_of(store) == (FAILED, CALL)
    async with store.read() as session:
        assert await find_faults(session) == ()  # a call that was there is not added to the sums again


async def test_missing_calls_of_several_runs_are_entered_together(store: Store) -> None:
    other = replace(CALL, id="l2", run_id="r2", conversation_id="c2")
    async with store.write() as session:
        await insert_calls(session, [CALL])

    async with store.write() as session:
        await insert_missing_calls(session, [replace(CALL, id="l9"), other, FAILED])
    with pytest.raises(IntegrityError):  # the id of a call is never used for another call
        async with store.write() as session:
            await insert_missing_calls(session, [replace(CALL, run_id="r3")])

    assert (await calls_of(store), await calls_of(store, "c2")) == ((FAILED, CALL), (other,))
    async with store.read() as session:
        assert await find_faults(session) == ()


async def test_a_snapshot_is_kept_to_the_byte_and_replaced_by_a_newer_one(store: Store) -> None:
    await save_conversation(store, a_conversation(), a_pair_of("c1", 1))
    first = Snapshot("c1-1", "r1", "offline:demo", "hash", "http://x/v1", (("A", "b"), ("A", "c")), b"\x00\xff", START)
    second = replace(first, run_id="r2", body=b"{}")

    async with store.write() as session:
        await save_snapshot(session, OWNER, first)
        assert await load_snapshot(session, OWNER, "c1-1") == first
        await save_snapshot(session, OWNER, second)
        assert await load_snapshot(session, OWNER, "c1-1") == second
        with pytest.raises(NotFoundError):
            await load_snapshot(session, "bob", "c1-1")
        await delete_snapshots(session, ("c1-1",))
        with pytest.raises(NotFoundError):
            await load_snapshot(session, OWNER, "c1-1")


async def test_observations_are_estimated_and_reported_counts_newest_first(store: Store) -> None:
    counted = CountedRequest(counted_text=100, counted_messages=3, estimated_tokens=130)
    calls = [
        replace(CALL, id="old", run_id="r1", counted=counted),
        replace(CALL, id="new", run_id="r2", started_at=START + timedelta(1), counted=counted, conversation_id="c2"),
        replace(COUNT, started_at=START + timedelta(2), counted=counted),
        replace(CALL, id="with images", run_id="r4", counted=CountedRequest(None, None, 9)),
        replace(FAILED, id="failed", run_id="r5", counted=counted),
        replace(CALL, id="another model", run_id="r6", model="offline:tiny", counted=counted),
        replace(CALL, id="somebody else", run_id="r7", owner="other", counted=counted),
    ]
    async with store.write() as session:
        await insert_calls(session, calls)

    async with store.read() as session:
        observations = await load_observations(session, OWNER, "offline:demo", "c2")

    prompt = 1 + 3 + 4 + 5
    assert observations == (
        Observation(100, 3, 130),
        Observation(100, 3, prompt, here=True),
        Observation(100, 3, prompt),
    )


async def test_calls_of_a_conversation_are_found_without_reading_all_calls_of_the_owner(store: Store) -> None:
    query = select(ENTRY).where(on_account("me", "c1")).compile(compile_kwargs={"literal_binds": True})
    async with store.read() as session:
        connection = await session.connection()
        steps = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")
        plan = [row["detail"] for row in steps.mappings()]

    assert [step for step in plan if "owner" in step or "SCAN" in step] == []
    assert any("ix_ledger_account_id" in step for step in plan)
