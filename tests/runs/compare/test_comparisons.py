"""Comparisons: one request to several models, each in a run. One reply is kept; the others become its versions."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.compare.comparisons import ComparingError, Comparison
from app.domain.conversation.conversation import ConversationKind, Pair, Version
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.costs.budgets import BudgetPeriod, BudgetScope, BudgetSpentError, SpendingBudget
from app.domain.errors import ConflictError, InputError, NotFoundError, ProviderError, SendLockedError
from app.domain.models.model_profile import Prices
from app.domain.settings.preferences import Preferences
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.compare import compared_runs
from app.runs.compare.comparisons import (
    ComparedModels,
    discard_comparison,
    keep_reply,
    read_comparison,
    reopen_comparison,
    start_comparison,
)
from app.runs.compare.pair_comparisons import compare_again
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send import context_selection
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text, read_queue
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.settings.preference_commands import set_preferences
from app.runs.trash.trash import delete_for_good
from app.runs.usage.accounts import load_account
from app.runs.usage.budgets import set_budget
from app.runs.usage.prices import set_price
from app.runs.wiring import open_app_context
from app.store.conversation.conversations import load_conversation
from app.store.conversation.versions import load_versions
from app.store.ledger.ledger import sum_usage_by_model
from app.store.ledger.prices import OwnPrice
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import a_conversation, calls_of, collect, pair_of, pairs_of, reply_to, send, settings_of
from tests.waiting import until

OFFLINE, PEER, OTHER = "offline:demo", "peer:any", "peer:other"


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    async with a_peer(Answer((read_recording("openai_compatible", "text"),))) as opened:
        yield opened


@pytest.fixture
async def bench(data: Path, peer: Peer) -> AsyncGenerator[AppContext]:
    async with open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1")) as ctx:
        yield ctx


async def compare(
    ctx: AppContext, conversation_id: str, text: str, *models: str, options: ViewOptions | None = None
) -> Comparison:
    return await start_comparison(
        ctx, LOCAL_OWNER, conversation_id, SendRequest(text, options or ViewOptions()), ComparedModels(models)
    )


async def ended(ctx: AppContext, comparison: Comparison) -> Comparison:
    for run in comparison.runs:
        await collect(ctx, run.run_id)
    return comparison


async def versions_of(ctx: AppContext, pair: Pair) -> tuple[Version, ...]:
    async with ctx.store.read() as session:
        return await load_versions(session, LOCAL_OWNER, pair)


def words(pair: Pair | Version) -> str:
    return "" if pair.reply is None else plain_text(pair.reply.parts)


async def spent(ctx: AppContext, conversation_id: str) -> Usage:
    async with ctx.store.read() as session:
        sums = await sum_usage_by_model(session, LOCAL_OWNER, conversation_id=conversation_id)
    return sum(sums.values(), start=Usage())


async def test_kept_reply_is_current_and_the_others_are_its_versions(bench: AppContext, peer: Peer) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    await reply_to(bench, conversation_id, "/echo before")
    comparison = await ended(bench, await compare(bench, conversation_id, "/echo mine", OFFLINE, PEER, OTHER))
    assert len(await pairs_of(bench, conversation_id)) == 1, "nothing stands in the conversation before one is kept"
    assert [message["content"] for message in orjson.loads(peer.heard[-1].body)["messages"]] == [
        "/echo before",
        "before",
        "/echo mine",
    ]

    pair_id = (await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)).pair_id

    pair = await pair_of(bench, pair_id)
    assert (pair.position, pair.lifecycle, words(pair)) == (2, Lifecycle.SUCCEEDED, "mine")
    assert (plain_text(pair.request.parts), pair.model, pair.version, pair.versions) == ("/echo mine", OFFLINE, 1, 3)
    versions = await versions_of(bench, pair)
    assert [(one.model, one.standing) for one in versions] == [(OFFLINE, True), (PEER, False), (OTHER, False)]
    assert all(words(one) and one.usage is not None for one in versions)
    for run in comparison.runs:
        verified = await verify_run(bench, LOCAL_OWNER, run.run_id)
        assert verified.matches, verified.reasons
    with pytest.raises(NotFoundError):
        await read_comparison(bench, LOCAL_OWNER, conversation_id)
    assert len(await reply_to(bench, conversation_id, "/echo after") and await pairs_of(bench, conversation_id)) == 3

    await restore_version(bench, LOCAL_OWNER, pair_id, 2)
    assert (await pair_of(bench, pair_id)).model == PEER


async def test_every_run_is_a_separate_call_that_stays_in_the_ledger(bench: AppContext) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    comparison = await ended(bench, await compare(bench, conversation_id, "/echo x", OFFLINE, PEER))
    before = await spent(bench, conversation_id)
    calls = [call for run in comparison.runs for call in await calls_of(bench, run.conversation_id)]
    assert [call.model for call in calls] == [OFFLINE, PEER]
    async with bench.store.read() as session:
        made = await load_conversation(session, LOCAL_OWNER, comparison.runs[0].conversation_id)
    assert (made.kind, made.parent_id) == (ConversationKind.TOOL, conversation_id)

    await keep_reply(bench, LOCAL_OWNER, conversation_id, PEER)

    again = [call for run in comparison.runs for call in await calls_of(bench, run.conversation_id)]
    assert again == calls
    assert await spent(bench, conversation_id) == before
    assert before.output_tokens >= sum(call.usage.output_tokens for call in calls if call.usage)


async def test_each_is_stopped_alone_and_keeping_one_stops_the_others(bench: AppContext) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    comparison = await compare(bench, conversation_id, "/long 2000 /rate 100", OFFLINE, "offline:tiny", PEER)
    offline, tiny, quick = comparison.runs
    await collect(bench, quick.run_id)
    await until(lambda: any(run.state.parts for run in bench.engine.runs_of(offline.conversation_id)))
    await cancel_run(bench, LOCAL_OWNER, offline.run_id)
    assert [run.run_id for run in bench.engine.runs.values()] == [tiny.run_id]
    with pytest.raises(ConflictError, match="still running"):
        await keep_reply(bench, LOCAL_OWNER, conversation_id, "offline:tiny")

    pair_id = (await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)).pair_id

    pair = await pair_of(bench, pair_id)
    assert (pair.lifecycle, words(pair) != "") == (Lifecycle.CANCELED, True)
    assert [one.lifecycle for one in await versions_of(bench, pair)] == [
        Lifecycle.CANCELED,
        Lifecycle.CANCELED,
        Lifecycle.SUCCEEDED,
    ]
    assert bench.engine.runs == {}


async def test_nothing_else_is_sent_while_replies_are_compared(bench: AppContext) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    earlier = (await reply_to(bench, conversation_id, "/echo first")).pair
    await ended(bench, await compare(bench, conversation_id, "/echo x", OFFLINE, PEER))

    with pytest.raises(ComparingError):
        await send(bench, conversation_id, "/echo y")
    with pytest.raises(ComparingError):
        await resend_pair(bench, LOCAL_OWNER, earlier.id)
    branch = await resend_pair(bench, LOCAL_OWNER, earlier.id, ResendOptions(later=Later.BRANCH), text="/echo aside")
    assert branch.conversation_id != conversation_id
    with pytest.raises(ComparingError):
        await compare(bench, conversation_id, "/echo y", OFFLINE, PEER)
    await queue_text(bench, LOCAL_OWNER, conversation_id, SendRequest("/echo queued"))
    assert (await read_queue(bench, LOCAL_OWNER, conversation_id)).hold is None

    await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)
    await until(lambda: not (bench.engine.runs or bench.background))
    assert [words(pair) for pair in await pairs_of(bench, conversation_id)] == ["first", "x", "queued"]


async def test_comparison_waits_for_a_reply_that_runs(bench: AppContext) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    await send(bench, conversation_id, "/slow")

    with pytest.raises(SendLockedError):
        await compare(bench, conversation_id, "/echo x", OFFLINE, PEER)


async def test_discarded_comparison_can_be_taken_back(bench: AppContext) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    comparison = await compare(bench, conversation_id, "/long 2000 /rate 100", OFFLINE, PEER)
    await collect(bench, comparison.runs[1].run_id)

    await discard_comparison(bench, LOCAL_OWNER, conversation_id)

    assert bench.engine.runs == {}
    await reply_to(bench, conversation_id, "/echo meanwhile")
    assert (await reopen_comparison(bench, LOCAL_OWNER, conversation_id)).id == comparison.id
    pair_id = (await keep_reply(bench, LOCAL_OWNER, conversation_id, PEER)).pair_id
    assert (await pair_of(bench, pair_id)).position == 2
    with pytest.raises(NotFoundError):
        await reopen_comparison(bench, LOCAL_OWNER, conversation_id)


async def test_reply_that_says_nothing_cannot_be_kept_and_one_that_failed_stays_as_a_version(bench: AppContext) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    await ended(bench, await compare(bench, conversation_id, "/fail auth", OFFLINE, PEER))

    with pytest.raises(ConflictError, match="The reply of Offline demo is empty and cannot be kept"):
        await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)
    pair_id = (await keep_reply(bench, LOCAL_OWNER, conversation_id, PEER)).pair_id

    failed, _ = await versions_of(bench, await pair_of(bench, pair_id))
    assert failed.failure is not None
    assert failed.failure.message


async def test_comparison_outlives_the_process(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        conversation_id = await a_conversation(ctx, model=OFFLINE)
        await compare(ctx, conversation_id, "/long 2000 /rate 100", OFFLINE, "offline:tiny")
        await until(lambda: all(run.state.parts for run in ctx.engine.runs.values()))

    async with open_app_context(settings_of(data)) as ctx:
        _, stood = await read_comparison(ctx, LOCAL_OWNER, conversation_id)
        assert {pair.lifecycle for pair in stood} == {Lifecycle.ERROR}
        pair_id = (await keep_reply(ctx, LOCAL_OWNER, conversation_id, "offline:tiny")).pair_id
        assert words(await pair_of(ctx, pair_id))


async def test_deleting_the_conversation_stops_what_is_compared(bench: AppContext) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    await compare(bench, conversation_id, "/long 2000 /rate 100", OFFLINE, "offline:tiny")

    await delete_conversation(bench, LOCAL_OWNER, conversation_id)

    assert bench.engine.runs == {}


async def test_what_cannot_be_compared_is_refused_before_anything_is_called(bench: AppContext, peer: Peer) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)

    for models in ((OFFLINE,), (OFFLINE, OFFLINE), (OFFLINE, PEER, OTHER, "peer:x", "peer:y"), (OFFLINE, "no:where")):
        with pytest.raises(InputError):
            await compare(bench, conversation_id, "x", *models)
    with pytest.raises(InputError, match="text: is empty"):
        await compare(bench, conversation_id, " ", OFFLINE, PEER)
    with pytest.raises(ProviderError):
        await compare(bench, conversation_id, "x", PEER, "anthropic:claude-sonnet-4-5")
    with pytest.raises(NotFoundError):
        await compare(bench, "nowhere", "x", OFFLINE, PEER)
    assert (peer.heard, await pairs_of(bench, conversation_id)) == ([], ())


async def test_compared_requests_are_paid_out_of_the_same_budgets_together(bench: AppContext, peer: Peer) -> None:
    conversation_id = await a_conversation(bench, model=PEER)
    tokens = (
        await preview_send(bench, LOCAL_OWNER, conversation_id, SendRequest("Hello"))
    ).composed.composition.estimate.tokens
    for model in (PEER, OTHER):
        own = OwnPrice(model, date(2020, 1, 1), Prices(Decimal(1_000), Decimal(1_000)))
        await set_price(bench, LOCAL_OWNER, own)
    one_and_a_half = Decimal(tokens) * Decimal("0.0015")
    await set_budget(bench, LOCAL_OWNER, SpendingBudget(BudgetScope.ALL, "", BudgetPeriod.EVER, one_and_a_half))

    with pytest.raises(BudgetSpentError):
        await compare(bench, conversation_id, "Hello", PEER, OTHER)

    assert peer.heard == []
    await reply_to(bench, conversation_id, "Hello")  # one send alone is within the budget


async def test_the_context_window_is_that_of_the_reply_that_was_kept(bench: AppContext) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    await reply_to(bench, conversation_id, "/echo before")
    before = (await load_account(bench, LOCAL_OWNER, conversation_id)).window
    comparison = await ended(bench, await compare(bench, conversation_id, "/long 50", OFFLINE, "offline:tiny"))
    assert (await load_account(bench, LOCAL_OWNER, conversation_id)).window == before

    pair_id = (await keep_reply(bench, LOCAL_OWNER, conversation_id, comparison.runs[0].model)).pair_id

    kept = (await pair_of(bench, pair_id)).usage
    assert kept is not None
    assert (await load_account(bench, LOCAL_OWNER, conversation_id)).window == kept.prompt_tokens + kept.output_tokens


@pytest.mark.parametrize("forever", [False, True])
async def test_a_conversation_that_is_deleted_while_its_comparison_is_planned_sends_nothing(
    bench: AppContext, peer: Peer, monkeypatch: pytest.MonkeyPatch, *, forever: bool
) -> None:
    conversation = await a_conversation(bench, model=PEER)
    require_budgets = compared_runs.require_budgets

    async def delete_meanwhile(*arguments: Any) -> None:
        await delete_conversation(bench, LOCAL_OWNER, conversation)
        if forever:
            await delete_for_good(bench, LOCAL_OWNER, conversation)
        await require_budgets(*arguments)

    monkeypatch.setattr(compared_runs, "require_budgets", delete_meanwhile)
    with pytest.raises(NotFoundError):
        await compare(bench, conversation, "One word.", PEER, OTHER)

    assert not bench.engine.runs
    assert peer.heard == []


@pytest.mark.parametrize("again", [False, True])
async def test_all_models_of_a_comparison_get_the_same_time(
    bench: AppContext, peer: Peer, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    await set_preferences(bench, LOCAL_OWNER, Preferences(date_zone="UTC", tell_time=True))
    conversation = await a_conversation(bench, model=OFFLINE)
    pair = (await reply_to(bench, conversation, "/echo one")).pair
    hours = iter(range(24))

    class Running(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime(2026, 1, 31, next(hours), tzinfo=tz)

    monkeypatch.setattr(context_selection, "datetime", Running)
    if again:
        compared = await compare_again(bench, LOCAL_OWNER, pair.id, ComparedModels((PEER, OTHER)))
    else:
        compared = await compare(bench, conversation, "One word.", PEER, OTHER)
    await ended(bench, compared)

    one, other = (orjson.loads(heard.body)["messages"][0] for heard in peer.heard)
    assert one["role"] == "system"
    assert one == other
