from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.audit import AuditAction
from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ConflictError, ErrorClass, InputError, ProviderError
from app.domain.tokens.estimates import Estimator
from app.runs.app_context import AppContext, context_for
from app.runs.audit.audit import read_audit
from app.runs.request.calibration import load_estimator
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send import exact_counts
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions
from app.runs.send.exact_counts import count_exactly
from app.runs.send.send_request import SendRequest
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.usage.sent_calls import read_sent_call
from app.runs.wiring import open_app_context
from app.store.conversation.conversations import insert_conversation
from app.store.ledger.ledger import sum_usage_by_model
from tests.providers.peer import Answer, Peer, a_peer
from tests.runs.steps import a_conversation, calls_of, reply_to, settings_of

MODEL = "anthropic:claude-sonnet-4-5"
JSON = (("Content-Type", "application/json"),)
COUNTED = Answer((b'{"input_tokens": 77}',), headers=JSON)


async def estimator_of(ctx: AppContext) -> Estimator:
    async with ctx.store.read() as session:
        _, profile = await ctx.catalogue.find(session, LOCAL_OWNER, MODEL)
        return await load_estimator(session, LOCAL_OWNER, profile)


def with_peer(data: Path, peer: Peer, key: str = "sk-test"):
    return open_app_context(settings_of(data, ANTHROPIC_BASE_URL=f"{peer.url}/v1", ANTHROPIC_API_KEY=key))


async def test_what_is_counted_is_what_the_preview_shows(data: Path) -> None:
    async with a_peer(COUNTED) as peer, with_peer(data, peer) as ctx:
        conversation_id = await a_conversation(ctx, system_prompt="Be brief.")
        await reply_to(ctx, conversation_id, "One", options=ViewOptions(model="offline:demo"))
        await reply_to(ctx, conversation_id, "Two", options=ViewOptions(model="offline:demo"))
        options = ViewOptions(model=MODEL, filter="r1")

        counted = await count_exactly(ctx, LOCAL_OWNER, conversation_id, SendRequest("Why?", options))
        previewed = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("Why?", options))

    (heard,) = peer.heard
    assert heard.path == "/v1/messages/count_tokens"
    assert heard.body.partition(b'"messages":')[2] == previewed.wire.body.partition(b'"messages":')[2]
    assert counted.tokens == 77
    assert counted.estimated_tokens == previewed.composed.composition.estimate.tokens


async def test_a_count_is_in_the_ledger_and_uses_nothing(data: Path) -> None:
    async with a_peer(COUNTED) as peer, with_peer(data, peer) as ctx:
        conversation_id = await a_conversation(ctx)

        await count_exactly(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello", ViewOptions(model=MODEL)))

        (call,) = await calls_of(ctx, conversation_id)
        async with ctx.store.read() as session:
            used = await sum_usage_by_model(session, LOCAL_OWNER, conversation_id=conversation_id)
    assert (call.purpose, call.model, call.outcome, call.usage) == ("count", MODEL, Lifecycle.SUCCEEDED, None)
    assert call.counted is not None
    assert (call.counted.counted_text, call.counted.counted_messages, call.counted.estimated_tokens) == (1, 1, 77)
    assert used[MODEL].prompt_tokens == 0


@pytest.mark.parametrize("status", [200, 429])
async def test_a_count_is_in_the_audit_trail_because_it_sends_the_conversation(data: Path, status: int) -> None:
    answer = replace(COUNTED, status=status)
    async with a_peer(answer) as peer, with_peer(data, peer) as ctx:
        conversation_id = await a_conversation(ctx)

        with suppress(ProviderError):
            await count_exactly(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello", ViewOptions(model=MODEL)))

        (_, newest), *_ = await read_audit(ctx.store, LOCAL_OWNER, limit=9)
    assert (newest.action, newest.conversation_id, newest.data) == (
        AuditAction.SENT,
        conversation_id,
        {"what": "count"},
    )


@pytest.mark.parametrize("of_child", [False, True])
async def test_the_record_of_a_count_stays_with_a_temporary_conversation_that_is_kept_meanwhile(
    data: Path, monkeypatch: pytest.MonkeyPatch, *, of_child: bool
) -> None:
    count_tokens = exact_counts.count_tokens
    async with a_peer(COUNTED) as peer, with_peer(data, peer) as ctx:
        made = await create_temporary(ctx, LOCAL_OWNER)
        aside, counted = await context_for(ctx, made.id), made
        if of_child:
            counted = replace(made, id="child", kind=ConversationKind.TOOL, parent_id=made.id)
            async with aside.store.write() as session:
                await insert_conversation(session, counted)

        async def keep_meanwhile(*arguments: Any) -> int:
            tokens = await count_tokens(*arguments)
            with suppress(ConflictError):
                await keep_conversation(aside, LOCAL_OWNER, made.id)
            return tokens

        monkeypatch.setattr(exact_counts, "count_tokens", keep_meanwhile)
        await count_exactly(aside, LOCAL_OWNER, counted.id, SendRequest("Hello", ViewOptions(model=MODEL)))
        if await context_for(ctx, made.id) is aside:
            await keep_conversation(aside, LOCAL_OWNER, made.id)

        (call,) = await calls_of(ctx, counted.id)
        assert (await read_sent_call(ctx, LOCAL_OWNER, call.id)).call.id == call.id


async def test_counts_correct_later_estimates(data: Path) -> None:
    words = "The sea was calm and the boats lay still in the harbour. " * 20
    async with a_peer(Answer((b'{"input_tokens": 400}',), headers=JSON)) as peer, with_peer(data, peer) as ctx:
        conversation_id = await a_conversation(ctx)
        before = await estimator_of(ctx)
        counted = [
            await count_exactly(ctx, LOCAL_OWNER, conversation_id, SendRequest(words, ViewOptions(model=MODEL)))
            for _ in range(3)
        ]
        after = await estimator_of(ctx)
        other = await a_conversation(ctx)

        again = await preview_send(ctx, LOCAL_OWNER, other, SendRequest(words, ViewOptions(model=MODEL)))

    assert before.permille == 1_180
    assert after.permille > before.permille
    assert abs(counted[0].estimated_tokens - 400) > 40
    assert abs(again.composed.composition.estimate.tokens - 400) <= 8


async def test_a_model_without_counts_is_refused_without_a_call(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    with pytest.raises(InputError, match="no endpoint for this"):
        await count_exactly(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello", ViewOptions(model="offline:demo")))

    assert await calls_of(ctx, conversation_id) == ()


async def test_a_count_without_a_key_makes_no_call(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    with pytest.raises(ProviderError, match="There is no key"):
        await count_exactly(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello", ViewOptions(model=MODEL)))

    assert await calls_of(ctx, conversation_id) == ()


async def test_a_refused_count_is_in_the_ledger_too(data: Path) -> None:
    refused = Answer((b'{"type":"error","error":{"type":"rate_limit_error","message":"Too fast"}}',), 429, headers=JSON)
    async with a_peer(refused) as peer, with_peer(data, peer) as ctx:
        conversation_id = await a_conversation(ctx)

        with pytest.raises(ProviderError, match="Too fast"):
            await count_exactly(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello", ViewOptions(model=MODEL)))

        (call,) = await calls_of(ctx, conversation_id)
    assert (call.purpose, call.outcome, call.error_class) == ("count", Lifecycle.ERROR, ErrorClass.RATE)
    assert call.counted is None
