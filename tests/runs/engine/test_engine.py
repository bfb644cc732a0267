from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.domain import retry_policy
from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Thinking, ToolCall, ToolResult
from app.domain.errors import ConflictError, ErrorClass, NotFoundError
from app.runs.app_context import AppContext
from app.runs.resend.resend import resend_pair
from app.runs.runtime.clock import STEADY, Clock
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run, hurry_run
from app.runs.wiring import open_app_context
from app.store.run.snapshots import Snapshot, load_snapshot
from app.store.run.stored_runs import load_run
from tests.domain.run.test_run import merged
from tests.providers.peer import Answer, Peer, a_peer
from tests.runs.clock import HANG_SECONDS, LoopClock, MovedClock
from tests.runs.steps import (
    a_conversation,
    calls_of,
    collect,
    pair_of,
    reply_to,
    send,
    settings_of,
    text_of,
    wait_for_text,
)

HELLO = b'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
OVER = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


LOOP_AND_RETRY = 2
"""Number of tasks that wait by the clock before a retry: the task that saves regularly, and the retry."""


def at_peer(data: Path, peer: Peer, clock: Clock = STEADY, **more: str):
    """Open an app context that knows the peer as provider `peer`."""
    return open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1", **more), clock)


async def snapshot_of(ctx: AppContext, pair: Pair) -> Snapshot:
    async with ctx.store.read() as session:
        return await load_snapshot(session, LOCAL_OWNER, pair.id)


# --- failures ---


@pytest.mark.parametrize("error_class", ["auth", "content_filter", "context_length", "model", "stream", "unknown"])
async def test_a_failure_is_stored_with_the_exact_request(ctx: AppContext, error_class: str) -> None:
    conversation_id = await a_conversation(ctx)
    text = f"/fail {error_class}"
    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest(text))

    ended = await reply_to(ctx, conversation_id, text)

    assert ended.kinds[-1] == "error"
    assert ended.pair.lifecycle is Lifecycle.ERROR
    assert ended.pair.failure is not None
    assert ended.pair.failure.error_class == error_class
    assert ended.events[-1].data["class"] == error_class
    kept = await snapshot_of(ctx, ended.pair)
    assert (kept.body, kept.url, kept.headers) == (preview.wire.body, preview.wire.url, preview.wire.headers)
    assert kept.content_hash == preview.hashes[-1]
    (call,) = await calls_of(ctx, conversation_id)
    assert (call.outcome, call.error_class) == (Lifecycle.ERROR, error_class)


async def test_the_exact_request_of_a_failure_is_deleted_when_the_pair_is_sent_again_and_succeeds(
    ctx: AppContext,
) -> None:
    failed = await reply_to(ctx, await a_conversation(ctx), "/fail auth")
    other = await reply_to(ctx, await a_conversation(ctx), "/fail auth")

    again = await resend_pair(ctx, LOCAL_OWNER, failed.pair.id, text="/rate 0\n/echo Done.")
    await collect(ctx, again.started.run_id)

    assert (await pair_of(ctx, failed.pair.id)).lifecycle is Lifecycle.SUCCEEDED
    with pytest.raises(NotFoundError):
        await snapshot_of(ctx, failed.pair)
    assert (await snapshot_of(ctx, other.pair)).pair_id == other.pair.id


async def test_a_failure_in_the_middle_keeps_the_text_received(ctx: AppContext) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx), "/long 50 /fail overloaded after 10 /rate 0")

    assert ended.pair.lifecycle is Lifecycle.ERROR
    assert ended.text
    assert ended.pair.reply is not None
    assert ended.kinds.count("retry") == 0


async def test_a_cut_stream_is_a_failure_and_never_a_success(ctx: AppContext) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx), "/long 50 /cut after 10 /rate 0")

    assert ended.pair.failure is not None
    assert ended.pair.failure.error_class is ErrorClass.STREAM


async def test_success_keeps_no_snapshot(ctx: AppContext) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0")

    with pytest.raises(NotFoundError):
        await snapshot_of(ctx, ended.pair)


async def test_thinking_and_tool_calls_are_stored_as_received(ctx: AppContext) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx), '/think 5 /rate 0\n/tool clock {"zone": "UTC"}')

    assert ended.pair.reply is not None
    kinds = [type(part) for part in ended.pair.reply.parts]
    assert kinds[:3] == [Thinking, ToolCall, ToolResult]


