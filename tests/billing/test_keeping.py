"""The cache keep-alive, against a provider that bills: entries are read for a tenth, and nothing else is sent."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from app.domain.cache.rules import CacheLifetime
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ConflictError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import context_for
from app.runs.cache.keep_alive import start_keeping
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import set_preferences
from app.runs.temporary.temporary import create_temporary
from app.runs.usage.accounts import list_booked
from app.store.conversation.conversations import load_conversation
from tests.billing.anthropic import price
from tests.billing.openai import OpenAiCache
from tests.billing.peer import BillingPeer, play_openai
from tests.billing.talking import DEFAULT_OPTIONS, MODEL, PROMPT, Talk, talking
from tests.runs.steps import pairs_of, reply_to


async def test_refreshes_keep_the_prefix_through_a_long_pause_for_less_than_a_rewrite(talk: Talk) -> None:
    kept_tokens = (await talk.offer()).tokens
    worth = (await talk.offer()).worth
    anew = price(talk.peer.asked[0].usage)
    await talk.keep()
    asked = len(talk.peer.asked)

    for _ in range(8):
        await talk.pass_time(275)
        assert await talk.tend() == 0.0
        assert await talk.waits() > 200
    refreshes = talk.peer.asked[asked:]
    read = await talk.says("After a long lunch?")

    assert worth is not None
    assert len(refreshes) == 8 < worth
    assert {one.usage["cache_read_input_tokens"] for one in refreshes} == {kept_tokens}
    assert {one.usage["cache_creation_input_tokens"] for one in refreshes} == {0}
    assert {one.body["max_tokens"] for one in refreshes} == {1}
    assert {one.body["messages"][-1]["role"] for one in refreshes} == {"user"}
    assert read["cache_read_input_tokens"] == kept_tokens
    assert sum(price(one.usage) for one in refreshes) + 0.1 * kept_tokens < anew


async def test_what_was_kept_for_an_hour_is_kept_warm_for_many(talk: Talk) -> None:
    """The writing request is then older than an hour; only refreshes have read the entry since."""
    await set_preferences(talk.ctx, LOCAL_OWNER, Preferences(cache=CacheLifetime.LONG))
    await talk.pass_time(301)
    await talk.says("I will be away for long.")
    await talk.keep(minutes=300)

    for _ in range(3):
        await talk.pass_time(3_575)
        assert await talk.tend() == 0.0

    assert (await talk.offer()).tokens == (await talk.says("I am back."))["cache_read_input_tokens"] > 1_000


async def test_without_it_the_same_pause_costs_the_beginning_again(talk: Talk) -> None:
    await talk.pass_time(2_200)

    assert (await talk.says("After a long lunch?"))["cache_read_input_tokens"] == 0


async def test_a_refresh_is_booked_on_the_conversation_and_adds_nothing_to_it(talk: Talk) -> None:
    before = await preview_send(talk.ctx, LOCAL_OWNER, talk.conversation_id, SendRequest("Next"))
    each = (await talk.offer()).each
    await talk.keep()
    await talk.pass_time(275)
    await talk.tend()

    newest = (await list_booked(talk.ctx, LOCAL_OWNER, talk.conversation_id, limit=1))[0]
    after = await preview_send(talk.ctx, LOCAL_OWNER, talk.conversation_id, SendRequest("Next"))
    kept = await talk.kept()
    assert (newest.call.purpose, newest.call.outcome) == ("keep_warm", Lifecycle.SUCCEEDED)
    assert newest.judged is not None
    assert newest.judged.outcome == "as_predicted"
    assert after.built.request == before.built.request
    assert len(await pairs_of(talk.ctx, talk.conversation_id)) == 2
    assert (kept.spent.calls, kept.keeping.ended_at) == (1, None)
    # the peer always answers with three words
    assert newest.spent.cost.amount == pytest.approx(each, rel=Decimal("0.06"))
    made_id = newest.call.conversation_id
    assert kept.keeping.made_id == made_id
    async with talk.ctx.store.read() as session:
        made = await load_conversation(session, LOCAL_OWNER, made_id)
    last = (await pairs_of(talk.ctx, talk.conversation_id))[-1]
    assert last.reply is not None
    assert (made.parent_id, made.trigger_message_id) == (talk.conversation_id, last.reply.id)
    with pytest.raises(ConflictError, match="so you cannot send in it"):
        await preview_send(talk.ctx, LOCAL_OWNER, made_id, SendRequest("More"))


async def test_a_send_meanwhile_prolongs_the_cache(talk: Talk) -> None:
    await talk.keep()
    await talk.pass_time(250)
    await talk.says("I go on.")
    asked = len(talk.peer.asked)

    await talk.pass_time(60)

    assert 200 < await talk.waits() < 240
    assert len(talk.peer.asked) == asked


async def test_openai_is_not_paid_for_what_it_does_not_promise(tmp_path: Path) -> None:
    peer = BillingPeer("openai", OpenAiCache(newest=False).bill, play_openai)
    async with talking(tmp_path, peer, "openai:gpt-4o") as talk:
        with pytest.raises(ConflictError, match="does not state that sending a prompt again extends"):
            await talk.keep()


async def test_nothing_kept_is_nothing_to_keep_warm(talk: Talk) -> None:
    await talk.pass_time(301)

    with pytest.raises(ConflictError, match="has cached nothing that the next send would read"):
        await talk.keep()


async def test_temporary_conversation_is_not_kept_warm(talk: Talk) -> None:
    made = await create_temporary(talk.ctx, LOCAL_OWNER, model=MODEL, system_prompt=PROMPT)
    bench = await context_for(talk.ctx, made.id)
    await reply_to(bench, made.id, "Hello?")

    with pytest.raises(ConflictError, match="temporary"):
        await start_keeping(bench, LOCAL_OWNER, made.id, DEFAULT_OPTIONS, 30)
