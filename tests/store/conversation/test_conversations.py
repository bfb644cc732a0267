from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus, ToolMode
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import NotFoundError
from app.store.conversation.conversations import (
    delete_conversation_forever,
    insert_conversation,
    load_conversation,
    load_with_revision,
    next_revision,
    next_revisions,
    update_conversation,
)
from app.store.conversation.lists import Cursor, ListCriteria, describe_listed, list_conversations
from app.store.database.database import Store
from tests.store.values import OWNER, START, a_conversation, a_pair_of, save_conversation


async def listed(store: Store, owner: str = OWNER, **wanted: object) -> list[str]:
    async with store.read() as session:
        found = await list_conversations(session, owner, limit=100, criteria=ListCriteria(**wanted))  # pyright: ignore[reportArgumentType]
    return [one.conversation.id for one in found]


async def test_a_conversation_is_read_back_unchanged(store: Store) -> None:
    everything = Conversation(
        id="c1",
        owner=OWNER,
        created_at=START,
        updated_at=START + timedelta(microseconds=1),
        title="Ünïcödé 🎈",
        kind=ConversationKind.TOOL,
        status=ConversationStatus.FAILED,
        agent_id="a1",
        model="offline:demo",
        system_prompt="Be brief.\n",
        filter="s2",
        tool_mode=ToolMode.MANUAL,
        parent_id="c0",
        trigger_message_id="m0",
        temporary=True,
    )
    async with store.write() as session:
        await insert_conversation(session, everything)

    async with store.read() as session:
        assert await load_conversation(session, OWNER, "c1") == everything


async def test_another_owners_conversation_is_as_if_it_were_not_there(store: Store) -> None:
    await save_conversation(store, a_conversation("c1", owner="bob"))

    async with store.write() as session:
        for ask in (load_conversation, describe_listed, delete_conversation_forever):
            with pytest.raises(NotFoundError):
                await ask(session, OWNER, "c1")
        with pytest.raises(NotFoundError):
            await update_conversation(session, OWNER, "c1", {"title": "Mine"})

    assert await listed(store) == []
    assert await listed(store, "bob") == ["c1"]


async def test_the_conversation_changed_last_comes_first_with_its_count_and_newest_words(store: Store) -> None:
    old = replace(a_conversation("old", minute=1), title="Old")
    await save_conversation(store, old, a_pair_of("old", 1, "First words"), a_pair_of("old", 2, "Newest words"))
    await save_conversation(store, a_conversation("new", minute=2))

    async with store.read() as session:
        new, same_old = await list_conversations(session, OWNER, limit=10)
        alone = await describe_listed(session, OWNER, "old")

    assert (new.conversation.id, new.pair_count, new.snippet) == ("new", 0, "")
    assert (same_old.conversation, same_old.pair_count, same_old.snippet) == (old, 2, "Newest words")
    assert (new.opening, same_old.opening) == ("", "First words")
    assert alone == same_old


async def test_list_says_where_the_newest_pair_failed(store: Store) -> None:
    for name, ends in (
        ("failed", (Lifecycle.CANCELED, Lifecycle.ERROR)),
        ("mended", (Lifecycle.ERROR, Lifecycle.SUCCEEDED)),
        ("empty", ()),
    ):
        pairs = (replace(a_pair_of(name, position), lifecycle=end) for position, end in enumerate(ends, 1))
        await save_conversation(store, a_conversation(name), *pairs)

    async with store.read() as session:
        found = await list_conversations(session, OWNER, limit=10)

    assert {one.conversation.id: one.failed for one in found} == {"failed": True, "mended": False, "empty": False}


async def test_pages_of_a_list_hold_each_conversation_once(store: Store) -> None:
    # Some have the same time: then the id decides.
    for place in range(23):
        await save_conversation(store, a_conversation(f"c{place:02}", minute=place // 4))

    seen: list[str] = []
    cursor: Cursor | None = None
    while True:
        async with store.read() as session:
            page = await list_conversations(session, OWNER, limit=5, cursor=cursor)
        if not page:
            break
        seen += [one.conversation.id for one in page]
        cursor = Cursor(page[-1].conversation.updated_at, page[-1].conversation.id)

    assert seen == sorted(seen, reverse=True)
    assert len(seen) == 23


async def test_a_list_can_be_narrowed_to_kind_status_and_agent(store: Store) -> None:
    await save_conversation(store, a_conversation("plain"))
    await save_conversation(store, replace(a_conversation("tool"), kind=ConversationKind.TOOL, agent_id="a1"))
    await save_conversation(store, replace(a_conversation("failed"), status=ConversationStatus.FAILED))

    assert await listed(store, kind=ConversationKind.TOOL) == ["tool"]
    assert await listed(store, status=ConversationStatus.FAILED) == ["failed"]
    assert await listed(store, agent_id="a1") == ["tool"]


async def test_a_snippet_is_cut_in_the_database(store: Store) -> None:
    await save_conversation(store, a_conversation(), a_pair_of("c1", 1, "x" * 2_000_000))

    async with store.read() as session:
        assert len((await describe_listed(session, OWNER, "c1")).snippet) == 700


async def test_every_change_to_its_pairs_counts_a_revision(store: Store) -> None:
    await save_conversation(store, a_conversation(), a_pair_of("c1", 1), a_pair_of("c1", 2))

    async with store.read() as session:
        assert (await load_with_revision(session, OWNER, "c1"))[1] == 2


async def test_word_of_another_version_is_named_as_damage(store: Store) -> None:
    await save_conversation(store, a_conversation())
    async with store.write() as session:
        await update_conversation(session, OWNER, "c1", {"kind": "seance"})

    async with store.read() as session:
        (found,) = (await load_conversation(session, OWNER, "c1")).damage

    assert (found.table, found.row_id, found.column) == ("conversation", "c1", "kind")
    assert "has 'seance' as a ConversationKind" in found.reason


async def test_each_changed_conversation_gets_its_own_next_revision(store: Store) -> None:
    for conversation_id in ("c1", "c2", "c3"):
        await save_conversation(store, a_conversation(conversation_id))
    async with store.write() as session:
        assert await next_revision(session, "c2", None) == 1
        assert await next_revisions(session, {"c1", "c2"}, START + timedelta(hours=1)) == {"c1": 1, "c2": 2}
        with pytest.raises(NotFoundError):
            await next_revisions(session, ("c3", "gone"), None)
        with pytest.raises(NotFoundError):
            await next_revision(session, "gone", None)


async def test_a_missing_conversation_is_logged_and_one_of_another_owner_is_not(store: Store) -> None:
    await save_conversation(store, a_conversation("c1"))

    with capture_logs() as logged:
        for conversation_id, owner in (("nowhere", OWNER), ("c1", "bob")):
            async with store.read() as session:
                with pytest.raises(NotFoundError):
                    await load_conversation(session, owner, conversation_id)

    assert [(one["event"], one["log_level"], one["conversation_id"]) for one in logged] == [
        ("a conversation is missing", "warning", "nowhere")
    ]
