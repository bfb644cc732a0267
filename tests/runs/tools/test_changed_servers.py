"""A permission for one server does not apply to a changed server: calls that wait, or that are about to be made."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.tools.permission_requests import (
    ExpiryReason,
    PermissionRequest,
    PermissionStatus,
    SettledError,
    describe_standing,
)
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tool_servers import OverStdio
from app.domain.tools.tools import Caller, ToolFailedError, ToolFault
from app.runs.app_context import AppContext
from app.runs.engine.writer import Writer
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun
from app.runs.temporary.temporary import create_temporary
from app.runs.tools.permission_commands import PermissionChoice, answer_permission, list_pending, read_request
from app.runs.tools.server_commands import ServerSettings, add_server, change_server, delete_server, try_server
from app.runs.watch.broadcast import follow
from app.store.tools.tool_calls import load_pair_tool_calls
from tests.runs.steps import a_conversation, send
from tests.tools.servers import script
from tests.waiting import until_found


def a_program(notes: Path, description: str = "Acts.") -> OverStdio:
    """Write a program with one tool that notes each call in a file."""
    return script(
        f"""
def act(asked):
    with open({str(notes)!r}, "a") as file: file.write("called ")
    write({{"id": asked["id"], "result": {{"content": [{{"type": "text", "text": "done"}}]}}}})
greet()
serve(act, [{{**TOOL, "description": {description!r}}}])
"""
    )


class Scene:
    """A tool call that waits for permission, and two programs with the same tool."""

    def __init__(self, ctx: AppContext, folder: Path) -> None:
        self.ctx = ctx
        self.folder = folder
        self.server_id = ""

    async def begin(self, conversation_id: str, bench: AppContext | None = None) -> PermissionRequest:
        seen = await add_server(self.ctx, LOCAL_OWNER, ServerSettings("lab", a_program(self.folder / "first")))
        self.server_id = seen.server.id
        await try_server(self.ctx, LOCAL_OWNER, self.server_id)
        self.bench = bench or self.ctx
        self.started: StartedRun = await send(self.bench, conversation_id, "/rate 0\n/tool lab__act {}")
        return (await until_found(lambda: list_pending(self.bench, LOCAL_OWNER, conversation_id)))[0]

    async def change(self, **changes: Any) -> None:
        settings = ServerSettings("lab", a_program(self.folder / "second"))
        await change_server(self.ctx, LOCAL_OWNER, self.server_id, replace(settings, **changes))

    async def end(self) -> ToolCallRecord:
        async with asyncio.timeout(60):
            async for _ in follow(self.bench, LOCAL_OWNER, self.started.run_id):
                pass
        async with self.bench.store.read() as session:
            (record,) = await load_pair_tool_calls(session, self.started.pair_id)
        return record

    @property
    def called(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("*") if path.name in {"first", "second"})


@pytest.fixture
def scene(ctx: AppContext, tmp_path: Path) -> Scene:
    return Scene(ctx, tmp_path)


async def test_a_call_that_waits_expires_when_its_server_gets_another_program(scene: Scene) -> None:
    request = await scene.begin(await a_conversation(scene.ctx, model="offline:demo"))

    await scene.change()

    with pytest.raises(SettledError, match="was changed before an answer"):
        await answer_permission(scene.ctx, LOCAL_OWNER, request.id, PermissionChoice.ALWAYS_ALLOW)
    record = await scene.end()
    assert (record.fault, record.run_json, scene.called) == (CallFault.DENIED, None, [])
    expired = await read_request(scene.ctx, LOCAL_OWNER, request.id)
    assert (expired.standing, expired.ending) == (PermissionStatus.EXPIRED, ExpiryReason.CHANGED)
    assert "was changed" in describe_standing(expired)


async def test_a_call_that_waits_expires_when_its_server_gets_other_secrets_or_is_deleted(scene: Scene) -> None:
    request = await scene.begin(await a_conversation(scene.ctx, model="offline:demo"))
    await scene.change(way=a_program(scene.folder / "first"), secrets={"NODE_OPTIONS": "--require=/evil.js"})
    with pytest.raises(SettledError):
        await answer_permission(scene.ctx, LOCAL_OWNER, request.id, PermissionChoice.ALLOW)
    await scene.end()

    again = await send(scene.ctx, request.conversation_id, "/rate 0\n/tool lab__act {}")
    waiting = await until_found(lambda: list_pending(scene.ctx, LOCAL_OWNER, request.conversation_id))
    await delete_server(scene.ctx, LOCAL_OWNER, scene.server_id)

    with pytest.raises(SettledError):
        await answer_permission(scene.ctx, LOCAL_OWNER, waiting[0].id, PermissionChoice.ALLOW)
    scene.started = again
    assert ((await scene.end()).fault, scene.called) == (CallFault.DENIED, [])


async def test_a_pending_call_continues_when_only_the_time_limit_of_its_server_changes(scene: Scene) -> None:
    request = await scene.begin(await a_conversation(scene.ctx, model="offline:demo"))

    await scene.change(way=a_program(scene.folder / "first"), timeout=30.0)
    await answer_permission(scene.ctx, LOCAL_OWNER, request.id, PermissionChoice.ALLOW)

    assert ((await scene.end()).fault, scene.called) == (None, ["first"])


async def test_a_call_of_a_temporary_conversation_expires_as_well(scene: Scene) -> None:
    conversation = await create_temporary(scene.ctx, LOCAL_OWNER, model="offline:demo")
    bench = scene.ctx.temporary.ctx
    assert bench is not None
    request = await scene.begin(conversation.id, bench)

    await scene.change()

    with pytest.raises(SettledError):
        await answer_permission(bench, LOCAL_OWNER, request.id, PermissionChoice.ALLOW)
    assert ((await scene.end()).fault, scene.called) == (CallFault.DENIED, [])


async def test_a_call_that_was_allowed_is_not_made_when_its_server_is_changed_before_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = await scene.begin(await a_conversation(scene.ctx, model="offline:demo"))
    run = scene.ctx.engine.runs[scene.started.run_id]
    save, changed = scene.ctx.engine.writer.save, False

    async def change_and_save(_writer: Writer) -> None:
        """The record of the call is the last thing that is saved before the call."""
        nonlocal changed
        if not changed and any(record.run_json is not None for record in run.records.values()):
            changed = True
            await scene.change()
        await save()

    monkeypatch.setattr(Writer, "save", change_and_save)
    await answer_permission(scene.ctx, LOCAL_OWNER, request.id, PermissionChoice.ALLOW)
    record = await scene.end()

    assert changed
    assert (record.fault, record.run_json, record.started_at, scene.called) == (CallFault.CHANGED, None, None, [])


async def test_a_tool_with_a_changed_description_is_not_called_by_its_old_permission(scene: Scene) -> None:
    await scene.begin(await a_conversation(scene.ctx, model="offline:demo"))
    (tool,) = [tool for tool in scene.ctx.toolbox.list_tools(LOCAL_OWNER) if tool.server_id == scene.server_id]
    before = replace(tool, description="Acts. Never sends anything.")

    with pytest.raises(ToolFailedError, match="was changed after this call was allowed") as caught:
        await scene.ctx.toolbox.call(
            before, {}, caller=Caller(LOCAL_OWNER), progress=lambda _done, _total, _words: None, timeout=20
        )

    assert caught.value.fault is ToolFault.CHANGED
    assert scene.called == []
