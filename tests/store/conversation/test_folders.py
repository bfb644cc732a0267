"""Folders in the store: the list by folder, effective folders, and owners."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.folders import Folder
from app.domain.errors import NotFoundError
from app.store.conversation.folders import (
    InFolders,
    insert_folder,
    list_in_folders,
    load_folder,
    load_folders,
    set_folder_deleted,
)
from app.store.conversation.lists import ListCriteria, describe_listed, list_conversations
from app.store.conversation.rows import CONVERSATION
from app.store.database.database import Store
from tests.store.values import OWNER, START, a_conversation, a_pair_of, save_conversation

CHATS = ListCriteria(kind=ConversationKind.AGENT)


async def save_folder(store: Store, folder_id: str, name: str, owner: str = OWNER) -> None:
    async with store.write() as session:
        await insert_folder(session, Folder(folder_id, owner, name, START, START))


async def save_filed(
    store: Store, conversation_id: str, folder_id: str | None, minute: int, owner: str = OWNER
) -> None:
    filed = replace(a_conversation(conversation_id, minute=minute, owner=owner), folder_id=folder_id)
    await save_conversation(store, filed, a_pair_of(conversation_id, 1, f"Words of {conversation_id}"))


async def listed(store: Store, *opened: str, limit: int = 10) -> InFolders:
    async with store.read() as session:
        return await list_in_folders(session, OWNER, limit=limit, criteria=CHATS, opened=opened)


def shown(found: InFolders) -> tuple[list[tuple[str, int]], list[str], dict[str, list[str]]]:
    return (
        [(one.folder.name, one.count) for one in found.folders],
        [one.conversation.id for one in found.rest],
        {folder_id: [one.conversation.id for one in rows] for folder_id, rows in found.filed.items()},
    )


async def test_the_list_has_the_folders_with_counts_the_rest_and_the_opened_folders(store: Store) -> None:
    for folder_id, name in (("f1", "work"), ("f2", "Home"), ("f3", "Zoo")):
        await save_folder(store, folder_id, name)
    for minute, (name, folder_id) in enumerate((("a", "f1"), ("b", None), ("c", "f1"), ("d", "f2"), ("e", None))):
        await save_filed(store, name, folder_id, minute)

    closed, opened = await listed(store), await listed(store, "f1", "f3")

    folders = [("Home", 1), ("work", 2), ("Zoo", 0)]
    assert shown(closed) == (folders, ["e", "b"], {})
    assert shown(opened) == (folders, ["e", "b"], {"f1": ["c", "a"]})
    assert opened.filed["f1"][0].snippet == "Words of c"
    assert opened.filed["f1"][0].pair_count == 1


async def test_each_folder_and_the_rest_have_one_row_more_than_the_limit(store: Store) -> None:
    await save_folder(store, "f1", "Work")
    await save_folder(store, "f2", "Home")
    for minute in range(4):
        for folder_id in (None, "f1", "f2"):
            await save_filed(store, f"{folder_id or 'none'}-{minute}", folder_id, minute)

    found = await listed(store, "f1", "f2", limit=2)

    _, rest, filed = shown(found)
    assert rest == ["none-3", "none-2", "none-1"]
    assert filed == {folder_id: [f"{folder_id}-{at}" for at in (3, 2, 1)] for folder_id in ("f1", "f2")}


async def test_folders_are_listed_when_no_conversation_is(store: Store) -> None:
    await save_folder(store, "f1", "Work")
    await save_filed(store, "a", "f1", 1)

    assert shown(await listed(store)) == ([("Work", 1)], [], {})


async def test_a_conversation_of_a_deleted_folder_is_in_no_folder_until_it_is_restored(store: Store) -> None:
    await save_folder(store, "f1", "Work")
    await save_filed(store, "a", "f1", 1)

    async with store.write() as session:
        await set_folder_deleted(session, OWNER, "f1", START)
        deleted = await describe_listed(session, OWNER, "a")
        with pytest.raises(NotFoundError):
            await load_folder(session, OWNER, "f1")
    assert shown(await listed(store, "f1")) == ([], ["a"], {})
    async with store.write() as session:
        await set_folder_deleted(session, OWNER, "f1", None)
        restored = await describe_listed(session, OWNER, "a")

    assert (deleted.conversation.folder_id, restored.conversation.folder_id) == (None, "f1")
    assert shown(await listed(store, "f1")) == ([("Work", 1)], [], {"f1": ["a"]})


async def test_another_owners_folder_is_as_if_it_were_not_there(store: Store) -> None:
    await save_folder(store, "f1", "Work", owner="bob")
    await save_filed(store, "theirs", "f1", 1, owner="bob")
    await save_filed(store, "mine", "f1", 1)

    async with store.write() as session:
        assert await load_folders(session, OWNER) == ()
        for refused in (load_folder(session, OWNER, "f1"), set_folder_deleted(session, OWNER, "f1", START)):
            with pytest.raises(NotFoundError):
                await refused
        (own,) = await load_folders(session, "bob")
    assert shown(await listed(store, "f1")) == ([], ["mine"], {})
    assert own.count == 1


async def test_a_list_can_be_narrowed_to_a_folder_or_to_no_folder(store: Store) -> None:
    await save_folder(store, "f1", "Work")
    await save_filed(store, "a", "f1", 1)
    await save_filed(store, "b", None, 2)
    await save_filed(store, "c", "gone", 3)

    async def narrowed(folder_id: str) -> list[str]:
        async with store.read() as session:
            criteria = ListCriteria(folder_id=folder_id)
            return [one.conversation.id for one in await list_conversations(session, OWNER, limit=9, criteria=criteria)]

    assert await narrowed("f1") == ["a"]
    assert await narrowed("") == ["c", "b"]
    assert await narrowed("gone") == []


async def test_the_count_leaves_out_the_trash(store: Store) -> None:
    await save_folder(store, "f1", "Work")
    for name in ("a", "b"):
        await save_filed(store, name, "f1", 1)
    async with store.write() as session:
        here = update(CONVERSATION).where(CONVERSATION.c.id == "a")
        await session.execute(here.values(deleted_at=START + timedelta(days=1)))
        assert (await load_folder(session, OWNER, "f1")).count == 1
    assert shown(await listed(store, "f1")) == ([("Work", 1)], [], {"f1": ["b"]})
