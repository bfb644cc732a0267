from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Effort, Parameters, Role, ToolMode
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text
from app.domain.errors import ErrorClass, InputError, NotFoundError, ProviderError, SendLockedError
from app.runs.process.event_bus import ConversationChanged, ConversationRemoved, PairsChanged, RunStarted
from app.runs.send import planning
from app.runs.send.commands import (
    LOCAL_OWNER,
    cancel_run,
    change_conversation,
    create_conversation,
    delete_conversation,
    preview_send,
    start_reply,
)
from app.runs.send.context_selection import ViewOptions
from app.runs.watch.broadcast import watch
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench, current
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


async def test_a_reply_is_streamed_and_stored_with_its_usage(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)

    ended = await reply_to(wb, conversation_id, "/echo Hello there /rate 0")

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
    (call,) = await calls_of(wb, conversation_id)
    assert (call.usage, call.outcome, call.attempt, call.purpose) == (pair.usage, Lifecycle.SUCCEEDED, 1, "reply")
    assert call.started_at <= call.ended_at


async def test_a_send_carries_what_is_in_view(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb, system_prompt="Be brief.")
    await reply_to(wb, conversation_id, "/echo one")
    await reply_to(wb, conversation_id, "/fail model")

    preview = await preview_send(wb, LOCAL_OWNER, conversation_id, "two")

    request = preview.built.request
    assert request.system == "Be brief."
    assert [message.role for message in request.messages] == ["user", "assistant", "user"]
    assert request.messages[-1].parts == (Text("two"),)
    assert list(preview.composed.composition.out.values()) == ["failed"]
    assert len(preview.hashes) == 4
    started = await send(wb, conversation_id, "two")
    assert started.content_hash == preview.hashes[-1]


async def test_the_model_and_parameters_of_one_send_are_kept_with_its_pair(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb, model="offline:demo")
    asked = Parameters(max_output_tokens=3, effort=Effort.LOW)

    ended = await reply_to(wb, conversation_id, "/long 50", look=ViewOptions(model="offline:tiny"), parameters=asked)

    assert (ended.pair.model, ended.pair.parameters) == ("offline:tiny", asked)
    assert ended.pair.stop_reason == "max_tokens"
    async with wb.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation_id)).model == "offline:demo"


async def test_the_first_send_chooses_the_conversations_model(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)

    await reply_to(wb, conversation_id, "/rate 0")

    async with wb.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation_id)).model == "offline:demo"


# --- the send lock ---


async def test_of_many_sends_at_once_one_starts(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)

    results = await asyncio.gather(*(send(wb, conversation_id, "/slow") for _ in range(40)), return_exceptions=True)

    refused = [result for result in results if isinstance(result, SendLockedError)]
    assert len(refused) == 39
    assert len(await pairs_of(wb, conversation_id)) == 1


async def test_of_two_processes_that_send_at_once_one_starts(data: Path) -> None:
    async with open_workbench(settings_of(data)) as one, open_workbench(settings_of(data)) as other:
        for _ in range(5):
            conversation_id = await a_conversation(one)

            results = await asyncio.gather(
                *(send(wb, conversation_id, "/slow") for wb in (one, other) * 4), return_exceptions=True
            )

            assert sum(isinstance(result, SendLockedError) for result in results) == 7
            assert len(await pairs_of(one, conversation_id)) == 1


