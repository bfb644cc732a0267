"""Parameters of a conversation and of one send: their values in each protocol's request, and their stored values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.errors import InputError
from app.domain.retry_policy import MAX_RETRIES, RetryPolicy
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext
from app.runs.compare.comparisons import ComparedModels, start_comparison
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.forks import fork_conversation
from app.runs.resend.kept_requests import resend_as_it_was
from app.runs.resend.resend import Later, ResendOptions, preview_resend, resend_pair
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send, start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text
from app.runs.send.send_request import SendRequest
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.watch.context import describe_context
from app.store.conversation.conversations import load_conversation
from tests.runs.request.test_wire import peers
from tests.runs.steps import a_conversation, collect, pair_of, pairs_of, reply_to

OWN = Parameters(temperature=0.5, max_output_tokens=900)


@pytest.mark.parametrize(
    ("model", "protocol", "own", "once", "heard"),
    [
        (
            "anthropic:claude-sonnet-4-5",
            "anthropic",
            Parameters(temperature=0.5, top_p=0.9, max_output_tokens=900),
            Parameters(temperature=0.1, thinking=False),
            {"temperature": 0.1, "top_p": 0.9, "max_tokens": 900, "thinking": {"type": "disabled"}},
        ),
        (
            "openai:gpt-5",
            "openai",
            Parameters(max_output_tokens=900, effort=Effort.LOW),
            Parameters(effort=Effort.HIGH, thinking=True),
            {"max_output_tokens": 900, "reasoning": {"effort": "high", "summary": "auto"}},
        ),
        (
            "peer:any",
            "openai_compatible",
            Parameters(temperature=0.5, seed=7),
            Parameters(seed=8, top_p=0.25),
            {"temperature": 0.5, "seed": 8, "top_p": 0.25},
        ),
    ],
)
async def test_the_peer_is_asked_as_the_send_says_else_as_the_conversation_does(  # noqa: PLR0917 - a table's columns
    data: Path, model: str, protocol: str, own: Parameters, once: Parameters, heard: dict[str, Any]
) -> None:
    async with peers(data) as (ctx, peer_of):
        conversation = await a_conversation(ctx, model=model, parameters=own)
        shown = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Hello", parameters=once))

        ended = await reply_to(ctx, conversation, "Hello", parameters=once)
        plain = await reply_to(ctx, conversation, "And now?")

        first, second = (orjson.loads(each.body) for each in peer_of[protocol].heard)
        assert {name: first[name] for name in heard} == heard
        assert peer_of[protocol].heard[0].body == shown.wire.body
        assert ended.pair.parameters == shown.built.request.parameters
        assert plain.pair.parameters == own, "what was set for one send went along with another"
        assert set(second) <= set(first)


async def test_a_send_that_asks_for_what_the_model_does_not_take_is_refused_before_it(data: Path) -> None:
    async with peers(data) as (ctx, peer_of):
        conversation = await a_conversation(ctx, model="openai:gpt-5")
        asked = Parameters(temperature=0.5)

        with pytest.raises(InputError, match=r"parameters\.temperature: .* does not support the temperature"):
            await start_reply(ctx, LOCAL_OWNER, conversation, SendRequest("Hello", parameters=asked))
        with pytest.raises(InputError, match="does not support the temperature"):
            await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Hello", parameters=asked))

        assert not peer_of["openai"].heard
        assert not await pairs_of(ctx, conversation)


async def test_a_conversations_parameters_that_a_model_rejects_are_left_out_and_reported(ctx: AppContext):
    conversation = await a_conversation(ctx, parameters=Parameters(seed=7, temperature=0.5))

    planned = await preview_send(
        ctx, LOCAL_OWNER, conversation, SendRequest("Hello", ViewOptions(model="anthropic:claude-sonnet-4-5"))
    )

    assert planned.built.request.parameters == Parameters(temperature=0.5)
    assert [one for one in planned.composed.base.notices if "seed" in one and "this conversation" in one]
    settings = describe_context(planned.composed, None, Parameters(top_p=0.5)).settings
    assert [(one.text, one.source.value, bool(one.refusal)) for one in settings] == [
        ("temperature 0.5", "conversation", False),
        ("top_p 0.5", "send", False),
        ("seed 7", "conversation", True),
    ]


async def test_the_conversation_goes_before_its_agent(ctx: AppContext):
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "A", "parameters": Parameters(temperature=0.9, seed=3)})
    conversation = await a_conversation(ctx, agent_id=agent.id, parameters=Parameters(temperature=0.2))

    ended = await reply_to(ctx, conversation, "Hello")

    assert ended.pair.parameters == Parameters(temperature=0.2, seed=3)
    assert (await verify_run(ctx, LOCAL_OWNER, ended.started.run_id)).matches


async def test_values_that_no_model_takes_change_nothing(ctx: AppContext):
    conversation = await a_conversation(ctx, parameters=OWN)

    with pytest.raises(InputError, match="temperature"):
        await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(parameters=Parameters(temperature=3)))

    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation)).parameters == OWN
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(parameters=Parameters()))
    assert (await reply_to(ctx, conversation, "Hello")).pair.parameters == Parameters()


async def test_a_pair_sent_again_uses_the_conversations_current_parameters_else_its_own(ctx: AppContext):
    conversation = await a_conversation(ctx, parameters=Parameters(temperature=0.2))
    ended = await reply_to(ctx, conversation, "Hello", parameters=Parameters(seed=9))
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(parameters=Parameters(temperature=0.8)))

    shown = await preview_resend(ctx, LOCAL_OWNER, ended.pair.id)
    resent = await resend_pair(ctx, LOCAL_OWNER, ended.pair.id)
    await collect(ctx, resent.started.run_id)

    assert shown.built.request.parameters == Parameters(temperature=0.8, seed=9)
    assert (await pair_of(ctx, ended.pair.id)).parameters == Parameters(temperature=0.8, seed=9)


@pytest.mark.parametrize("later", [None, Later.BRANCH])
async def test_a_pair_goes_to_another_model_with_what_that_takes(data: Path, later: Later | None) -> None:
    async with peers(data) as (ctx, peer_of):
        conversation = await a_conversation(ctx, model="peer:any")
        ended = await reply_to(ctx, conversation, "Hello", parameters=Parameters(temperature=0.5, top_p=0.5, seed=1))

        resent = await resend_pair(
            ctx,
            LOCAL_OWNER,
            ended.pair.id,
            ResendOptions(options=ViewOptions(model="anthropic:claude-sonnet-4-5"), later=later),
        )
        await collect(ctx, resent.started.run_id)

        body = orjson.loads(peer_of["anthropic"].heard[0].body)
        assert (body["temperature"], body["top_p"]) == (0.5, 0.5)
        assert "seed" not in body


async def test_each_compared_model_is_asked_as_the_conversation_says(data: Path) -> None:
    async with peers(data) as (ctx, peer_of):
        conversation = await a_conversation(ctx, parameters=Parameters(temperature=0.5))
        models = ("peer:any", "openai:gpt-5")

        comparison = await start_comparison(
            ctx, LOCAL_OWNER, conversation, SendRequest("Hello"), ComparedModels(models)
        )
        for run in comparison.runs:
            await collect(ctx, run.run_id)

        assert orjson.loads(peer_of["openai_compatible"].heard[0].body)["temperature"] == 0.5
        assert "temperature" not in orjson.loads(peer_of["openai"].heard[0].body)


async def test_a_text_that_waits_keeps_what_was_set_for_it_alone(ctx: AppContext):
    conversation = await a_conversation(ctx)
    running = await start_reply(ctx, LOCAL_OWNER, conversation, SendRequest("/long 60 /rate 100"))

    await queue_text(ctx, LOCAL_OWNER, conversation, SendRequest("Next", parameters=Parameters(seed=4)))
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(parameters=Parameters(temperature=0.3)))
    await collect(ctx, running.run_id)

    while len(found := await pairs_of(ctx, conversation)) < 2:
        pass
    await collect(ctx, found[1].run_id or "")
    assert found[1].parameters == Parameters(temperature=0.3, seed=4)


async def test_a_fork_and_a_kept_temporary_conversation_ask_the_same(ctx: AppContext):
    conversation = await a_conversation(ctx, parameters=OWN)
    first = await reply_to(ctx, conversation, "Hello")
    fork = await fork_conversation(ctx, LOCAL_OWNER, conversation, [first.pair.id])
    temporary = await create_temporary(ctx, LOCAL_OWNER, parameters=OWN)
    assert ctx.temporary.ctx is not None
    await keep_conversation(ctx.temporary.ctx, LOCAL_OWNER, temporary.id)

    async with ctx.store.read() as session:
        for one in (fork, temporary.id):
            assert (await load_conversation(session, LOCAL_OWNER, one)).parameters == OWN


@pytest.mark.parametrize("again", ["sent again", "as it was", "compared", "sent"])
async def test_no_call_of_a_conversation_without_retries_is_made_twice(ctx: AppContext, again: str) -> None:
    conversation = await a_conversation(ctx)
    ended = await reply_to(ctx, conversation, "/fail overloaded")
    assert ended.kinds.count("retry") == MAX_RETRIES
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(retry_policy=RetryPolicy.NONE))

    match again:
        case "sent again":
            runs = [(await resend_pair(ctx, LOCAL_OWNER, ended.pair.id)).started.run_id]
        case "as it was":
            runs = [(await resend_as_it_was(ctx, LOCAL_OWNER, ended.pair.id)).started.run_id]
        case "compared":
            models = ("offline:demo", "offline:tiny")
            comparison = await start_comparison(
                ctx, LOCAL_OWNER, conversation, SendRequest("/fail overloaded"), ComparedModels(models)
            )
            runs = [run.run_id for run in comparison.runs]
        case _:
            runs = [(await start_reply(ctx, LOCAL_OWNER, conversation, SendRequest("/fail overloaded"))).run_id]

    for run_id in runs:
        assert not [event for event in await collect(ctx, run_id) if event.kind == "retry"]
