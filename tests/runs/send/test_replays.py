"""Replay: an identical request is answered from the database, marked and free. Any other is sent to the provider."""

from __future__ import annotations

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.settings.preferences import Preferences
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.resend.resend import resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import set_preferences
from tests.runs.steps import a_conversation, calls_of, collect, pair_of, reply_to

TEXT = "/rate 0\nWhy is the sky blue?"


async def test_identical_request_is_answered_from_the_database_and_marked(ctx: AppContext) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(replay=True))
    first = await reply_to(ctx, await a_conversation(ctx), TEXT)
    other = await a_conversation(ctx)

    again = await reply_to(ctx, other, TEXT)

    assert (first.pair.replayed, again.pair.replayed) == (False, True)
    assert (again.text, again.kinds[-1], again.pair.lifecycle) == (first.text, "done", Lifecycle.SUCCEEDED)
    assert again.pair.usage == Usage()
    assert await calls_of(ctx, other) == ()
    third = await reply_to(ctx, await a_conversation(ctx), TEXT)
    assert third.pair.replayed


async def test_nothing_is_replayed_unless_it_is_requested(ctx: AppContext) -> None:
    await reply_to(ctx, await a_conversation(ctx), TEXT)

    again = await reply_to(ctx, await a_conversation(ctx), TEXT)

    assert not again.pair.replayed


async def test_other_request_is_asked(ctx: AppContext) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(replay=True))
    await reply_to(ctx, await a_conversation(ctx), TEXT)

    others = [
        await reply_to(ctx, await a_conversation(ctx, system_prompt="Be brief."), TEXT),
        await reply_to(ctx, await a_conversation(ctx, model="offline:tiny"), TEXT),
        await reply_to(ctx, await a_conversation(ctx), TEXT, parameters=Parameters(max_output_tokens=50)),
    ]

    assert [ended.pair.replayed for ended in others] == [False] * 3


async def test_failed_reply_is_asked_for_again(ctx: AppContext) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(replay=True))
    await reply_to(ctx, await a_conversation(ctx), "/fail auth")

    again = await reply_to(ctx, await a_conversation(ctx), "/fail auth")

    assert (again.pair.replayed, again.pair.lifecycle) == (False, Lifecycle.ERROR)


async def test_regenerating_asks_the_model(ctx: AppContext) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(replay=True))
    ended = await reply_to(ctx, await a_conversation(ctx), TEXT)

    resent = await resend_pair(ctx, LOCAL_OWNER, ended.pair.id)
    await collect(ctx, resent.started.run_id)

    assert not (await pair_of(ctx, ended.pair.id)).replayed
