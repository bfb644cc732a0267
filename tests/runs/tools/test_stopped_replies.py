"""After a reply was stopped or denied a tool, roles alternate in the next request and each call has a result."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.context.context import OutReason
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun, preview_send
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.tools.permission_commands import PermissionChoice as Decision
from app.runs.tools.permission_commands import answer_permission, list_pending
from app.runs.wiring import open_app_context
from tests.providers.peer import Answer, Peer, a_peer
from tests.runs.steps import a_conversation, reply_to, send, settings_of, until
from tests.waiting import until_found

NEXT = "Never mind. Say hi."


def say(*deltas: dict[str, Any], reason: str | None = None) -> bytes:
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    if reason is not None:
        chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}]
        chunks += [{"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 12, "total_tokens": 52}}]
    lines = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)
    return lines + (b"data: [DONE]\n\n" if reason else b"")


FETCH = {"name": "fetch_page", "arguments": '{"url":"https://example.org/"}'}
CALL = {"index": 0, "id": "call_1", "type": "function", "function": FETCH}
CALLING = Answer((say({"tool_calls": [CALL]}, reason="tool_calls"),))
HI = Answer((say({"content": "Hi."}, reason="stop"),))
SILENT = Answer(then="stall")
ONLY_THINKING = Answer((say({"reasoning_content": "Let me see."}),), then="stall")


def require_turns(messages: list[dict[str, Any]]) -> None:
    """Require what templates of local servers require: alternating roles, and one result directly after each call."""
    spoken = messages[1:] if messages[0]["role"] == "system" else messages
    assert (spoken[0]["role"], spoken[-1]["role"]) in {("user", "user"), ("user", "tool")}
    turns = [message["role"] for message in spoken]
    follows = {"user": {"assistant"}, "assistant": {"user", "tool"}, "tool": {"tool", "assistant", "user"}}
    assert all(after in follows[before] for before, after in pairwise(turns)), turns
    for place, message in enumerate(spoken):
        called = [call["id"] for call in message.get("tool_calls", ())]
        told = [one.get("tool_call_id") for one in spoken[place + 1 : place + 1 + len(called)]]
        assert told == called
    assert turns.count("tool") == sum(len(message.get("tool_calls", ())) for message in spoken)


@asynccontextmanager
async def a_bench(data: Path, peer: Peer) -> AsyncGenerator[AppContext]:
    async with open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"box={peer.url}/v1")) as ctx:
        preferred = await read_preferences(ctx, LOCAL_OWNER)
        await set_preferences(ctx, LOCAL_OWNER, replace(preferred, built_in_tools=("fetch_page",)))
        yield ctx


async def ask_next(ctx: AppContext, peer: Peer, conversation_id: str, *, out: bool) -> None:
    """Send the next message. `out`: the pair before it is not sent and is marked OUT."""
    shown = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest(NEXT))
    ended = await reply_to(ctx, conversation_id, NEXT)

    assert ended.text == "Hi."
    assert peer.heard[-1].body == shown.wire.body
    for heard in peer.heard:
        require_turns(orjson.loads(heard.body)["messages"])
    marked = [reason for reason in shown.composed.composition.out.values() if reason is OutReason.FAILED]
    assert marked == [OutReason.FAILED] * out
    assert (len(orjson.loads(shown.wire.body)["messages"]) == 1) is out


async def until_asked(ctx: AppContext, conversation_id: str) -> str:
    await until_found(lambda: list_pending(ctx, LOCAL_OWNER, conversation_id))
    (pending,) = await list_pending(ctx, LOCAL_OWNER, conversation_id)
    return pending.id


async def test_next_message_after_a_stop_at_the_question_has_a_result_for_the_call(data: Path) -> None:
    async with a_peer(CALLING, HI) as peer, a_bench(data, peer) as ctx:
        conversation_id = await a_conversation(ctx, model="box:qwen3-8b")
        started = await send(ctx, conversation_id, "Look")
        await until_asked(ctx, conversation_id)
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)

        await ask_next(ctx, peer, conversation_id, out=False)


async def test_next_message_after_a_denial_and_a_stop_of_the_next_round_has_the_denial_as_result(data: Path) -> None:
    async with a_peer(CALLING, SILENT, HI) as peer, a_bench(data, peer) as ctx:
        conversation_id = await a_conversation(ctx, model="box:qwen3-8b")
        started = await send(ctx, conversation_id, "Look")
        request_id = await until_asked(ctx, conversation_id)
        await answer_permission(ctx, LOCAL_OWNER, request_id, Decision.DENY)
        await peer.until_heard(2)
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)

        await ask_next(ctx, peer, conversation_id, out=False)


async def test_next_message_after_the_process_died_at_the_question_is_sent_without_that_pair(
    data: Path, tmp_path: Path
) -> None:
    left = tmp_path / "left"  # the state that a process leaves if it dies now
    left.mkdir()
    async with a_peer(CALLING, HI) as peer:
        async with a_bench(data, peer) as ctx:
            conversation_id = await a_conversation(ctx, model="box:qwen3-8b")
            await send(ctx, conversation_id, "Look")
            await until_asked(ctx, conversation_id)
            await ctx.engine.writer.save()
            with (
                closing(sqlite3.connect(data / "inview.db")) as mine,
                closing(sqlite3.connect(left / "inview.db")) as copy,
            ):
                mine.backup(copy)
        async with a_bench(left, peer) as next_start:
            await ask_next(next_start, peer, conversation_id, out=True)


async def _stop_at_once(ctx: AppContext, peer: Peer, started: StartedRun) -> None:
    await peer.until_heard(1)


async def _stop_in_thought(ctx: AppContext, peer: Peer, started: StartedRun) -> None:
    await until(ctx, started.run_id, "thinking")


@pytest.mark.parametrize(
    ("first", "arrive"),
    [(SILENT, _stop_at_once), (ONLY_THINKING, _stop_in_thought)],
    ids=["before the first word", "while only thinking had come"],
)
async def test_pair_that_was_stopped_without_a_word_is_not_sent_and_marked_so(
    data: Path, first: Answer, arrive: Any
) -> None:
    async with a_peer(first, HI) as peer, a_bench(data, peer) as ctx:
        conversation_id = await a_conversation(ctx, model="box:qwen3-8b")
        started = await send(ctx, conversation_id, "Look")
        await arrive(ctx, peer, started)
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)

        await ask_next(ctx, peer, conversation_id, out=True)
