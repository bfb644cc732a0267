"""Sending a pair again and restoring versions, on a real app context; a scripted peer records the requests."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import text

from app.domain.conversation.accounting import Accounting, RemovalReason
from app.domain.conversation.conversation import Pair, Version
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, InputError, LaterPairsError, NotFoundError, SendLockedError
from app.runs.app_context import AppContext
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.resend.in_place import ResendResult
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.wiring import open_app_context
from app.store.conversation.lists import list_conversations
from app.store.conversation.nodes import load_accounting
from app.store.conversation.pairs import load_pair
from app.store.conversation.versions import load_versions
from app.views.conversation.version import describe_version
from app.views.encode import to_json
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import a_conversation, calls_of, collect, pair_of, pairs_of, reply_to, send, settings_of

MODEL = "peer:any"


@dataclass
class Bench:
    ctx: AppContext
    peer: Peer

    def last_body(self) -> dict[str, Any]:
        return orjson.loads(self.peer.heard[-1].body)

    def last_words(self) -> list[str]:
        return [message["content"] for message in self.last_body()["messages"] if message["role"] == "user"]


@pytest.fixture
async def bench(data: Path) -> AsyncGenerator[Bench]:
    async with (
        a_peer(Answer((read_recording("openai_compatible", "text"),))) as peer,
        open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1")) as ctx,
    ):
        yield Bench(ctx, peer)


async def talked(ctx: AppContext, *texts: str, model: str = MODEL) -> tuple[str, list[Pair]]:
    conversation_id = await a_conversation(ctx, model=model)
    return conversation_id, [(await reply_to(ctx, conversation_id, text)).pair for text in texts]


async def again(ctx: AppContext, pair: Pair, text: str | None = None, **how: Any) -> ResendResult:
    """Send a pair again and wait until the reply ends."""
    resent = await resend_pair(ctx, LOCAL_OWNER, pair.id, ResendOptions(**how), text=text)
    await collect(ctx, resent.started.run_id)
    return resent


async def versions_of(ctx: AppContext, pair_id: str) -> list[Version]:
    async with ctx.store.read() as session:
        return list(await load_versions(session, LOCAL_OWNER, await load_pair(session, LOCAL_OWNER, pair_id)))


async def nodes_of(ctx: AppContext, conversation_id: str) -> list[Accounting]:
    async with ctx.store.read() as session:
        return list(await load_accounting(session, LOCAL_OWNER, conversation_id))


def words(pair: Pair | Version) -> tuple[str, str]:
    return plain_text(pair.request.parts), "" if pair.reply is None else plain_text(pair.reply.parts)


async def test_standing_version_whose_time_cannot_be_read_is_listed_with_that_damage(bench: Bench) -> None:
    _, (pair,) = await talked(bench.ctx, "First")
    await again(bench.ctx, pair, text="Again")
    async with bench.ctx.store.write() as session:
        await session.execute(text("UPDATE version SET created_at = '1e999'"))

    versions = await versions_of(bench.ctx, pair.id)

    assert [words(version)[0] for version in versions] == ["First", "Again"]
    assert [[found.column for found in version.damage] for version in versions] == [["created_at"], ["created_at"]]
    assert orjson.loads(to_json([describe_version(version) for version in versions]))[1]["damage"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE pair SET parameters = '{\"a'",
        "UPDATE pair SET request_id = 'gone'",
        "UPDATE run SET sent = '[1, null]'",
        "UPDATE run SET started_at = '0000-00-00'",
    ],
)
async def test_request_of_a_run_that_cannot_be_read_is_verified_with_that_reason(bench: Bench, damage: str) -> None:
    _, (pair,) = await talked(bench.ctx, "First")
    assert pair.run_id is not None
    async with bench.ctx.store.write() as session:
        await session.execute(text(damage))

    verified = await verify_run(bench.ctx, LOCAL_OWNER, pair.run_id)

    assert not verified.matches
    assert verified.reasons[0].startswith("It cannot be read: ")


async def test_edited_pair_is_sent_in_place_with_the_pairs_above_it(bench: Bench) -> None:
    conversation_id, (one, two) = await talked(bench.ctx, "First", "Second")

    await again(bench.ctx, two, text="Second, shorter")

    assert bench.last_words() == ["First", "Second, shorter"]
    pairs = await pairs_of(bench.ctx, conversation_id)
    assert [(pair.id, pair.position, words(pair)[0]) for pair in pairs] == [
        (one.id, 1, "First"),
        (two.id, 2, "Second, shorter"),
    ]
    assert (pairs[1].version, pairs[1].versions, pairs[1].lifecycle) == (2, 2, Lifecycle.SUCCEEDED)


async def test_what_was_replaced_stays_as_a_version(bench: Bench) -> None:
    _, (pair,) = await talked(bench.ctx, "First")
    before = words(pair)

    await again(bench.ctx, pair, text="First, better")

    first, second = await versions_of(bench.ctx, pair.id)
    assert (words(first), first.standing, first.lifecycle, first.usage) == (before, False, pair.lifecycle, pair.usage)
    assert (words(second)[0], second.standing) == ("First, better", True)


async def test_regenerating_keeps_the_request_and_asks_the_model_chosen(bench: Bench) -> None:
    _, (pair,) = await talked(bench.ctx, "First")

    await again(bench.ctx, pair, options=ViewOptions(model="offline:demo"))

    stored = await pair_of(bench.ctx, pair.id)
    assert (stored.request, stored.model) == (pair.request, "offline:demo")
    assert stored.reply is not None
    assert stored.reply != pair.reply


async def test_restored_version_is_current_and_sent_by_the_next_send(bench: Bench) -> None:
    conversation_id, (pair,) = await talked(bench.ctx, "First")
    await again(bench.ctx, pair, text="First, better")

    await restore_version(bench.ctx, LOCAL_OWNER, pair.id, 1)
    await reply_to(bench.ctx, conversation_id, "Second")

    assert bench.last_words() == ["First", "Second"]
    assert words(await pair_of(bench.ctx, pair.id)) == words(pair)
    assert [version.standing for version in await versions_of(bench.ctx, pair.id)] == [True, False]
    await restore_version(bench.ctx, LOCAL_OWNER, pair.id, 2)
    assert words(await pair_of(bench.ctx, pair.id))[0] == "First, better"


async def test_third_version_follows_a_restored_first(bench: Bench) -> None:
    _, (pair,) = await talked(bench.ctx, "One")
    await again(bench.ctx, pair, text="Two")
    await restore_version(bench.ctx, LOCAL_OWNER, pair.id, 1)

    await again(bench.ctx, pair, text="Three")

    assert [words(version)[0] for version in await versions_of(bench.ctx, pair.id)] == ["One", "Two", "Three"]
    stored = await pair_of(bench.ctx, pair.id)
    assert (stored.version, stored.versions) == (3, 3)


async def test_failed_pair_keeps_its_failure_as_a_version(bench: Bench) -> None:
    conversation_id = await a_conversation(bench.ctx, model="offline:demo")
    failed = (await reply_to(bench.ctx, conversation_id, "/fail auth")).pair

    await again(bench.ctx, failed, text="Hello")

    first, second = await versions_of(bench.ctx, failed.id)
    assert (first.lifecycle, first.failure) == (Lifecycle.ERROR, failed.failure)
    assert (second.lifecycle, second.failure) == (Lifecycle.SUCCEEDED, None)
    assert [node.reason for node in await nodes_of(bench.ctx, conversation_id)] == [RemovalReason.EDIT]


async def test_later_pairs_want_a_decision(bench: Bench) -> None:
    _, (one, two, _) = await talked(bench.ctx, "First", "Second", "Third")
    asked = len(bench.peer.heard)

    with pytest.raises(LaterPairsError, match="2 pairs follow this one"):
        await resend_pair(bench.ctx, LOCAL_OWNER, one.id, text="Other")
    with pytest.raises(LaterPairsError, match="1 pair follows this one"):
        await resend_pair(bench.ctx, LOCAL_OWNER, two.id, text="Other")

    assert len(bench.peer.heard) == asked
    assert (await pair_of(bench.ctx, one.id)).versions == 1


async def test_later_pairs_can_be_kept(bench: Bench) -> None:
    conversation_id, (one, *_) = await talked(bench.ctx, "First", "Second")

    await again(bench.ctx, one, text="Other", later=Later.KEEP)

    assert bench.last_words() == ["Other"]
    assert [words(pair)[0] for pair in await pairs_of(bench.ctx, conversation_id)] == ["Other", "Second"]


async def test_later_pairs_can_be_discarded_and_brought_back(bench: Bench) -> None:
    conversation_id, (one, *_) = await talked(bench.ctx, "First", "Second", "Third")

    resent = await again(bench.ctx, one, text="Other", later=Later.DISCARD)

    assert [words(pair)[0] for pair in await pairs_of(bench.ctx, conversation_id)] == ["Other"]
    reasons = [(node.reason, node.messages, node.after_position) for node in await nodes_of(bench.ctx, conversation_id)]
    assert reasons == [(RemovalReason.EDIT, 2, 1), (RemovalReason.DISCARD, 4, 1)]
    await mark_pairs(bench.ctx, LOCAL_OWNER, conversation_id, resent.undo)
    assert [words(pair)[0] for pair in await pairs_of(bench.ctx, conversation_id)] == ["Other", "Second", "Third"]


async def test_branch_leaves_the_conversation_as_it_is(bench: Bench) -> None:
    conversation_id, pairs = await talked(bench.ctx, "First", "Second", "Third")

    resent = await again(bench.ctx, pairs[1], text="Other", later=Later.BRANCH)

    assert bench.last_words() == ["First", "Other"]
    assert resent.conversation_id != conversation_id
    assert [words(pair)[0] for pair in await pairs_of(bench.ctx, resent.conversation_id)] == ["First", "Other"]
    assert [pair.id for pair in await pairs_of(bench.ctx, conversation_id)] == [pair.id for pair in pairs]
    assert await nodes_of(bench.ctx, conversation_id) == []


async def test_refused_branch_leaves_no_conversation_behind(bench: Bench) -> None:
    conversation_id, pairs = await talked(bench.ctx, "First", "Second")

    with pytest.raises(InputError):
        await again(bench.ctx, pairs[1], options=ViewOptions(model="nobody:any"), later=Later.BRANCH)

    async with bench.ctx.store.read() as session:
        listed = await list_conversations(session, LOCAL_OWNER, limit=10)
    assert [one.conversation.id for one in listed] == [conversation_id]


async def test_only_what_is_in_view_above_goes_along(bench: Bench) -> None:
    conversation_id, (one, _, three) = await talked(bench.ctx, "First", "Second", "Third")
    await reply_to(bench.ctx, conversation_id, "Fourth")
    await mark_starred(bench.ctx, conversation_id, one)

    await again(bench.ctx, three, text="Other", later=Later.KEEP, options=ViewOptions(filter="s3"))

    assert bench.last_words() == ["First", "Other"]


async def mark_starred(ctx: AppContext, conversation_id: str, pair: Pair) -> None:
    await mark_pairs(ctx, LOCAL_OWNER, conversation_id, [PairMarks(pair.id, Marks(stars=3))])


async def test_cost_of_what_was_replaced_is_in_the_ledger_and_in_the_node(bench: Bench) -> None:
    conversation_id, (pair,) = await talked(bench.ctx, "First")
    spent = [call.usage for call in await calls_of(bench.ctx, conversation_id)]

    await again(bench.ctx, pair, text="Other")

    (node,) = await nodes_of(bench.ctx, conversation_id)
    assert [node.usage] == spent
    assert len(await calls_of(bench.ctx, conversation_id)) == 2


async def test_deleting_leaves_a_node_at_the_place_of_the_pairs(bench: Bench) -> None:
    conversation_id, (_, two, three) = await talked(bench.ctx, "First", "Second", "Third")

    deleted = [PairMarks(pair.id, Marks(deleted=True)) for pair in (three, two)]
    await mark_pairs(bench.ctx, LOCAL_OWNER, conversation_id, deleted)

    (node,) = await nodes_of(bench.ctx, conversation_id)
    assert (node.reason, node.messages, node.after_position) == (RemovalReason.DELETE, 4, 1)
    assert node.usage.input_tokens == sum(
        call.usage.input_tokens for call in await calls_of(bench.ctx, conversation_id) if call.usage
    )


async def test_running_conversation_sends_nothing_again(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    first = (await reply_to(ctx, conversation_id, "Hello")).pair
    running = await send(ctx, conversation_id, "/slow")

    for pair_id in (first.id, running.pair_id):
        with pytest.raises((SendLockedError, LaterPairsError)):
            await resend_pair(ctx, LOCAL_OWNER, pair_id, text="Other")
        with pytest.raises(SendLockedError):
            await resend_pair(ctx, LOCAL_OWNER, pair_id, ResendOptions(later=Later.KEEP), text="Other")
    with pytest.raises(SendLockedError):
        await restore_version(ctx, LOCAL_OWNER, running.pair_id, 1)


async def test_two_resends_of_the_same_pair_do_not_overwrite_each_other(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    pair = (await reply_to(ctx, conversation_id, "Hello")).pair
    await resend_pair(ctx, LOCAL_OWNER, pair.id, text="Mine /slow")

    with pytest.raises(ConflictError):
        await resend_pair(ctx, LOCAL_OWNER, pair.id, text="Yours")

    assert [words(version)[0] for version in await versions_of(ctx, pair.id)] == ["Hello", "Mine /slow"]


async def test_blank_text_and_unknown_pairs_are_refused(bench: Bench) -> None:
    _, (pair,) = await talked(bench.ctx, "First")
    with pytest.raises(InputError, match="text: is empty"):
        await resend_pair(bench.ctx, LOCAL_OWNER, pair.id, text=" \n")
    for attempt in (
        resend_pair(bench.ctx, LOCAL_OWNER, "nobody", text="x"),
        resend_pair(bench.ctx, "somebody else", pair.id, text="x"),
        restore_version(bench.ctx, "somebody else", pair.id, 1),
        restore_version(bench.ctx, LOCAL_OWNER, pair.id, 2),
        restore_version(bench.ctx, LOCAL_OWNER, pair.id, 0),
    ):
        with pytest.raises(NotFoundError):
            await attempt
