"""Text that an open page sends back for a reply that a crash cut off, on the database that the crash left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from structlog.testing import capture_logs

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import PairMarks
from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from app.domain.run.recovery import ShownPart
from app.domain.text.search import parse_search
from app.runs.app_context import AppContext
from app.runs.compare.comparisons import ComparedModels, keep_reply, start_comparison
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.recovery.recovery import recover
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.runtime.event_bus import ComparisonChanged, PairsChanged
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun, preview_send
from app.runs.send.send_request import SendRequest
from app.runs.wiring import open_app_context
from app.store.conversation.lists import ListCriteria
from app.store.index.search import search
from tests.runs.by_hand import ByHand
from tests.runs.exchange import bring_back, export
from tests.runs.recovery.test_reaper import copy_as_it_is
from tests.runs.steps import (
    a_conversation,
    calls_of,
    collect,
    pair_of,
    pairs_of,
    send,
    settings_of,
    text_of,
    wait_for_text,
)

MODELS = ("offline:demo", "offline:tiny")
STORED = "kept " * 100
LOST = "zebra " * 20


class WatchedLock(asyncio.Lock):
    """A lock that counts its requests."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0
        self._more = asyncio.Event()

    async def acquire(self) -> Literal[True]:
        self._asked += 1
        self._more.set()
        return await super().acquire()

    async def until_asked(self, times: int) -> None:
        async with asyncio.timeout(30):
            while self._asked < times:
                self._more.clear()
                await self._more.wait()


@dataclass(frozen=True)
class Crashed:
    """The process that starts after a crash. `shown` is the text that a page of the first process showed.

    In a comparison, the pair is the first reply, made in a child conversation; `conversation_id` is the user's
    conversation.
    """

    ctx: AppContext
    conversation_id: str
    pair_id: str
    run_id: str
    shown: str

    async def stored(self) -> str:
        pair = await pair_of(self.ctx, self.pair_id)
        assert pair.reply is not None
        return plain_text(pair.reply.parts)

    async def give_back(self, text: str | None = None, owner: str = LOCAL_OWNER) -> bool:
        return await recover(self.ctx, owner, self.run_id, (ShownPart("text", self.shown if text is None else text),))


@pytest.fixture
async def crashed(data: Path, tmp_path: Path, hand: ByHand, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Crashed]:
    async with open_app_context(settings_of(data)) as dying:
        conversation_id = await a_conversation(dying)
        started = await send(dying, conversation_id, "Hi")
        shown = await _crash(dying, started, hand, monkeypatch)
        left = copy_as_it_is(data, tmp_path / "left")
        monkeypatch.undo()
    async with open_app_context(settings_of(left)) as ctx:
        yield Crashed(ctx, conversation_id, started.pair_id, started.run_id, shown)


@pytest.fixture
async def compared(
    data: Path, tmp_path: Path, hand: ByHand, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Crashed]:
    async with open_app_context(settings_of(data)) as dying:
        conversation_id = await a_conversation(dying)
        comparison = await start_comparison(
            dying, LOCAL_OWNER, conversation_id, SendRequest("Hi"), ComparedModels(MODELS)
        )
        first = comparison.runs[0]
        shown = await _crash(dying, StartedRun(first.run_id, first.pair_id, ""), hand, monkeypatch)
        left = copy_as_it_is(data, tmp_path / "left")
        monkeypatch.undo()
    async with open_app_context(settings_of(left)) as ctx:
        yield Crashed(ctx, conversation_id, first.pair_id, first.run_id, shown)


async def _crash(dying: AppContext, started: StartedRun, hand: ByHand, monkeypatch: pytest.MonkeyPatch) -> str:
    """Stop the process from saving, and return the text that a page shows, which is more than the stored text."""
    hand.say(STORED)
    await wait_for_text(dying, started, len(STORED))
    await dying.engine.writer.save()
    monkeypatch.setattr(dying.engine.writer, "save", _save_nothing)
    hand.say(LOST)
    await wait_for_text(dying, started, len(STORED + LOST))
    return plain_text(dying.engine.runs[started.run_id].shown.parts)


async def _save_nothing(**_: bool) -> None:
    """Save nothing, like a process that was killed."""


async def test_text_of_an_open_page_is_text_of_the_pair_again(crashed: Crashed) -> None:
    ctx, before = crashed.ctx, await pair_of(crashed.ctx, crashed.pair_id)
    calls = await calls_of(ctx, crashed.conversation_id)
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, crashed.conversation_id)
    assert crashed.shown.startswith(await crashed.stored())
    assert "zebra" not in await crashed.stored()

    assert await crashed.give_back()

    assert await crashed.stored() == crashed.shown
    pair = await pair_of(ctx, crashed.pair_id)
    assert (pair.lifecycle, pair.usage, pair.request) == (Lifecycle.ERROR, before.usage, before.request)
    assert pair.failure is not None
    assert pair.failure.error_class is ErrorClass.INTERRUPTED
    assert "recovered from an open page" in pair.failure.next_step
    assert await anext(feed) == PairsChanged((crashed.pair_id,))
    assert await calls_of(ctx, crashed.conversation_id) == calls  # the recovery makes no call and reports none
    assert text_of(await collect(ctx, crashed.run_id)) == crashed.shown