async def test_the_lock_holds_without_a_check(wb: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process writes between the check and the write: the index of the database is the lock."""
    conversation_id = await a_conversation(wb)
    started = await send(wb, conversation_id, "/slow")
    look = pairs.load_tail

    async def look_away(session: AsyncSession, conversation: str) -> pairs.Tail:
        monkeypatch.setattr(pairs, "load_tail", look)
        return replace(await look(session, conversation), running=None)

    monkeypatch.setattr(pairs, "load_tail", look_away)
    monkeypatch.setattr(planning, "require_sendable", print)
    with pytest.raises(SendLockedError):
        await send(wb, conversation_id, "/slow")

    assert [pair.id for pair in await pairs_of(wb, conversation_id)] == [started.pair_id]


async def test_other_conversations_are_not_locked(wb: Workbench) -> None:
    await send(wb, await a_conversation(wb), "/slow")

    assert (await reply_to(wb, await a_conversation(wb), "/rate 0")).pair.lifecycle is Lifecycle.SUCCEEDED


async def test_a_client_that_has_seen_the_end_can_send_again(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)

    for number in range(10):
        ended = await reply_to(wb, conversation_id, f"/echo {number} /rate 0")

        assert ended.pair.position == number + 1


# --- what cannot be sent ---


@pytest.mark.parametrize("text", ["", "  \n\t"])
async def test_nothing_cannot_be_sent(wb: Workbench, text: str) -> None:
    with pytest.raises(InputError, match="Write something"):
        await send(wb, await a_conversation(wb), text)


@pytest.mark.parametrize(
    ("text", "model", "field"),
    [
        ("half \ud83d an emoji", "offline:demo", "text"),
        ("Hello", "demo", "model"),
        ("Hello", "nobody:demo", "model"),
    ],
)
async def test_input_that_cannot_be_used_names_its_field_and_stores_nothing(
    wb: Workbench, text: str, model: str, field: str
) -> None:
    conversation_id = await a_conversation(wb)

    for ask in (preview_send, start_reply):
        with pytest.raises(InputError) as refused:
            await ask(wb, LOCAL_OWNER, conversation_id, text, ViewOptions(model=model))
        assert refused.value.field == field

    assert await pairs_of(wb, conversation_id) == ()


async def test_a_provider_without_its_key_can_be_previewed_but_not_asked(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    claude = ViewOptions(model="anthropic:claude-sonnet-4-5")

    preview = await preview_send(wb, LOCAL_OWNER, conversation_id, "Hello", claude)
    with pytest.raises(ProviderError) as refused:
        await send(wb, conversation_id, "Hello", look=claude)

    assert preview.url == "https://api.anthropic.com/v1/messages"
    assert refused.value.failure.error_class is ErrorClass.AUTH
    assert str(refused.value) == '[error: auth] No key for provider "anthropic".'
    assert refused.value.failure.next_step == "Add or correct the key in Settings → Providers."
    assert await pairs_of(wb, conversation_id) == ()


async def test_a_conversation_of_another_owner_is_not_found(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    started = await send(wb, conversation_id, "/slow")

    for attack in (
        start_reply(wb, "mallory", conversation_id, "Hello"),
        preview_send(wb, "mallory", conversation_id, "Hello"),
        change_conversation(wb, "mallory", conversation_id, title="Mine"),
        delete_conversation(wb, "mallory", conversation_id),
        cancel_run(wb, "mallory", started.run_id),
    ):
        with pytest.raises(NotFoundError):
            await attack

    assert wb.engine.runs[started.run_id].state.outcome is None


# --- stopping ---


async def test_stopped_run_keeps_the_text_received(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    started = await send(wb, conversation_id, "/long 500 /rate 100")
    await wait_for_text(wb, started)

    await cancel_run(wb, LOCAL_OWNER, started.run_id)

    pair = await pair_of(wb, started.pair_id)
    assert pair.lifecycle is Lifecycle.CANCELED
    assert pair.reply is not None
    assert pair.reply.parts
    assert (await collect(wb, started.run_id))[-1].kind == "cancelled"
    (call,) = await calls_of(wb, conversation_id)
    assert (call.outcome, call.error_class, call.usage) == (Lifecycle.CANCELED, None, None)


async def test_stopping_what_is_over_changes_nothing(wb: Workbench) -> None:
    ended = await reply_to(wb, await a_conversation(wb), "/rate 0")

    await cancel_run(wb, LOCAL_OWNER, ended.started.run_id)

    assert (await pair_of(wb, ended.pair.id)) == ended.pair


async def test_stopping_an_unknown_run_is_reported(wb: Workbench) -> None:
    with pytest.raises(NotFoundError):
        await cancel_run(wb, LOCAL_OWNER, "nothing")


# --- conversations ---


async def test_a_conversation_can_be_changed_without_moving_in_the_list(wb: Workbench) -> None:
    before = await create_conversation(wb, LOCAL_OWNER, title="Old")

    after = await change_conversation(
        wb, LOCAL_OWNER, before.id, title="New", model="offline:tiny", tool_mode=ToolMode.ALL_OFF
    )

    async with wb.store.read() as session:
        assert await load_conversation(session, LOCAL_OWNER, before.id) == after
    assert (after.title, after.model, after.tool_mode) == ("New", "offline:tiny", ToolMode.ALL_OFF)
    assert (after.updated_at, after.system_prompt) == (before.updated_at, "")


@pytest.mark.parametrize(("field", "value"), [("model", "claude"), ("title", "\ud800"), ("system_prompt", "\udfff")])
async def test_a_conversation_is_not_changed_to_what_it_cannot_be(wb: Workbench, field: str, value: str) -> None:
    conversation_id = await a_conversation(wb)

    with pytest.raises(InputError) as refused:
        await change_conversation(wb, LOCAL_OWNER, conversation_id, **{field: value})  # pyright: ignore[reportArgumentType]

    assert refused.value.field == field


async def test_deleting_a_conversation_stops_its_reply_and_keeps_its_calls(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    await reply_to(wb, conversation_id, "/rate 0")
    started = await send(wb, conversation_id, "/slow")

    await delete_conversation(wb, LOCAL_OWNER, conversation_id)

    assert started.run_id not in wb.engine.runs
    async with wb.store.read() as session:
        with pytest.raises(NotFoundError):
            await load_conversation(session, LOCAL_OWNER, conversation_id)
    assert [call.outcome for call in await calls_of(wb, conversation_id)] == ["succeeded", "canceled"]


# --- who watches ---


async def test_subscribers_receive_events_of_their_conversation_and_of_no_other(wb: Workbench) -> None:
    conversation_id, other = await a_conversation(wb), await a_conversation(wb)
    feed, stranger = watch(wb, LOCAL_OWNER, conversation_id), watch(wb, "mallory", conversation_id)

    ended = await reply_to(wb, conversation_id, "/rate 0")
    await reply_to(wb, other, "/rate 0")
    await change_conversation(wb, LOCAL_OWNER, conversation_id, title="New")
    await delete_conversation(wb, LOCAL_OWNER, conversation_id)

    assert [event async for event in feed] == [
        RunStarted(ended.started.run_id, ended.pair.id, ended.pair),
        PairsChanged((ended.pair.id,)),
        ConversationChanged(),
        ConversationRemoved(),
    ]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await anext(stranger)


async def test_a_command_whose_caller_is_cancelled_is_completed(wb: Workbench) -> None:
    """Cancel a send at many moments along its way, close together at first. A pair without a run never exists.

    A send takes a few hundred to tens of thousands of turns of the loop, depending on its threads.
    """
    steps = 0
    while True:
        steps += 1 + steps // 8
        conversation_id = await a_conversation(wb)
        feed = watch(wb, LOCAL_OWNER, conversation_id)
        sending = asyncio.create_task(send(wb, conversation_id, "/slow"))
        for _ in range(steps):
            await asyncio.sleep(0)
        done = sending.done()
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)

        async with asyncio.timeout(5):
            assert isinstance(await anext(feed), RunStarted)
        await delete_conversation(wb, LOCAL_OWNER, conversation_id)
        if done:
            assert steps > 10
            return


async def test_the_current_workbench_is_the_open_one(wb: Workbench) -> None:
    assert current() is wb
