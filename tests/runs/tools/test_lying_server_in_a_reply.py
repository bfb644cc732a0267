"""A reply calls a server that lies: each lie is recorded and returned to the model, and the reply continues."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import ToolCall, ToolResult, plain_text
from app.domain.tools.permission_requests import Allowed
from app.domain.tools.tool_records import CallFault
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools import tool_calls
from app.runs.tools.server_commands import ServerSettings, add_server, try_server
from app.store.tools.tool_calls import load_pair_tool_calls
from tests.runs.steps import a_conversation, reply_to
from tests.tools.test_lying_servers import LIAR

CALLS = [
    ("many parts", CallFault.TOO_LARGE, "too many parts. At most 200"),
    ("not base64", CallFault.PROTOCOL, "bytes that are not base64"),
    ("hang", CallFault.TIMED_OUT, "did not respond within 4 seconds"),
    ("die", CallFault.DIED, "ended with code 3"),
    ("well", None, "sound"),
]


async def test_whatever_a_server_does_the_reply_has_an_answer_and_continues(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def allow(ctx: AppContext, run: Any, tool: Any, call: ToolCall, **_: Any) -> Allowed:
        return Allowed(call.input_json)

    monkeypatch.setattr(tool_calls, "ask_permission", allow)
    monkeypatch.setattr(tool_calls, "CALL_SECONDS", 4.0)
    seen = await add_server(ctx, LOCAL_OWNER, ServerSettings("lab", LIAR))
    await try_server(ctx, LOCAL_OWNER, seen.server.id)
    rounds = "\n/then\n".join(f'/tool lab__act {{"how": "{how}"}}' for how, _, _ in CALLS)

    ended = await reply_to(ctx, await a_conversation(ctx), f"/rate 0\n{rounds}\n/then\n/echo Going on.")

    assert (ended.pair.lifecycle, ended.text) == (Lifecycle.SUCCEEDED, "Going on.")
    assert ended.pair.reply is not None
    results = [part for part in ended.pair.reply.parts if isinstance(part, ToolResult)]
    async with ctx.store.read() as session:
        records = await load_pair_tool_calls(session, ended.pair.id)
    assert [(record.fault, record.is_error) for record in records] == [(f, f is not None) for _, f, _ in CALLS]
    assert all(record.ended_at is not None for record in records)
    for (how, _, words), result in zip(CALLS, results, strict=True):
        assert words in plain_text(result.content), how
