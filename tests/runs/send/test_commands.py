from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from app.domain.conversation.conversation import Effort, Parameters, Role, ToolMode
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text
from app.domain.errors import ErrorClass, InputError, NotFoundError, ProviderError, SendLockedError
from app.runs.app_context import AppContext, context_for, current
from app.runs.conversation.conversation_commands import (
    SettingChanges,
    change_conversation,
    create_conversation,
    delete_conversation,
)
from app.runs.runtime.event_bus import ConversationChanged, ConversationRemoved, PairsChanged, RunStarted
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send import commands, planning, stopping
from app.runs.send.commands import preview_send, start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.temporary.temporary import create_temporary
from app.runs.wiring import open_app_context
from app.store.conversation import pairs
from app.store.conversation.conversations import load_conversation
from tests.runs.steps import (
    a_conversation,
    calls_of,
    collect,
    pair_of,
    pairs_of,
    reply_to,
    send,
    settings_of,
    wait_for_text,
)


async def test_a_reply_is_streamed_and_stored_with_its_usage(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    ended = await reply_to(ctx, conversation_id, "/echo Hello there /rate 0")

    assert ended.text.startswith("Hello there")
    assert ended.kinds[:3] == ["run", "status", "part_started"]
    assert ended.kinds[-3:] == ["usage", "status", "done"]
    pair = ended.pair
    assert pair.lifecycle is Lifecycle.SUCCEEDED
    assert pair.request.parts == (Text("/echo Hello there /rate 0"),)
    assert pair.reply is not None
    assert pair.reply.role is Role.ASSISTANT
    assert pair.reply.parts == (Text(ended.text),)
    assert pair.usage is not None
    (call,) = await calls_of(ctx, conversation_id)
    assert (call.usage, call.outcome, call.attempt, call.purpose) == (pair.usage, Lifecycle.SUCCEEDED, 1, "reply")
    assert call.started_at <= call.ended_at


async def test_a_send_carries_what_is_in_view(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, system_prompt="Be brief.")
    await reply_to(ctx, conversation_id, "/echo one")
    await reply_to(ctx, conversation_id, "/fail model")

    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("two"))

    request = preview.built.request
    assert request.system == "Be brief."
    assert [message.role for message in request.messages] == ["user", "assistant", "user"]
    assert request.messages[-1].parts == (Text("two"),)
    assert list(preview.composed.composition.out.values()) == ["failed"]
    assert len(preview.hashes) == 4
    started = await send(ctx, conversation_id, "two")
    assert started.content_hash == preview.hashes[-1]


async def test_the_model_and_parameters_of_one_send_are_kept_with_its_pair(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    asked = Parameters(max_output_tokens=3, effort=Effort.LOW)

    ended = await reply_to(
        ctx, conversation_id, "/long 50", options=ViewOptions(model="offline:tiny"), parameters=asked
    )

    assert (ended.pair.model, ended.pair.parameters) == ("offline:tiny", asked)
    assert ended.pair.stop_reason == "max_tokens"
    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation_id)).model == "offline:demo"


async def test_the_first_send_chooses_the_conversations_model(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    await reply_to(ctx, conversation_id, "/rate 0")

    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation_id)).model == "offline:demo"


# --- the send lock ---