async def test_what_was_recovered_is_found_and_counted(crashed: Crashed) -> None:
    ctx = crashed.ctx
    before = await preview_send(ctx, LOCAL_OWNER, crashed.conversation_id, SendRequest("Go on"))
    counted = before.composed.base.tokens_of(crashed.pair_id, 1)

    await crashed.give_back()

    after = await preview_send(ctx, LOCAL_OWNER, crashed.conversation_id, SendRequest("Go on"))
    async with ctx.store.read() as session:
        found = await search(session, LOCAL_OWNER, ListCriteria(kind=ConversationKind.AGENT), parse_search("zebra"))
    assert (after.composed.base.tokens_of(crashed.pair_id, 1) or 0) > (counted or 0)
    assert [place.conversation_id for place in found.places] == [crashed.conversation_id]
    assert after.wire.body == before.wire.body  # an interrupted pair is not sent, as its label on the page says


async def test_of_several_pages_the_longest_text_wins_and_giving_back_twice_changes_nothing(crashed: Crashed) -> None:
    shorter = crashed.shown[: len(await crashed.stored()) + 20]

    first, *others = [await crashed.give_back(text) for text in (shorter, crashed.shown, shorter, crashed.shown)]

    assert (first, others) == (True, [True, False, False])
    assert await crashed.stored() == crashed.shown
    pair = await pair_of(crashed.ctx, crashed.pair_id)
    assert pair.failure is not None
    assert pair.failure.recovered >= 20


async def test_another_text_and_another_owner_are_refused_and_the_log_says_why(crashed: Crashed) -> None:
    stored = await crashed.stored()

    with capture_logs() as logs:
        assert not await crashed.give_back("something else")
        assert not await crashed.give_back(owner="somebody")

    assert await crashed.stored() == stored
    assert [entry["event"] for entry in logs] == ["the text of a reply that an open page sent back was refused"] * 2
    assert [entry["reason"] for entry in logs] == [
        "The page shows a different text from the stored one.",
        f"There is no run '{crashed.run_id}'. It may have been deleted.",
    ]


async def test_a_pair_that_was_sent_again_meanwhile_is_left_alone(crashed: Crashed) -> None:
    again = await resend_pair(
        crashed.ctx, LOCAL_OWNER, crashed.pair_id, ResendOptions(later=Later.KEEP), text="/echo edited"
    )
    await collect(crashed.ctx, again.started.run_id)

    assert not await crashed.give_back()

    assert await crashed.stored() == "edited"


async def test_a_restored_version_gets_its_text_back(crashed: Crashed) -> None:
    again = await resend_pair(
        crashed.ctx, LOCAL_OWNER, crashed.pair_id, ResendOptions(later=Later.KEEP), text="/echo edited"
    )
    await collect(crashed.ctx, again.started.run_id)
    await restore_version(crashed.ctx, LOCAL_OWNER, crashed.pair_id, 1)

    assert await crashed.give_back()

    await restore_version(crashed.ctx, LOCAL_OWNER, crashed.pair_id, 2)
    await restore_version(crashed.ctx, LOCAL_OWNER, crashed.pair_id, 1)
    assert await crashed.stored() == crashed.shown


async def test_a_pair_that_was_deleted_is_left_alone(crashed: Crashed) -> None:
    undo = await mark_pairs(
        crashed.ctx, LOCAL_OWNER, crashed.conversation_id, [PairMarks(crashed.pair_id, {"deleted": True})]
    )

    assert not await crashed.give_back()

    await mark_pairs(crashed.ctx, LOCAL_OWNER, crashed.conversation_id, undo)
    assert "zebra" not in await crashed.stored()
    await delete_conversation(crashed.ctx, LOCAL_OWNER, crashed.conversation_id)
    assert not await crashed.give_back()


async def test_a_recovered_compared_reply_is_reported_in_its_conversation_and_kept_with_its_mark(
    compared: Crashed,
) -> None:
    ctx = compared.ctx
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, compared.conversation_id)
    assert "zebra" not in await compared.stored()

    assert await compared.give_back()

    assert await anext(feed) == ComparisonChanged()
    assert await compared.stored() == compared.shown
    kept = await keep_reply(ctx, LOCAL_OWNER, compared.conversation_id, MODELS[0])
    pair = await pair_of(ctx, kept.pair_id)
    assert pair.reply is not None
    assert plain_text(pair.reply.parts) == compared.shown
    assert pair.failure is not None
    assert pair.failure.recovered > 0
    assert not await compared.give_back(), "nothing is lost any more"


async def test_a_reply_that_is_kept_just_as_a_page_gives_it_back_has_all_of_its_text(compared: Crashed) -> None:
    ctx = compared.ctx
    turns = WatchedLock()
    object.__setattr__(ctx.store, "_writing", turns)
    async with ctx.store.write():  # both wait for the lock, the page first
        given = asyncio.create_task(compared.give_back())
        await turns.until_asked(2)
        keeping = asyncio.ensure_future(keep_reply(ctx, LOCAL_OWNER, compared.conversation_id, MODELS[0]))
        await turns.until_asked(3)

    assert await given
    pair = await pair_of(ctx, (await keeping).pair_id)
    assert pair.reply is not None
    assert plain_text(pair.reply.parts) == compared.shown


async def test_an_export_brings_the_recovered_text_and_its_mark_back(crashed: Crashed, other: AppContext) -> None:
    await crashed.give_back()

    (made,) = await bring_back(other, await export(crashed.ctx, crashed.conversation_id))

    (pair,) = await pairs_of(other, made)
    there = await pair_of(crashed.ctx, crashed.pair_id)
    assert pair.failure == there.failure
    assert pair.reply is not None
    assert plain_text(pair.reply.parts) == crashed.shown
