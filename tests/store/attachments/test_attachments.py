"""Bytes are stored once per owner, and deleted with the last conversation that uses them."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from app.domain.attachments import attachments as domain
from app.domain.attachments.attachments import MAX_BYTES, Attachment
from app.domain.errors import InputError, NotFoundError
from app.store.attachments import attachments
from app.store.attachments.attachments import keep_attachments, load_attachment, load_attachments
from app.store.attachments.rows_attachment import ATTACHMENT, ATTACHMENT_USE
from app.store.conversation.conversations import delete_conversation_forever
from app.store.database.database import Store
from tests.store.values import OWNER, START, a_conversation, save_conversation

HELLO = Attachment("text/plain", b"Hello", "hello.txt")
OTHER = Attachment("text/plain", b"Other")


async def keep(store: Store, conversation_id: str, *some: Attachment, owner: str = OWNER) -> None:
    async with store.write() as session:
        await keep_attachments(session, owner, conversation_id, some, START)


async def count(store: Store, table: object = ATTACHMENT) -> int:
    async with store.read() as session:
        return (await session.execute(select(func.count()).select_from(table))).scalar_one()  # pyright: ignore[reportArgumentType] - either of two tables


async def test_the_same_bytes_are_stored_once_per_owner(store: Store) -> None:
    await save_conversation(store, a_conversation("c1"))
    await save_conversation(store, a_conversation("c2"))
    await save_conversation(store, a_conversation("b1", owner="bob"))

    await keep(store, "c1", HELLO, HELLO, OTHER)
    await keep(store, "c1", HELLO)
    await keep(store, "c2", HELLO)
    await keep(store, "b1", HELLO, owner="bob")

    assert await count(store) == 3
    assert await count(store, ATTACHMENT_USE) == 4
    async with store.read() as session:
        assert await load_attachment(session, OWNER, HELLO.id) == HELLO
        assert await load_attachments(session, OWNER, [HELLO.id, "0" * 64]) == {HELLO.id: b"Hello"}
        with pytest.raises(NotFoundError):
            await load_attachment(session, "bob", OTHER.id)


async def test_bytes_go_with_the_last_conversation_that_uses_them(store: Store) -> None:
    await save_conversation(store, a_conversation("c1"))
    await save_conversation(store, a_conversation("c2"))
    await keep(store, "c1", HELLO, OTHER)
    await keep(store, "c2", HELLO)

    async with store.write() as session:
        await delete_conversation_forever(session, OWNER, "c1")
    async with store.read() as session:
        left = await load_attachments(session, OWNER, [HELLO.id, OTHER.id])
    async with store.write() as session:
        await delete_conversation_forever(session, OWNER, "c2")

    assert left == {HELLO.id: b"Hello"}
    assert await count(store) == await count(store, ATTACHMENT_USE) == 0


async def test_what_is_too_large_is_refused_and_nothing_of_it_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save_conversation(store, a_conversation("c1"))
    monkeypatch.setattr(attachments, "MAX_BYTES_TOGETHER", 8)

    with pytest.raises(InputError, match=r"10\.0 MiB\. The maximum is 10"):
        await keep(store, "c1", HELLO, Attachment("", bytes(MAX_BYTES + 1)))
    await keep(store, "c1", HELLO)
    with pytest.raises(InputError, match="Start another"):
        await keep(store, "c1", OTHER)

    assert domain.MAX_BYTES_TOGETHER > 8
    assert await count(store) == 1