async def test_of_many_sends_at_once_one_starts(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    results = await asyncio.gather(*(send(ctx, conversation_id, "/slow") for _ in range(40)), return_exceptions=True)

    refused = [result for result in results if isinstance(result, SendLockedError)]
    assert len(refused) == 39
    assert len(await pairs_of(ctx, conversation_id)) == 1


async def test_of_two_processes_that_send_at_once_one_starts(data: Path) -> None:
    async with open_app_context(settings_of(data)) as one, open_app_context(settings_of(data)) as other:
        for _ in range(5):
            conversation_id = await a_conversation(one)

            results = await asyncio.gather(
                *(send(ctx, conversation_id, "/slow") for ctx in (one, other) * 4), return_exceptions=True
            )

            assert sum(isinstance(result, SendLockedError) for result in results) == 7
            assert len(await pairs_of(one, conversation_id)) == 1


async def test_the_lock_holds_without_a_check(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process writes between the check and the write: the index of the database is the lock."""
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/slow")
    look = pairs.load_tail

    async def look_away(session: AsyncSession, conversation: str) -> pairs.Tail:
        monkeypatch.setattr(pairs, "load_tail", look)
        return replace(await look(session, conversation), running=None)

    monkeypatch.setattr(pairs, "load_tail", look_away)
    monkeypatch.setattr(planning, "require_sendable", print)
    with pytest.raises(SendLockedError):
        await send(ctx, conversation_id, "/slow")

    assert [pair.id for pair in await pairs_of(ctx, conversation_id)] == [started.pair_id]


async def test_other_conversations_are_not_locked(ctx: AppContext) -> None:
    await send(ctx, await a_conversation(ctx), "/slow")

    assert (await reply_to(ctx, await a_conversation(ctx), "/rate 0")).pair.lifecycle is Lifecycle.SUCCEEDED


async def test_a_client_that_has_seen_the_end_can_send_again(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    for number in range(10):
        ended = await reply_to(ctx, conversation_id, f"/echo {number} /rate 0")

        assert ended.pair.position == number + 1


# --- what cannot be sent ---


@pytest.mark.parametrize("text", ["", "  \n\t"])
async def test_nothing_cannot_be_sent(ctx: AppContext, text: str) -> None:
    with pytest.raises(InputError, match="Write something"):
        await send(ctx, await a_conversation(ctx), text)


@pytest.mark.parametrize(
    ("text", "model", "field"),
    [
        ("half \ud83d an emoji", "offline:demo", "text"),
        ("Hello", "demo", "model"),
        ("Hello", "nobody:demo", "model"),
    ],
)
async def test_input_that_cannot_be_used_names_its_field_and_stores_nothing(
    ctx: AppContext, text: str, model: str, field: str
) -> None:
    conversation_id = await a_conversation(ctx)

    for ask in (preview_send, start_reply):
        with pytest.raises(InputError) as refused:
            await ask(ctx, LOCAL_OWNER, conversation_id, SendRequest(text, ViewOptions(model=model)))
        assert refused.value.field == field

    assert await pairs_of(ctx, conversation_id) == ()


async def test_a_provider_without_its_key_can_be_previewed_but_not_asked(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    claude = ViewOptions(model="anthropic:claude-sonnet-4-5")

    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello", claude))
    with pytest.raises(ProviderError) as refused:
        await send(ctx, conversation_id, "Hello", options=claude)

    assert preview.url == "https://api.anthropic.com/v1/messages"
    assert refused.value.failure.error_class is ErrorClass.AUTH
    assert str(refused.value) == '[error: auth] There is no key for provider "anthropic".'
    assert refused.value.failure.next_step == "Add or correct the key in Settings → Providers."
    assert await pairs_of(ctx, conversation_id) == ()


async def test_a_conversation_of_another_owner_is_not_found(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/slow")

    for attack in (
        start_reply(ctx, "mallory", conversation_id, SendRequest("Hello")),
        preview_send(ctx, "mallory", conversation_id, SendRequest("Hello")),
        change_conversation(ctx, "mallory", conversation_id, SettingChanges(title="Mine")),
        delete_conversation(ctx, "mallory", conversation_id),
        cancel_run(ctx, "mallory", started.run_id),
    ):
        with pytest.raises(NotFoundError):
            await attack

    assert ctx.engine.runs[started.run_id].state.outcome is None


# --- stopping ---


async def test_stopped_run_keeps_the_text_received(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/long 500 /rate 100")
    await wait_for_text(ctx, started)

    await cancel_run(ctx, LOCAL_OWNER, started.run_id)

    pair = await pair_of(ctx, started.pair_id)
    assert pair.lifecycle is Lifecycle.CANCELED
    assert pair.reply is not None
    assert pair.reply.parts
    assert (await collect(ctx, started.run_id))[-1].kind == "cancelled"
    (call,) = await calls_of(ctx, conversation_id)
    assert (call.outcome, call.error_class, call.usage) == (Lifecycle.CANCELED, None, None)


async def test_stopping_what_is_over_changes_nothing(ctx: AppContext) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0")

    await cancel_run(ctx, LOCAL_OWNER, ended.started.run_id)

    assert (await pair_of(ctx, ended.pair.id)) == ended.pair


async def test_stopping_an_unknown_run_is_reported(ctx: AppContext) -> None:
    with pytest.raises(NotFoundError):
        await cancel_run(ctx, LOCAL_OWNER, "nothing")


# --- conversations ---


async def test_a_conversation_can_be_changed_without_moving_in_the_list(ctx: AppContext) -> None:
    before = await create_conversation(ctx, LOCAL_OWNER, title="Old")

    after = await change_conversation(
        ctx, LOCAL_OWNER, before.id, SettingChanges(title="New", model="offline:tiny", tool_mode=ToolMode.ALL_OFF)
    )

    async with ctx.store.read() as session:
        assert await load_conversation(session, LOCAL_OWNER, before.id) == after
    assert (after.title, after.model, after.tool_mode) == ("New", "offline:tiny", ToolMode.ALL_OFF)
    assert (after.updated_at, after.system_prompt) == (before.updated_at, "")


@pytest.mark.parametrize(("field", "value"), [("model", "claude"), ("title", "\ud800"), ("system_prompt", "\udfff")])
async def test_a_conversation_is_not_changed_to_what_it_cannot_be(ctx: AppContext, field: str, value: str) -> None:
    conversation_id = await a_conversation(ctx)

    with pytest.raises(InputError) as refused:
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(**{field: value}))  # pyright: ignore[reportArgumentType]

    assert refused.value.field == field


async def test_deleting_a_conversation_stops_its_reply_and_keeps_its_calls(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    await reply_to(ctx, conversation_id, "/rate 0")
    started = await send(ctx, conversation_id, "/slow")

    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)

    assert started.run_id not in ctx.engine.runs
    async with ctx.store.read() as session:
        with pytest.raises(NotFoundError):
            await load_conversation(session, LOCAL_OWNER, conversation_id)
    assert [call.outcome for call in await calls_of(ctx, conversation_id)] == ["succeeded", "canceled"]


async def test_nothing_is_sent_in_a_conversation_that_is_deleted_while_the_send_is_planned(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id, plan_reply = await a_conversation(ctx), commands.plan_reply

    async def delete_after(*arguments: Any) -> Any:
        planned = await plan_reply(*arguments)
        await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
        return planned

    monkeypatch.setattr(commands, "plan_reply", delete_after)
    with pytest.raises(NotFoundError):
        await send(ctx, conversation_id, "/slow")

    assert not ctx.engine.runs


@pytest.mark.parametrize("temporary", [False, True])
async def test_deleting_a_conversation_stops_a_reply_that_starts_meanwhile(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch, *, temporary: bool
) -> None:
    made = (create_temporary if temporary else create_conversation)(ctx, LOCAL_OWNER)
    conversation_id, stop_run = (await made).id, stopping.stop_run
    ctx = await context_for(ctx, conversation_id)
    await send(ctx, conversation_id, "/slow")
    sends = 1

    async def send_after(*arguments: Any) -> None:
        nonlocal sends
        await stop_run(*arguments)
        if sends == 1:
            sends += 1
            await send(ctx, conversation_id, "/slow")

    monkeypatch.setattr(stopping, "stop_run", send_after)
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)

    assert (sends, ctx.engine.runs) == (2, {})


# --- who watches ---


async def test_subscribers_receive_events_of_their_conversation_and_of_no_other(ctx: AppContext) -> None:
    conversation_id, other = await a_conversation(ctx), await a_conversation(ctx)
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, conversation_id)
    stranger = ctx.event_bus.subscribe("mallory", conversation_id)

    ended = await reply_to(ctx, conversation_id, "/rate 0")
    await reply_to(ctx, other, "/rate 0")
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(title="New"))
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)

    assert [event async for event in feed] == [
        RunStarted(ended.started.run_id, ended.pair.id, ended.pair),
        PairsChanged((ended.pair.id,)),
        ConversationChanged(),
        ConversationRemoved(),
    ]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await anext(stranger)


async def test_a_command_whose_caller_is_cancelled_is_completed(ctx: AppContext) -> None:
    """Cancel a send at many moments along its way, close together at first. A pair without a run never exists.

    A send takes a few hundred to tens of thousands of turns of the loop, depending on its threads.
    """
    steps = 0
    while True:
        steps += 1 + steps // 8
        conversation_id = await a_conversation(ctx)
        feed = ctx.event_bus.subscribe(LOCAL_OWNER, conversation_id)
        sending = asyncio.create_task(send(ctx, conversation_id, "/slow"))
        for _ in range(steps):
            await asyncio.sleep(0)
        done = sending.done()
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)

        async with asyncio.timeout(5):
            assert isinstance(await anext(feed), RunStarted)
        await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
        if done:
            assert steps > 10
            return


async def test_the_current_app_context_is_the_open_one(ctx: AppContext) -> None:
    assert current() is ctx


async def test_each_send_logs_its_conversation_and_the_growing_number_of_messages(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")

    with capture_logs() as logged:
        for text in ("/echo one", "/echo two", "/echo three"):
            await reply_to(ctx, conversation, text)

    lines = [one for one in logged if one["event"] == "sending"]
    assert [(one["conversation_id"], one["existing"], one["messages"]) for one in lines] == [
        (conversation, False, 2),
        (conversation, True, 4),
        (conversation, True, 6),
    ]
    assert {one["log_level"] for one in lines} == {"info"}
    assert "/echo" not in repr(lines)
