from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError
from structlog.testing import capture_logs

from app.domain.attachments.attachments import list_attachments
from app.domain.conversation.conversation import Effort, Mark, Pair, Parameters
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Part
from app.domain.errors import NotFoundError
from app.store.conversation.pairs import Tail, insert_pair, load_pair, load_pairs, load_pairs_by_id, load_tail
from app.store.database.database import Store
from tests.effort import examples
from tests.store import values
from tests.store.values import OWNER, a_conversation, a_pair_of, save_conversation


async def save_numbered(store: Store, count: int) -> None:
    await save_conversation(store, a_conversation(), *(a_pair_of("c1", place + 1) for place in range(count)))


def positions(pairs: tuple[Pair, ...]) -> list[int]:
    return [pair.position for pair in pairs]


async def test_a_pair_is_read_back_unchanged(store: Store) -> None:
    pair = replace(
        a_pair_of("c1", 1),
        agent_id="a1",
        topic="AI > Planning",
        stars=3,
        flagged=True,
        mark=Mark.OUT,
        lifecycle=Lifecycle.CANCELED,
        parameters=Parameters(0.5, 1.0, 100, 7, Effort.HIGH, thinking=False),
    )
    await save_conversation(store, a_conversation(), pair)

    async with store.read() as session:
        assert await load_pair(session, OWNER, pair.id) == pair


@given(request=values.st.lists(values.parts, max_size=3).map(tuple), reply=values.st.lists(values.parts, max_size=3))
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_parts_come_back_from_the_database(
    store: Store, request: tuple[Part, ...], reply: list[Part]
) -> None:
    pair = a_pair_of("any", 1)
    assert pair.reply is not None
    pair = replace(pair, request=replace(pair.request, parts=request), reply=replace(pair.reply, parts=tuple(reply)))
    async with store.write() as session:
        await session.execute(text("DELETE FROM conversation"))
    await save_conversation(store, a_conversation("any"), pair)

    async with store.read() as session:
        (found,) = await load_pairs(session, OWNER, "any")
    assert replace(found, damage=()) == pair
    assert {one.row_id for one in found.damage} == set(list_attachments(pair))  # none of them is stored


async def test_the_window_is_the_newest_pairs_oldest_first(store: Store) -> None:
    await save_numbered(store, 50)

    async with store.read() as session:
        assert positions(await load_pairs(session, OWNER, "c1")) == list(range(21, 51))
        assert positions(await load_pairs(session, OWNER, "c1", limit=2)) == [49, 50]


async def test_windows_on_both_sides_of_a_position_join_without_gap_or_overlap(store: Store) -> None:
    await save_numbered(store, 50)

    async with store.read() as session:
        above = await load_pairs(session, OWNER, "c1", before_position=21)
        below = await load_pairs(session, OWNER, "c1", after_position=20, limit=5)
        between = await load_pairs(session, OWNER, "c1", after_position=10, before_position=13)

    assert positions(above) == list(range(1, 21))
    assert positions(below) == [21, 22, 23, 24, 25]
    assert positions(between) == [11, 12]


async def test_a_window_is_found_by_the_index_however_long_the_conversation(store: Store) -> None:
    query = "SELECT id FROM pair WHERE conversation_id = 'c1' AND position < 9000 ORDER BY position DESC LIMIT 30"
    async with store.read() as session:
        plan = [row[3] for row in await session.execute(text(f"EXPLAIN QUERY PLAN {query}"))]

    assert len(plan) == 1
    assert "SEARCH pair USING" in plan[0]
    assert "(conversation_id=? AND position<?)" in plan[0]


async def test_each_damaged_value_of_a_history_is_logged_once(store: Store) -> None:
    await save_conversation(store, a_conversation("logged"), *(a_pair_of("logged", place) for place in (1, 2, 3)))
    async with store.write() as session:
        await session.execute(text("UPDATE message SET parts = '[{' WHERE id = 'logged-1-answered'"))
        await session.execute(text("UPDATE pair SET stars = 'many' WHERE id = 'logged-3'"))

    with capture_logs() as logged:
        for _ in range(2):
            async with store.read() as session:
                assert positions(await load_pairs(session, OWNER, "logged")) == [1, 2, 3]

    assert {(one["event"], one["log_level"]) for one in logged} == {
        ("a stored piece cannot be read; the rest is shown", "error")
    }
    found = sorted((one["table"], one["row_id"], one["column"], bool(one["reason"])) for one in logged)
    assert found == [("message", "logged-1-answered", "parts", True), ("pair", "logged-3", "stars", True)]


async def test_another_owner_sees_no_pair(store: Store) -> None:
    await save_numbered(store, 1)

    async with store.read() as session:
        assert await load_pairs(session, "bob", "c1") == ()
        assert await load_pairs_by_id(session, "bob", ("c1-1",)) == ()
        with pytest.raises(NotFoundError):
            await load_pair(session, "bob", "c1-1")


async def test_pairs_are_found_by_id_in_order(store: Store) -> None:
    await save_numbered(store, 3)

    async with store.read() as session:
        assert positions(await load_pairs_by_id(session, OWNER, ("c1-3", "gone", "c1-1"))) == [1, 3]


async def test_a_position_is_taken_once(store: Store) -> None:
    await save_numbered(store, 2)

    with pytest.raises(IntegrityError):
        async with store.write() as session:
            await insert_pair(session, OWNER, replace(a_pair_of("c1", 9), position=2), 3)


async def test_the_tail_is_the_newest_position_and_what_is_running(store: Store) -> None:
    await save_numbered(store, 2)
    await save_conversation(store, a_conversation("c2"), replace(a_pair_of("c2", 7), lifecycle=Lifecycle.AWAITING))

    async with store.read() as session:
        assert await load_tail(session, "c1") == Tail(2, None)
        assert await load_tail(session, "c2") == Tail(7, "c2-7")
        assert await load_tail(session, "empty") == Tail(0, None)


async def test_the_tail_is_found_by_indexes_however_long_the_conversation(store: Store) -> None:
    asked: list[tuple[str, Any]] = []
    event.listen(store.engine.sync_engine, "before_cursor_execute", lambda *args: asked.append((args[2], args[3])))
    async with store.read() as session:
        await load_tail(session, "c1")
        query, values = asked[-1]
        connection = await session.connection()
        steps = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values)
        plan = [row["detail"] for row in steps.mappings()]

    assert [step for step in plan if "SCAN pair" in step] == []
    assert any("uq_pair_running" in step for step in plan)


@pytest.mark.parametrize("first", [Lifecycle.SENDING, Lifecycle.AWAITING])
@pytest.mark.parametrize("second", [Lifecycle.SENDING, Lifecycle.AWAITING])
async def test_the_database_itself_lets_one_pair_of_a_conversation_run(
    store: Store, first: Lifecycle, second: Lifecycle
) -> None:
    await save_conversation(store, a_conversation("other"), replace(a_pair_of("other", 1), lifecycle=first))
    await save_conversation(store, a_conversation(), a_pair_of("c1", 1), replace(a_pair_of("c1", 2), lifecycle=first))

    with pytest.raises(IntegrityError):
        async with store.write() as session:
            await insert_pair(session, OWNER, replace(a_pair_of("c1", 3), lifecycle=second), 4)
