"""Deliveries: found by their tab and id, and deleted when they are old, too many, or their conversation is deleted."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from app.store.conversation.conversations import delete_conversation_forever
from app.store.database.database import Store
from app.store.run import deliveries
from app.store.run.deliveries import KEPT, insert_delivery, load_delivery
from app.store.run.rows_delivery import DELIVERY
from tests.store.values import OWNER, START, a_conversation, save_conversation


async def deliver(
    store: Store, send_id: str, *, owner: str = OWNER, token: str = "tab", to: str = "c1", at: datetime = START
) -> None:
    async with store.write() as session:
        await insert_delivery(session, owner, token, send_id, to, at)


async def stored(store: Store) -> list[str]:
    async with store.read() as session:
        return list((await session.execute(select(DELIVERY.c.send_id).order_by(DELIVERY.c.send_id))).scalars())


async def test_a_delivery_is_found_by_its_owner_its_tab_and_its_id(store: Store) -> None:
    await save_conversation(store, a_conversation())
    await deliver(store, "1")

    async with store.read() as session:
        assert await load_delivery(session, OWNER, "tab", "1") == "c1"
        others = [("bob", "tab", "1"), (OWNER, "other tab", "1"), (OWNER, "tab", "2")]
        assert [await load_delivery(session, *other) for other in others] == ["", "", ""]


async def test_old_deliveries_are_deleted_by_a_new_one(store: Store) -> None:
    await save_conversation(store, a_conversation())
    await deliver(store, "1")
    await deliver(store, "2", at=START + timedelta(seconds=1))

    await deliver(store, "3", at=START + KEPT + timedelta(seconds=1))

    assert await stored(store) == ["2", "3"]


async def test_the_oldest_deliveries_of_an_owner_above_the_maximum_are_deleted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "MAX_KEPT", 3)
    await save_conversation(store, a_conversation())
    await save_conversation(store, a_conversation("c2", owner="bob"))
    await deliver(store, "0", owner="bob", to="c2")

    for number in range(1, 6):
        await deliver(store, str(number), at=START + timedelta(seconds=number))

    assert await stored(store) == ["0", "3", "4", "5"]


async def test_deliveries_are_deleted_with_their_conversation(store: Store) -> None:
    await save_conversation(store, a_conversation())
    await save_conversation(store, a_conversation("c2"))
    await deliver(store, "1")
    await deliver(store, "2", to="c2")

    async with store.write() as session:
        await delete_conversation_forever(session, OWNER, "c1")

    assert await stored(store) == ["2"]
