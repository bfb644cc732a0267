"""Summaries: the text that a model reads for one, the resulting checkpoint, and failures that change nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.child_calls.summaries import INSTRUCTION
from app.domain.context.context import SUMMARY_HEADING, OutReason
from app.domain.conversation.conversation import Checkpoint, ConversationKind, ConversationStatus, Role
from app.domain.errors import ConflictError, InputError, NotFoundError, SendLockedError
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import (
    Extent,
    Summary,
    change_checkpoint,
    plan_summary,
    put_checkpoint,
    remove_checkpoint,
    summarise,
)
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.forks import fork_conversation
from app.runs.resend.resend import Later, ResendOptions, resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.wiring import open_app_context
from app.store.conversation.conversations import load_conversation
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import a_conversation, calls_of, collect, pairs_of, reply_to, send, settings_of

MODEL = "peer:any"


@dataclass
class Bench:
    ctx: AppContext
    peer: Peer

    def last_messages(self) -> list[dict[str, Any]]:
        return orjson.loads(self.peer.heard[-1].body)["messages"]

    async def checkpoint(self, conversation_id: str) -> Checkpoint | None:
        async with self.ctx.store.read() as session:
            return (await load_conversation(session, LOCAL_OWNER, conversation_id)).checkpoint

    async def summarised(self, conversation_id: str, options: ViewOptions | None = None) -> Summary:
        """Request a summary and wait until its reply has ended and been processed."""
        summary = await summarise(self.ctx, LOCAL_OWNER, conversation_id, options or ViewOptions())
        await collect(self.ctx, summary.started.run_id)
        for task in tuple(self.ctx.background):
            await task
        return summary


@pytest.fixture
async def bench(data: Path) -> AsyncGenerator[Bench]:
    async with (
        a_peer(Answer((read_recording("openai_compatible", "text"),))) as peer,
        open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1")) as ctx,
    ):
        yield Bench(ctx, peer)


async def talked(bench: Bench, *texts: str) -> str:
    conversation_id = await a_conversation(bench.ctx, model=MODEL)
    for text in texts:
        await reply_to(bench.ctx, conversation_id, text)
    return conversation_id


async def test_summary_replaces_its_pairs(bench: Bench) -> None:
    conversation_id = await talked(bench, "First", "Second")

    summary = await bench.summarised(conversation_id)
    asked = bench.last_messages()
    await reply_to(bench.ctx, conversation_id, "Third")

    assert [message["content"] for message in asked if message["role"] == "user"] == ["First", "Second", INSTRUCTION]
    checkpoint = await bench.checkpoint(conversation_id)
    assert checkpoint is not None
    assert (summary.count, checkpoint.position) == (2, 3)
    sent = bench.last_messages()
    assert [message["role"] for message in sent] == ["system", "user"]
    assert sent[0]["content"] == f"{SUMMARY_HEADING}\n{checkpoint.summary}"
    view = await compose_view(bench.ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    assert list(view.composition.out.values()) == [OutReason.BEFORE_CHECKPOINT] * 2
    assert (view.composition.x, view.composition.y) == (1, 3)


async def test_only_pairs_in_view_are_read(bench: Bench) -> None:
    conversation_id = await talked(bench, "First", "Second")

    await bench.summarised(conversation_id, ViewOptions(filter="c'Second'"))

    assert [message["content"] for message in bench.last_messages() if message["role"] == "user"] == [
        "Second",
        INSTRUCTION,
    ]


async def test_next_summary_is_made_from_the_last_one_and_later_pairs(bench: Bench) -> None:
    conversation_id = await talked(bench, "First")
    await bench.summarised(conversation_id)
    await change_checkpoint(bench.ctx, LOCAL_OWNER, conversation_id, "It began.")
    await reply_to(bench.ctx, conversation_id, "Second")

    await bench.summarised(conversation_id)

    asked = bench.last_messages()
    assert asked[0]["content"] == f"{SUMMARY_HEADING}\nIt began."
    assert [message["content"] for message in asked if message["role"] == "user"] == ["Second", INSTRUCTION]
    checkpoint = await bench.checkpoint(conversation_id)
    assert checkpoint is not None
    assert checkpoint.position == 3


async def test_summary_is_made_in_a_child_conversation_that_keeps_its_cost(bench: Bench) -> None:
    conversation_id = await talked(bench, "First")

    summary = await bench.summarised(conversation_id)

    async with bench.ctx.store.read() as session:
        made = await load_conversation(session, LOCAL_OWNER, summary.conversation_id)
    assert (made.kind, made.status, made.parent_id) == (
        ConversationKind.TOOL,
        ConversationStatus.COMPLETED,
        conversation_id,
    )
    (pair,) = await pairs_of(bench.ctx, summary.conversation_id)
    assert pair.reply is not None
    assert (pair.request.role, pair.reply.role) == (Role.SYSTEM_SUMMARY, Role.SUMMARY)
    (call,) = await calls_of(bench.ctx, summary.conversation_id)
    assert (call.purpose, call.usage is not None) == ("summary", True)
    assert len(await pairs_of(bench.ctx, conversation_id)) == 1


async def test_failed_summary_changes_nothing(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "Hello")
    bench = Bench(ctx, Peer([]))
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(system_prompt="/fail auth"))
    before = await bench.checkpoint(conversation_id)

    summary = await summarise(ctx, LOCAL_OWNER, conversation_id, ViewOptions(model="offline:demo"))
    ctx.engine.cancel(summary.started.run_id)
    await collect(ctx, summary.started.run_id)
    for task in tuple(ctx.background):
        await task

    assert (before, await bench.checkpoint(conversation_id)) == (None, None)
    async with ctx.store.read() as session:
        made = await load_conversation(session, LOCAL_OWNER, summary.conversation_id)
    assert made.status is ConversationStatus.FAILED


async def test_checkpoint_is_edited_removed_and_put_back(bench: Bench) -> None:
    conversation_id = await talked(bench, "First")
    await bench.summarised(conversation_id)

    changed = await change_checkpoint(bench.ctx, LOCAL_OWNER, conversation_id, "Shorter.")
    removed = await remove_checkpoint(bench.ctx, LOCAL_OWNER, conversation_id)
    assert (changed, await bench.checkpoint(conversation_id)) == (Checkpoint("Shorter.", 2), None)
    await reply_to(bench.ctx, conversation_id, "Second")
    assert [message["role"] for message in bench.last_messages()] == ["user", "assistant", "user"]

    await put_checkpoint(bench.ctx, LOCAL_OWNER, conversation_id, removed)
    await reply_to(bench.ctx, conversation_id, "Third")
    assert bench.last_messages()[0]["content"] == f"{SUMMARY_HEADING}\nShorter."

    with pytest.raises(InputError, match="summary: is empty"):
        await change_checkpoint(bench.ctx, LOCAL_OWNER, conversation_id, " ")
    for nobodys in (
        remove_checkpoint(bench.ctx, "somebody else", conversation_id),
        remove_checkpoint(bench.ctx, "x", "y"),
    ):
        with pytest.raises(NotFoundError):
            await nobodys


async def test_pair_before_the_checkpoint_is_sent_again_only_in_a_branch(bench: Bench) -> None:
    conversation_id = await talked(bench, "First", "Second")
    await bench.summarised(conversation_id)
    first, second = await pairs_of(bench.ctx, conversation_id)

    with pytest.raises(ConflictError, match="is before the checkpoint"):
        await resend_pair(bench.ctx, LOCAL_OWNER, first.id, ResendOptions(later=Later.KEEP), text="Other")

    resent = await resend_pair(bench.ctx, LOCAL_OWNER, second.id, ResendOptions(later=Later.BRANCH), text="Other")
    await collect(bench.ctx, resent.started.run_id)
    assert [message["content"] for message in bench.last_messages() if message["role"] == "user"] == ["First", "Other"]


async def test_fork_has_the_pairs_themselves_and_no_checkpoint(bench: Bench) -> None:
    conversation_id = await talked(bench, "First")
    await bench.summarised(conversation_id)

    fork_id = await fork_conversation(
        bench.ctx, LOCAL_OWNER, conversation_id, [pair.id for pair in await pairs_of(bench.ctx, conversation_id)]
    )

    assert await bench.checkpoint(fork_id) is None
    assert (await compose_view(bench.ctx, LOCAL_OWNER, fork_id, ViewOptions())).composition.x == 1


async def test_conversation_that_cannot_be_summarised_is_refused_with_the_reason(bench: Bench) -> None:
    empty = await a_conversation(bench.ctx, model=MODEL)
    with pytest.raises(ConflictError, match="Nothing in view"):
        await summarise(bench.ctx, LOCAL_OWNER, empty)

    long = await a_conversation(bench.ctx, model="offline:demo")
    await reply_to(bench.ctx, long, "word " * 9_000)
    with pytest.raises(ConflictError, match="more than the 7,392 that any can read at once"):
        await summarise(bench.ctx, LOCAL_OWNER, long, ViewOptions(model=MODEL))


async def test_running_reply_holds_a_summary_up(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    await reply_to(ctx, conversation_id, "Hello")
    await send(ctx, conversation_id, "/slow")

    with pytest.raises(SendLockedError):
        await summarise(ctx, LOCAL_OWNER, conversation_id)


async def test_selection_is_summarised_up_to_a_pair_and_says_what_it_would_hide(bench: Bench) -> None:
    conversation_id = await talked(bench, "First", "Second", "Third")

    plan = await plan_summary(
        bench.ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter="!c'First'"), extent=Extent(everything=True)
    )
    await summarise(bench.ctx, LOCAL_OWNER, conversation_id, extent=Extent(up_to=2))
    for task in tuple(bench.ctx.background):
        await task

    assert (plan.count, plan.position, plan.unread) == (2, 4, 1)
    checkpoint = await bench.checkpoint(conversation_id)
    assert checkpoint is not None
    assert checkpoint.position == 3
