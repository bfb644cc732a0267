"""Deleting a folder with its conversations: no reply in it is left running."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.audit import AuditAction
from app.runs.app_context import AppContext
from app.runs.audit.audit import read_audit
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.folder_commands import Contents, create_folder, delete_folder, restore_folder
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send import stopping
from tests.runs.steps import a_conversation, send


async def test_deleting_a_folder_stops_a_reply_that_starts_meanwhile(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id, folder = await a_conversation(ctx), await create_folder(ctx, LOCAL_OWNER, "Work")
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(folder_id=folder.folder.id))
    await send(ctx, conversation_id, "/slow")
    stop_run, sends = stopping.stop_run, 1

    async def send_after(*arguments: Any) -> None:
        nonlocal sends
        await stop_run(*arguments)
        if sends == 1:
            sends += 1
            await send(ctx, conversation_id, "/slow")

    monkeypatch.setattr(stopping, "stop_run", send_after)
    await delete_folder(ctx, LOCAL_OWNER, folder.folder.id, Contents.TRASH)

    assert (sends, ctx.engine.runs) == (2, {})


async def test_conversations_that_leave_a_deleted_folder_and_return_are_in_the_audit_trail(ctx: AppContext) -> None:
    conversation_id, folder = await a_conversation(ctx), await create_folder(ctx, LOCAL_OWNER, "Work")
    folder_id = folder.folder.id
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(folder_id=folder_id))

    for contents in (Contents.KEEP, Contents.TRASH):
        await delete_folder(ctx, LOCAL_OWNER, folder_id, contents)
        await restore_folder(ctx, LOCAL_OWNER, folder_id)

    entries = await read_audit(ctx.store, LOCAL_OWNER, limit=5)
    assert [(one.action, one.conversation_id, one.data) for _, one in entries[::-1]] == [
        *[(AuditAction.CHANGED, conversation_id, {"what": "folder_id"})] * 3,
        (AuditAction.TRASHED, conversation_id, {}),
        (AuditAction.RESTORED, conversation_id, {}),
    ]