async def test_a_fault_of_ours_ends_the_run_and_is_logged(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr(type(ctx.engine), "_receive", explode)
    with capture_logs() as logs:
        ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0")

    assert ended.pair.failure is not None
    assert ended.pair.failure.error_class is ErrorClass.UNKNOWN
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == [
        "run failed because of a defect in Inview"
    ]


# --- retries ---


async def test_a_retry_is_visible_and_then_succeeds_and_every_call_is_in_the_ledger(
    moved: AppContext, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry_policy, "MAX_BACKOFF", 10.0)
    ctx, conversation_id = moved, await a_conversation(moved)
    replying = asyncio.create_task(reply_to(ctx, conversation_id, "/fail overloaded times 1 /rate 0"))
    await clock.until_wait(LOOP_AND_RETRY)
    await clock.move(1)
    ended = await replying

    assert ended.kinds[:3] == ["run", "status", "retry"]
    retry = ended.events[2].data
    assert (retry["attempt"], retry["class"]) == (1, "overloaded")
    assert 0.5 <= retry["seconds"] <= 1
    assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
    first, second = await calls_of(ctx, conversation_id)
    assert (first.attempt, first.outcome, first.error_class) == (1, Lifecycle.ERROR, ErrorClass.OVERLOADED)
    assert (second.attempt, second.outcome, second.error_class) == (2, Lifecycle.SUCCEEDED, None)
    assert merged(await collect(ctx, ended.started.run_id)) == merged(ended.events)


async def test_a_wait_for_a_retry_can_be_stopped(moved: AppContext, clock: MovedClock) -> None:
    ctx, conversation_id = moved, await a_conversation(moved)
    started = await send(ctx, conversation_id, "/fail rate retry-after 30")
    await clock.until_wait(LOOP_AND_RETRY)

    await cancel_run(ctx, LOCAL_OWNER, started.run_id)
    await clock.move(60)

    assert (await pair_of(ctx, started.pair_id)).lifecycle is Lifecycle.CANCELED
    (call,) = await calls_of(ctx, conversation_id)
    assert (call.attempt, call.outcome) == (1, Lifecycle.ERROR)


async def test_a_wait_for_a_retry_can_be_cut_short(moved: AppContext, clock: MovedClock) -> None:
    """The clock is not moved: without the request to hurry, the wait would never end."""
    ctx, conversation_id = moved, await a_conversation(moved)
    started = await send(ctx, conversation_id, "/fail rate retry-after 50 times 1")
    await clock.until_wait(LOOP_AND_RETRY)

    await hurry_run(ctx, LOCAL_OWNER, started.run_id)
    with pytest.raises(ConflictError):
        await hurry_run(ctx, LOCAL_OWNER, started.run_id)
    async with asyncio.timeout(HANG_SECONDS):
        events = await collect(ctx, started.run_id)

    assert events[-1].kind == "done"
    assert [call.attempt for call in await calls_of(ctx, conversation_id)] == [1, 2]
    with pytest.raises(ConflictError):
        await hurry_run(ctx, LOCAL_OWNER, started.run_id)
    with pytest.raises(NotFoundError):
        await hurry_run(ctx, "another", started.run_id)


# --- the connection ---


async def test_stopping_closes_the_connection_to_the_provider(data: Path) -> None:
    async with a_peer(Answer((HELLO,), then="stall")) as peer, at_peer(data, peer) as ctx:
        started = await send(ctx, await a_conversation(ctx, model="peer:any"), "Hi")
        await wait_for_text(ctx, started)

        await cancel_run(ctx, LOCAL_OWNER, started.run_id)

        await peer.until_left()
        assert (await pair_of(ctx, started.pair_id)).lifecycle is Lifecycle.CANCELED


async def test_stopping_before_the_provider_says_a_word_closes_the_connection(data: Path) -> None:
    async with a_peer(Answer(then="silent")) as peer, at_peer(data, peer) as ctx:
        started = await send(ctx, await a_conversation(ctx, model="peer:any"), "Hi")
        await peer.asked.wait()

        await cancel_run(ctx, LOCAL_OWNER, started.run_id)

        await peer.until_left()


async def test_a_provider_that_falls_silent_ends_in_an_error_after_the_time_out(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock.at_work(monkeypatch)
    async with a_peer(Answer((HELLO,), then="stall")) as peer, at_peer(data, peer, INVIEW_TIMEOUT="4") as ctx:
        started = await send(ctx, await a_conversation(ctx, model="peer:any"), "Hi")
        await wait_for_text(ctx, started)
        await clock.move_until(peer.left, 4)
        events = await collect(ctx, started.run_id)

        assert text_of(events) == "Hello"
        failed = (await pair_of(ctx, started.pair_id)).failure
        assert failed is not None
        assert failed.error_class is ErrorClass.NETWORK


async def test_the_retry_after_of_a_server_is_waited_for(data: Path, clock: MovedClock) -> None:
    busy = Answer((b"{}",), status=429, headers=(("Content-Type", "application/json"), ("Retry-After", "1")))
    async with a_peer(busy, Answer((HELLO, OVER))) as peer, at_peer(data, peer, clock) as ctx:
        replying = asyncio.create_task(reply_to(ctx, await a_conversation(ctx, model="peer:any"), "Hi"))
        await clock.until_wait(LOOP_AND_RETRY)
        await clock.move(0.99)
        assert clock.waiting == LOOP_AND_RETRY
        await clock.move(0.01)
        ended = await replying

        assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
        assert ended.events[2].data["seconds"] == 1
        assert len(peer.heard) == 2
        assert peer.heard[0].body == peer.heard[1].body


async def test_another_attempt_is_stored_before_its_call_is_made(data: Path) -> None:
    busy = Answer(status=429, headers=(("Retry-After", "0"),))
    async with a_peer(busy, busy, Answer(then="silent")) as peer, at_peer(data, peer) as ctx:
        conversation_id = await a_conversation(ctx, model="peer:any")
        started = await send(ctx, conversation_id, "Hello")
        await peer.until_heard(3)

        async with ctx.store.read() as session:
            stored = await load_run(session, LOCAL_OWNER, started.run_id)

        assert (stored.state.attempt, len(stored.state.retries)) == (3, 2)
        assert [call.attempt for call in await calls_of(ctx, conversation_id)] == [1, 2]
