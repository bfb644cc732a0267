"""The lists of conversations by what they are: each has what it should, is counted, and is found by an index."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event

from app.domain.conversation.conversation import ConversationKind, Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.tools.permission_requests import PermissionRequest
from app.store.conversation.conversations import list_conversations, update_conversation
from app.store.conversation.wanted import MAX_COUNTED, Wanted, count_listed
from app.store.database.database import Store
from app.store.tools.permissions import insert_request
from tests.store.values import OWNER, START, a_conversation, a_pair_of, save_conversation

LISTS = {
    "unread": Wanted(unread=True),
    "running": Wanted(running=True),
    "waiting": Wanted(waiting=True),
    "failed": Wanted(failed=True),
    "pinned": Wanted(pinned=True),
    "imported": Wanted(imported=True),
}


def a_failed_pair(conversation_id: str, position: int) -> Pair:
    return replace(a_pair_of(conversation_id, position, reply=None), lifecycle=Lifecycle.ERROR)


def a_request(conversation_id: str) -> PermissionRequest:
    """A call that waits for an answer there."""
    return PermissionRequest(
        id="q1",
        conversation_id=conversation_id,
        shown_in=conversation_id,
        run_id="r1",
        pair_id="p1",
        tool_call_id="t1",
        server_id="s1",
        server_name="Files",
        tool_name="write",
        name="files__write",
        title="Write",
        description="",
        input_schema_json="{}",
        fingerprint="f",
        input_json="{}",
        asked_at=START,
        expires_at=START,
    )


@pytest.fixture
async def filled(store: Store) -> Store:
    """A conversation for each list, named like it, and some that are like others only at first sight."""
    for minute, name in enumerate(("plain", "unread", "waiting", "pinned", "imported")):
        await save_conversation(store, a_conversation(name, minute=minute), a_pair_of(name, 1))
    running = replace(a_pair_of("running", 1), lifecycle=Lifecycle.AWAITING)
    await save_conversation(store, a_conversation("running", minute=10), running)
    await save_conversation(
        store, a_conversation("failed", minute=11), a_pair_of("failed", 1), a_failed_pair("failed", 2)
    )
    await save_conversation(
        store, a_conversation("mended", minute=12), a_failed_pair("mended", 1), a_pair_of("mended", 2)
    )
    await save_conversation(store, a_conversation("bob's", owner="bob", minute=13), a_failed_pair("bob's", 1))
    await save_conversation(store, a_conversation("deleted", minute=14), a_failed_pair("deleted", 1))
    async with store.write() as session:
        for name, changes in {
            "unread": {"unread": True},
            "pinned": {"pinned": True},
            "imported": {"imported_from": "chatgpt", "imported_at": START},
            "deleted": {"deleted_at": START, "unread": True, "pinned": True},
        }.items():
            await update_conversation(session, OWNER, name, changes)
        await insert_request(session, OWNER, a_request("waiting"))
    return store


async def names(store: Store, wanted: Wanted) -> list[str]:
    async with store.read() as session:
        found = await list_conversations(session, OWNER, limit=100, wanted=wanted)
    return [one.conversation.id for one in found]


@pytest.mark.parametrize("name", LISTS)
async def test_a_list_has_what_is_so_and_its_opposite_all_the_rest(filled: Store, name: str) -> None:
    rest = await names(filled, replace(Wanted(), **{name: False}))

    assert await names(filled, LISTS[name]) == [name]
    assert sorted([name, *rest]) == sorted(await names(filled, Wanted()))


async def test_what_failed_is_listed_from_the_newest_on_and_cut_after_that(store: Store) -> None:
    for number in range(5):
        await save_conversation(store, a_conversation(f"c{number}", minute=number), a_failed_pair(f"c{number}", 1))

    async with store.read() as session:
        found = await list_conversations(session, OWNER, limit=2, wanted=Wanted(failed=True))

    assert [(one.conversation.id, one.failed) for one in found] == [("c4", True), ("c3", True)]


async def test_lists_are_counted_up_to_a_bound(store: Store, filled: Store) -> None:
    async with filled.read() as session:
        assert await count_listed(session, OWNER, LISTS) == dict.fromkeys(LISTS, 1)
    for number in range(MAX_COUNTED + 5):
        await save_conversation(store, a_conversation(f"c{number}"))
    async with store.read() as session:
        assert await count_listed(session, OWNER, {"all": Wanted()}) == {"all": MAX_COUNTED}


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("unread", "ix_conversation_unread"),
        ("pinned", "ix_conversation_pinned"),
        ("imported", "ix_conversation_imported"),
        ("running", "uq_pair_running"),
        ("waiting", "ix_permission_request_pending"),
        ("failed", "ix_pair_failed"),
    ],
)
async def test_a_list_is_found_by_its_index_however_many_conversations_there_are(
    store: Store, name: str, index: str
) -> None:
    wanted = replace(LISTS[name], kind=ConversationKind.AGENT)
    asked: list[tuple[str, Any]] = []
    event.listen(store.engine.sync_engine, "before_cursor_execute", lambda *args: asked.append((args[2], args[3])))
    async with store.read() as session:
        await list_conversations(session, OWNER, limit=50, wanted=wanted)
        await count_listed(session, OWNER, {name: wanted})
        connection = await session.connection()
        plans = [
            (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values)).all()
            for query, values in tuple(asked)
        ]

    assert len(plans) == 2
    for plan in plans:
        assert any(index in step.detail for step in plan)
        assert not [step.detail for step in plan if step.detail.startswith("SCAN conversation")]
        assert not [step.detail for step in plan if "ix_conversation_owner_updated_at_id" in step.detail]
