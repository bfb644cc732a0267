"""Upkeep: old uploads go hour by hour, on the disk and in memory, and a fault of one task does not end the others."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import func, select

from app.domain.conversation.uploads import KEPT
from app.domain.errors import StoreError
from app.runs import upkeep
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.upkeep import keep_up, sweep_uploads
from app.runs.uploads import attach_file, load_attached
from app.runs.workbench import Workbench
from app.store.conversation.rows_attachment import ATTACHMENT
from app.store.conversation.rows_upload import UPLOAD
from tests.runs.steps import a_conversation, reply_to


async def count(wb: Workbench) -> list[tuple[int, int]]:
    """Uploads and stored bytes, of each store."""
    counts: list[tuple[int, int]] = []
    for store in wb.stores:
        async with store.read() as session:
            one, other = [
                (await session.execute(select(func.count()).select_from(table))).scalar_one()
                for table in (UPLOAD, ATTACHMENT)
            ]
            counts.append((one, other))
    return counts


async def test_uploads_that_no_message_took_are_swept_on_the_disk_and_in_memory(wb: Workbench) -> None:
    await attach_file(wb, LOCAL_OWNER, b"a", "a.txt")
    await attach_file(wb, LOCAL_OWNER, b"b", "b.txt", temporary=True)
    assert await count(wb) == [(1, 1), (1, 1)]

    assert await sweep_uploads(wb, now() + KEPT - timedelta(hours=1)) == 0
    assert await sweep_uploads(wb, now() + KEPT + timedelta(hours=1)) == 2

    assert await count(wb) == [(0, 0), (0, 0)]


async def test_what_a_message_took_stays_with_it(wb: Workbench) -> None:
    kept = await attach_file(wb, LOCAL_OWNER, b"a,b", "a.csv")
    conversation = await a_conversation(wb, model="offline:demo")
    attached = await load_attached(wb, LOCAL_OWNER, [kept.attachment.id])
    ended = await reply_to(wb, conversation, "Look", attached=attached)

    await sweep_uploads(wb, now() + KEPT + timedelta(hours=1))

    assert ended.pair.request.parts[1:] == attached.parts


@pytest.mark.parametrize("fault", [StoreError("The disk is full."), RuntimeError("a fault of ours")])
async def test_a_task_that_fails_does_not_end_the_others(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    async def fail(_wb: Workbench, _at: datetime) -> int:
        raise fault

    await attach_file(wb, LOCAL_OWNER, b"a", "a.txt")
    monkeypatch.setattr(upkeep, "TASKS", (("fail", fail), *upkeep.TASKS))

    await keep_up(wb, now() + KEPT + timedelta(hours=1))

    assert await count(wb) == [(0, 0)]
