"""A pair that several models answer again: one reply replaces the old one, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.compare.comparisons import ComparingError, Comparison
from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.conversation import Pair, Version
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, InputError, LaterPairsError, NotFoundError, PairChangedError
from app.domain.usage import Usage
from app.runs.app_context import AppContext, context_for
from app.runs.compare.comparisons import (
    ComparedModels,
    discard_comparison,
    keep_reply,
    read_comparison,
    reopen_comparison,
)
from app.runs.compare.pair_comparisons import compare_again
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.resend.kept_requests import resend_as_it_was
from app.runs.resend.resend import Later, ResendOptions, Seen, preview_resend, resend_pair, restore_version
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.stopping import cancel_run
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.wiring import open_app_context
from app.store.conversation.lists import list_conversations
from app.store.conversation.nodes import load_accounting
from app.store.conversation.versions import load_versions
from app.store.ledger.ledger import sum_usage_by_model
from app.store.run.snapshots import load_snapshot
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import a_conversation, collect, pair_of, pairs_of, reply_to, send, settings_of
from tests.waiting import until

OFFLINE, PEER, OTHER = "offline:demo", "peer:any", "peer:other"
RUNNING = "/long 2000 /rate 100"


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    async with a_peer(Answer((read_recording("openai_compatible", "text"),))) as opened:
        yield opened


@pytest.fixture
async def bench(data: Path, peer: Peer) -> AsyncGenerator[AppContext]:
    async with open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1")) as ctx:
        yield ctx


async def talked(ctx: AppContext, *texts: str) -> tuple[str, list[Pair]]:
    conversation_id = await a_conversation(ctx, model=OFFLINE)
    return conversation_id, [(await reply_to(ctx, conversation_id, text)).pair for text in texts]


async def compared(ctx: AppContext, pair: Pair, *models: str, **how: Any) -> Comparison:
    """Compare a pair and wait until all models have answered."""
    comparison = await compare_again(
        ctx, LOCAL_OWNER, pair.id, ComparedModels(models or (OFFLINE, PEER)), ResendOptions(**how)
    )
    for run in comparison.runs:
        await collect(ctx, run.run_id)
    return comparison


async def seen_of(ctx: AppContext, pair_id: str) -> list[tuple[str, str, bool]]:
    """Return the versions of a pair: model, text, and whether it is the current version."""
    async with ctx.store.read() as session:
        versions = await load_versions(session, LOCAL_OWNER, await pair_of(ctx, pair_id))
    return [(one.model, words(one), one.standing) for one in versions]


async def reasons(ctx: AppContext, conversation_id: str) -> list[tuple[RemovalReason | None, int, int]]:
    async with ctx.store.read() as session:
        nodes = await load_accounting(session, LOCAL_OWNER, conversation_id)
    return [(node.reason, node.after_position, node.messages) for node in nodes]


async def spent(ctx: AppContext, conversation_id: str) -> Usage:
    async with ctx.store.read() as session:
        sums = await sum_usage_by_model(session, LOCAL_OWNER, conversation_id=conversation_id)
    return sum(sums.values(), start=Usage())


def words(pair: Pair | Version) -> str:
    return "" if pair.reply is None else plain_text(pair.reply.parts)


async def test_kept_reply_is_current_in_the_pair_and_every_other_is_a_version(bench: AppContext) -> None:
    conversation_id, (_, pair) = await talked(bench, "/echo before", "/echo mine")
    comparison = await compared(bench, pair, PEER, OTHER)
    assert (comparison.pair_id, await pair_of(bench, pair.id)) == (pair.id, pair), "nothing has changed in it yet"
    before = await spent(bench, conversation_id)

    kept = await keep_reply(bench, LOCAL_OWNER, conversation_id, OTHER)

    said = (await seen_of(bench, pair.id))[1][1]
    assert said
    assert await seen_of(bench, pair.id) == [(OFFLINE, "mine", False), (PEER, said, False), (OTHER, said, True)]
    stands = await pair_of(bench, pair.id)
    assert (kept.pair_id, kept.replaced, kept.undo) == (pair.id, 1, ())
    assert (stands.model, stands.position, stands.request, stands.lifecycle) == (
        OTHER,
        2,
        pair.request,
        Lifecycle.SUCCEEDED,
    )
    assert await reasons(bench, conversation_id) == [(RemovalReason.REGENERATE, 2, 1)]
    assert await spent(bench, conversation_id) == before
    for run in comparison.runs:
        verified = await verify_run(bench, LOCAL_OWNER, run.run_id)
        assert verified.matches, verified.reasons
    with pytest.raises(NotFoundError):
        await read_comparison(bench, LOCAL_OWNER, conversation_id)

    await restore_version(bench, LOCAL_OWNER, pair.id, 1)
    assert words(await pair_of(bench, pair.id)) == "mine"
    await compared(bench, await pair_of(bench, pair.id), PEER, OFFLINE)
    await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)
    assert [(model, standing) for model, _, standing in await seen_of(bench, pair.id)] == [
        (OFFLINE, False),
        (PEER, False),
        (OTHER, False),
        (PEER, False),
        (OFFLINE, True),
    ]
    after = (await reply_to(bench, conversation_id, "/echo after")).pair
    assert [one.id for one in await pairs_of(bench, conversation_id)][1:] == [pair.id, after.id]


async def test_each_model_is_sent_what_answering_again_would_send_it(bench: AppContext, peer: Peer) -> None:
    """The bytes are those of the preview: the pairs above that the filter shows, and none after the pair."""
    _, (_, _, pair, _) = await talked(bench, "/echo one", "/echo two", "/echo three", "/echo four")
    views = {model: ViewOptions(filter="c'two'", model=model, zone="Europe/Berlin") for model in (PEER, OTHER)}
    previews = {
        model: await preview_resend(bench, LOCAL_OWNER, pair.id, ResendOptions(options=options))
        for model, options in views.items()
    }

    await compared(bench, pair, PEER, OTHER, options=views[PEER], later=Later.KEEP)

    heard = {f"peer:{orjson.loads(call.body)['model']}": call.body for call in peer.heard}
    assert heard == {model: preview.wire.body for model, preview in previews.items()}
    contents = [message["content"] for message in orjson.loads(heard[PEER])["messages"]]
    assert contents == ["/echo two", "two", "/echo three"]


async def test_discarding_leaves_the_pair_unchanged_and_its_cost_counted(bench: AppContext) -> None:
    conversation_id, (pair,) = await talked(bench, "/echo mine")
    before = await spent(bench, conversation_id)
    comparison = await compared(bench, pair)
    paid = await spent(bench, conversation_id)

    await discard_comparison(bench, LOCAL_OWNER, conversation_id)

    assert await pair_of(bench, pair.id) == pair
    assert await reasons(bench, conversation_id) == [], "no message has left the history"
    assert await spent(bench, conversation_id) == paid
    assert paid.output_tokens > before.output_tokens
    resent = await resend_pair(bench, LOCAL_OWNER, pair.id, text="/echo other")
    await collect(bench, resent.started.run_id)
    assert (await reopen_comparison(bench, LOCAL_OWNER, conversation_id)).id == comparison.id
    await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)
    assert [text for _, text, _ in await seen_of(bench, pair.id)][:3] == ["mine", "other", "mine"]
    assert await reasons(bench, conversation_id) == [(RemovalReason.EDIT, 1, 2), (RemovalReason.REGENERATE, 1, 2)]
    stands = await pair_of(bench, pair.id)
    assert (stands.version, stands.versions, plain_text(stands.request.parts)) == (3, 4, "/echo mine")


async def test_later_pairs_are_kept_or_leave_with_the_reply_that_is_kept(bench: AppContext) -> None:
    conversation_id, (pair, second, third) = await talked(bench, "/echo one", "/echo two", "/echo three")
    with pytest.raises(LaterPairsError):
        await compared(bench, pair)
    with pytest.raises(LaterPairsError):
        await compared(bench, pair, later=Later.DISCARD, seen=Seen(later=1))
    await compared(bench, pair, later=Later.KEEP)
    await keep_reply(bench, LOCAL_OWNER, conversation_id, PEER)
    assert [one.id for one in await pairs_of(bench, conversation_id)] == [pair.id, second.id, third.id]

    await compared(bench, pair, later=Later.DISCARD)
    assert len(await pairs_of(bench, conversation_id)) == 3, "they leave when a reply is kept"
    await mark_pairs(bench, LOCAL_OWNER, conversation_id, (PairMarks(third.id, Marks(deleted=True)),))
    kept = await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)

    assert [one.id for one in await pairs_of(bench, conversation_id)] == [pair.id]
    assert (await reasons(bench, conversation_id))[-2:] == [
        (RemovalReason.REGENERATE, 1, 1),
        (RemovalReason.DISCARD, 1, 2),
    ]
    assert kept.undo == (PairMarks(second.id, Marks(deleted=False)),), "the other one was gone before"
    await mark_pairs(bench, LOCAL_OWNER, conversation_id, kept.undo)
    assert len(await pairs_of(bench, conversation_id)) == 2


async def test_branch_compares_in_a_new_conversation_and_is_gone_if_that_is_refused(bench: AppContext) -> None:
    conversation_id, (_, pair, _) = await talked(bench, "/echo one", "/echo two", "/echo three")
    with pytest.raises(InputError):
        await compare_again(
            bench, LOCAL_OWNER, pair.id, ComparedModels((OFFLINE, "no:where")), ResendOptions(later=Later.BRANCH)
        )
    async with bench.store.read() as session:
        assert len(await list_conversations(session, LOCAL_OWNER, limit=9)) == 1

    comparison = await compared(bench, pair, later=Later.BRANCH)

    assert comparison.conversation_id != conversation_id
    await keep_reply(bench, LOCAL_OWNER, comparison.conversation_id, OFFLINE)
    assert [words(one) for one in await pairs_of(bench, comparison.conversation_id)] == ["one", "two"]
    assert await pair_of(bench, pair.id) == pair


async def test_nothing_unseen_is_replaced_and_nothing_else_happens_to_the_pair_meanwhile(bench: AppContext) -> None:
    conversation_id, (pair,) = await talked(bench, "/echo one")
    await collect(bench, (await resend_pair(bench, LOCAL_OWNER, pair.id, text="/echo two")).started.run_id)
    with pytest.raises(PairChangedError):
        await compared(bench, pair, seen=Seen(1))
    await compared(bench, pair, seen=Seen(2))

    with pytest.raises(ComparingError):
        await restore_version(bench, LOCAL_OWNER, pair.id, 1)
    with pytest.raises(ComparingError):
        await resend_pair(bench, LOCAL_OWNER, pair.id)
    with pytest.raises(ComparingError):
        await compared(bench, pair)
    with pytest.raises(ComparingError):
        await send(bench, conversation_id, "/echo more")
    undo = await mark_pairs(bench, LOCAL_OWNER, conversation_id, (PairMarks(pair.id, Marks(deleted=True)),))
    with pytest.raises(ConflictError, match="was deleted"):
        await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)
    await mark_pairs(bench, LOCAL_OWNER, conversation_id, undo)
    await keep_reply(bench, LOCAL_OWNER, conversation_id, OFFLINE)
    assert [text for _, text, _ in await seen_of(bench, pair.id)][:3] == ["one", "two", "two"]


async def test_two_requests_at_once_get_one_comparison(bench: AppContext) -> None:
    _, (pair,) = await talked(bench, "/echo one")

    both = await asyncio.gather(
        *(compare_again(bench, LOCAL_OWNER, pair.id, ComparedModels((OFFLINE, PEER))) for _ in range(2)),
        return_exceptions=True,
    )

    assert sorted(type(one).__name__ for one in both) == ["ComparingError", "Comparison"]


async def test_reply_that_failed_is_answered_by_several_and_its_request_is_not_taken_for_theirs(
    bench: AppContext,
) -> None:
    conversation_id = await a_conversation(bench, model=OFFLINE)
    pair = (await reply_to(bench, conversation_id, "/fail auth")).pair
    await compared(bench, pair, OFFLINE, PEER)
    async with bench.store.read() as session:
        assert (await load_snapshot(session, LOCAL_OWNER, pair.id)).run_id == pair.run_id

    await keep_reply(bench, LOCAL_OWNER, conversation_id, PEER)

    stands = await pair_of(bench, pair.id)
    assert (stands.lifecycle, stands.failure) == (Lifecycle.SUCCEEDED, None)
    assert await reasons(bench, conversation_id) == [(RemovalReason.RETRY, 1, 1)]
    with pytest.raises(NotFoundError):
        await resend_as_it_was(bench, LOCAL_OWNER, pair.id)


async def test_restart_ends_the_replies_and_one_of_them_can_be_kept(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        conversation_id = await a_conversation(ctx, model=OFFLINE)
        pair = (await reply_to(ctx, conversation_id, "/echo mine")).pair
        resent = await resend_pair(ctx, LOCAL_OWNER, pair.id, text=RUNNING)
        await cancel_run(ctx, LOCAL_OWNER, resent.started.run_id)
        await compare_again(ctx, LOCAL_OWNER, pair.id, ComparedModels((OFFLINE, "offline:tiny")))
        await until(lambda: all(run.state.parts for run in ctx.engine.runs.values()))

    async with open_app_context(settings_of(data)) as ctx:
        assert (await pair_of(ctx, pair.id)).version == 2
        _, replies = await read_comparison(ctx, LOCAL_OWNER, conversation_id)
        assert {one.lifecycle for one in replies} == {Lifecycle.ERROR}
        await keep_reply(ctx, LOCAL_OWNER, conversation_id, "offline:tiny")
        stands = await pair_of(ctx, pair.id)
        assert (stands.version, stands.versions, stands.lifecycle, bool(words(stands))) == (4, 4, Lifecycle.ERROR, True)
        async with ctx.store.read() as session:
            assert (await load_snapshot(session, LOCAL_OWNER, pair.id)).run_id == stands.run_id


async def test_pair_of_a_temporary_conversation_is_compared_and_kept_with_it(bench: AppContext) -> None:
    made = await create_temporary(bench, LOCAL_OWNER, model=OFFLINE)
    beside = await context_for(bench, made.id)
    pair = (await reply_to(beside, made.id, "/echo passing")).pair
    await compared(beside, pair)
    await keep_conversation(beside, LOCAL_OWNER, made.id)

    await keep_reply(bench, LOCAL_OWNER, made.id, OFFLINE)

    assert [(model, standing) for model, _, standing in await seen_of(bench, pair.id)] == [
        (OFFLINE, False),
        (OFFLINE, True),
        (PEER, False),
    ]
