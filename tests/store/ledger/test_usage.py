"""Sums of the ledger: the stored sums equal the ledger, whatever was entered."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text, update
from sqlalchemy.exc import IntegrityError

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.costs import COUNT, is_cut_short
from app.domain.costs.prices import PROMPT_STEPS, day_part, size_class
from app.domain.errors import ErrorClass
from app.domain.usage import Usage
from app.store.database.database import Store, open_store
from app.store.ledger.ledger import EndedCall, insert_calls, sum_usage_by_model
from app.store.ledger.rollups import find_faults, rebuild_sums
from app.store.ledger.rows_ledger import USAGE_DAY
from app.store.ledger.usage import Apart, GroupBy, UsageQuery, sum_calls
from tests.databases import lay_database
from tests.effort import examples
from tests.store.values import OWNER, START, a_conversation, a_pair_of, save_conversation

EVERY_SIZE = tuple(range(1, len(PROMPT_STEPS) + 1))
MODELS = ("anthropic:a", "deepseek:d")
counters = st.integers(0, 3) | st.sampled_from(PROMPT_STEPS).flatmap(lambda step: st.integers(step - 1, step + 1))
usages = st.none() | st.builds(Usage, counters, counters, counters, counters, counters, counters)
instants = st.integers(0, 3 * 24 * 60).map(lambda minutes: START + timedelta(minutes=minutes))


@st.composite
def calls(draw: st.DrawFn) -> list[EndedCall]:
    count = draw(st.integers(0, 12))
    return [
        EndedCall(
            id=f"l{number}",
            owner=draw(st.sampled_from((OWNER, "bob"))),
            conversation_id=draw(st.sampled_from(("c1", "c2"))),
            pair_id="",
            run_id=f"r{number}",
            attempt=1,
            model=draw(st.sampled_from(MODELS)),
            outcome=draw(st.sampled_from((Lifecycle.SUCCEEDED, Lifecycle.ERROR, Lifecycle.CANCELED))),
            started_at=(at := draw(instants)),
            ended_at=at,
            error_class=draw(st.none() | st.sampled_from(ErrorClass)),
            usage=draw(usages),
            purpose=draw(st.sampled_from(("reply", "summary", "count"))),
        )
        for number in range(count)
    ]


def group_of(call: EndedCall, group_by: GroupBy) -> str:
    day = call.started_at.date().isoformat()
    groups = {"day": day, "month": day[:7], "model": call.model, "purpose": call.purpose, "agent": ""}
    return groups.get(group_by, call.conversation_id)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40), deadline=None)
@given(calls(), st.sampled_from(("day", "month", "model", "purpose", "agent", "conversation")), st.data())
def test_sums_are_what_the_ledger_says(
    tmp_path: Path, made: list[EndedCall], group_by: GroupBy, data: st.DataObject
) -> None:
    fine_models = data.draw(st.sampled_from(((), MODELS[1:], MODELS[:1])))
    apart = Apart((date(2026, 1, 2),), fine_models, (60,), (200_000,), EVERY_SIZE)
    asked = UsageQuery(
        first=data.draw(st.none() | st.just(date(2026, 1, 2))), account_id=data.draw(st.none() | st.just("c1"))
    )

    async def enter_and_ask() -> None:
        (tmp_path / "inview.db").unlink(missing_ok=True)
        async with open_store(f"sqlite+aiosqlite:///{lay_database(tmp_path)}") as store:
            async with store.write() as session:
                await insert_calls(session, made)
            async with store.read() as session:
                assert await find_faults(session) == ()
                found = await sum_calls(session, OWNER, asked, group_by, apart)

        expected: Counter[tuple[object, ...]] = Counter()
        cut: Counter[tuple[object, ...]] = Counter()
        usage: dict[tuple[object, ...], Usage] = {}
        for call in made:
            if call.owner != OWNER or (asked.first and call.started_at.date() < asked.first):
                continue
            if asked.account_id and call.conversation_id != asked.account_id:
                continue
            used = call.usage or Usage()
            fine = call.model in apart.models
            part = int(call.started_at.hour >= 1) if fine else day_part(call.model, call.started_at)
            size = int(used.prompt_tokens > 200_000) if fine else size_class(used.prompt_tokens)
            era = int(call.started_at.date() >= date(2026, 1, 2))
            place = (group_of(call, group_by), call.model, era, part, size)
            expected[place] += 1
            told = call.usage is not None
            cut[place] += call.purpose != COUNT and is_cut_short(call.outcome, call.error_class, reported=told)
            usage[place] = usage.get(place, Usage()) + used
        assert {tuple(one[:5]): one.calls for one in found} == expected
        assert {tuple(one[:5]): one.cut for one in found} == cut
        assert {tuple(one[:5]): one.usage for one in found} == usage

    asyncio.run(enter_and_ask())


CALL = EndedCall("l1", OWNER, "c1", "", "r1", 1, "offline:demo", Lifecycle.SUCCEEDED, START, START, usage=Usage(1, 2))


async def test_what_was_derived_goes_on_the_account_of_the_conversation_it_was_derived_for(store: Store) -> None:
    tool = replace(a_conversation("t1"), kind=ConversationKind.TOOL, parent_id="c1")
    fork = replace(a_conversation("f1"), parent_id="c1")
    for conversation in (a_conversation("c1"), tool, fork):
        await save_conversation(store, conversation)
    async with store.write() as session:
        await insert_calls(
            session, [CALL, replace(CALL, id="l2", run_id="r2", conversation_id="t1", purpose="summary")]
        )
        await insert_calls(session, [replace(CALL, id="l3", run_id="r3", conversation_id="f1")])

    async with store.read() as session:
        sums = await sum_calls(session, OWNER, UsageQuery(), "conversation")
        spent = [
            sum((await sum_usage_by_model(session, OWNER, conversation_id=one)).values(), start=Usage())
            for one in ("c1", "t1", "f1")
        ]

    assert {one.group: one.calls for one in sums} == {"c1": 2, "f1": 1}
    assert spent == [Usage(2, 4), Usage(1, 2), Usage(1, 2)]


async def test_a_call_is_that_of_the_agent_of_its_pair(store: Store) -> None:
    await save_conversation(store, a_conversation(), replace(a_pair_of("c1", 1), agent_id="a1"))
    async with store.write() as session:
        await insert_calls(session, [replace(CALL, pair_id="c1-1"), replace(CALL, id="l2", run_id="r2")])

    async with store.read() as session:
        sums = await sum_calls(session, OWNER, UsageQuery(), "agent")

    assert {one.group: one.calls for one in sums} == {"a1": 1, "": 1}


@pytest.mark.parametrize("statement", ["UPDATE ledger SET input_tokens = 0", "DELETE FROM ledger"])
async def test_the_database_refuses_to_change_or_delete_a_row_of_the_ledger(store: Store, statement: str) -> None:
    async with store.write() as session:
        await insert_calls(session, [CALL])

    with pytest.raises(IntegrityError, match="a row of the ledger is never"):
        async with store.write() as session:
            await session.execute(text(statement))


async def test_wrong_sums_are_found_and_computed_again(store: Store) -> None:
    async with store.write() as session:
        await insert_calls(session, [CALL])
        await session.execute(update(USAGE_DAY).values(input_tokens=99))
    async with store.read() as session:
        assert await find_faults(session) == (USAGE_DAY.name,)

    async with store.write() as session:
        await rebuild_sums(session)

    async with store.read() as session:
        assert await find_faults(session) == ()
        (one,) = await sum_calls(session, OWNER, UsageQuery(), "day")
    assert one.usage == Usage(1, 2)
