"""The preview of a first message, before its conversation exists, is what the peer receives when it is sent."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from app.domain.conversation.conversation import Conversation, Parameters
from app.domain.errors import InputError, InviewError, NotFoundError
from app.domain.settings.preferences import Preferences
from app.runs.agents.agent_commands import AgentFields, create_agent
from app.runs.app_context import AppContext, context_for
from app.runs.attachments.uploads import attach_file, load_attached
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun, preview_send, start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.first_message import FirstMessage, FirstMessageOptions, preview_first
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import set_preferences
from app.runs.temporary.temporary import create_temporary
from app.store.conversation.lists import list_conversations
from tests.databases import lay_database
from tests.effort import EFFORT
from tests.media.test_pictures import a_photo
from tests.runs.request.test_wire import MODELS, SEEING, peers, some_parameters, some_text
from tests.runs.send.test_structured_replies import SCHEMA
from tests.runs.steps import collect
from tests.seeds import choose_seed

FIRST_MESSAGES: Final = EFFORT.wire // 2
SIDE_BY_SIDE: Final = 3
SECRET: Final = "sk-ant-api03-" + "a" * 80
AGENT: Final[AgentFields] = {
    "name": "Critic",
    "system_prompt": "Find the fault.",
    "parameters": Parameters(temperature=0.4, max_output_tokens=300),
}
MODEL: Final = "peer:any"


def a_first(text: str = "Hello", *, model: str = MODEL, agent_id: str | None = "", **more: Any) -> FirstMessage:
    """Build the first message of a conversation. `more` has fields of the message or of the conversation."""
    asked = {name: more.pop(name) for name in ("parameters", "attached") if name in more}
    return FirstMessage(FirstMessageOptions(model, agent_id, **more), text, ViewOptions(model=model), **asked)


async def send_first(ctx: AppContext, first: FirstMessage) -> StartedRun:
    """Create the conversation and send the message in it, as the start page does."""
    new = first.new
    make = create_temporary if new.temporary else create_conversation
    made: Conversation = await make(
        ctx,
        LOCAL_OWNER,
        model=new.model,
        system_prompt=new.system_prompt,
        parameters=new.parameters,
        retry_policy=new.retry_policy,
        agent_id=new.agent_id,
    )
    bench = await context_for(ctx, made.id)
    started = await start_reply(
        bench,
        LOCAL_OWNER,
        made.id,
        SendRequest(first.text, first.options, parameters=first.parameters, attached=first.attached),
    )
    await collect(bench, started.run_id)
    return started


async def require_sent_as_shown(ctx: AppContext, peer: Any, first: FirstMessage) -> bytes:
    """Preview the message, send it, compare both, and return the bytes."""
    shown = await preview_first(ctx, LOCAL_OWNER, first)
    started = await send_first(ctx, first)
    (heard,) = peer.heard
    peer.heard.clear()
    assert heard.body == shown.wire.body
    assert started.content_hash == shown.hashes[-1]
    return heard.body


async def test_system_prompt_parameters_and_schema_are_in_it(data: Path) -> None:
    async with peers(data) as (ctx, peer_of):
        asked = Parameters(temperature=0.9, reply_schema=SCHEMA)
        first = a_first(model="openai:gpt-4o", system_prompt="Be brief.", parameters=asked)

        body = await require_sent_as_shown(ctx, peer_of["openai"], first)

        assert b"Be brief." in body
        assert b'"temperature":0.9' in body
        assert b"json_schema" in body


@pytest.mark.parametrize("known", [True, False], ids=["chosen", "of the last chat"])
async def test_agent_that_will_answer_is_in_it(data: Path, *, known: bool) -> None:
    async with peers(data) as (ctx, peer_of):
        agent = await create_agent(ctx, LOCAL_OWNER, AGENT)
        await create_conversation(ctx, LOCAL_OWNER, agent_id=agent.id)

        body = await require_sent_as_shown(
            ctx, peer_of["openai_compatible"], a_first(agent_id=agent.id if known else None)
        )

        assert b"Find the fault." in body
        assert b'"temperature":0.4' in body
        assert b"Find" not in await require_sent_as_shown(ctx, peer_of["openai_compatible"], a_first(agent_id=""))


@pytest.mark.parametrize("temporary", [True, False], ids=["temporary", "kept"])
async def test_files_are_in_it(data: Path, *, temporary: bool) -> None:
    async with peers(data) as (ctx, peer_of):
        files = (a_photo(), "photo.jpg"), (b"city,people\n", "cities.csv")
        uploads = [await attach_file(ctx, LOCAL_OWNER, content, name, temporary=temporary) for content, name in files]
        attached = await load_attached(ctx, LOCAL_OWNER, [one.id for one in uploads])
        first = a_first("", model="openai:gpt-4o", attached=attached, temporary=temporary)

        body = await require_sent_as_shown(ctx, peer_of["openai"], first)

        assert b"input_image" in body
        assert b"city,people" in body


async def test_about_me_is_in_it_and_secrets_are_not(data: Path) -> None:
    async with peers(data) as (ctx, peer_of):
        await set_preferences(ctx, LOCAL_OWNER, Preferences(about_me="I am Ada.", redact=True))

        body = await require_sent_as_shown(ctx, peer_of["openai_compatible"], a_first(f"My key is {SECRET}"))

        assert b"I am Ada." in body
        assert SECRET.encode() not in body


async def test_preview_stores_no_conversation(data: Path) -> None:
    async with peers(data) as (ctx, peer_of):
        await preview_first(ctx, LOCAL_OWNER, a_first())

        async with ctx.store.read() as session:
            assert await list_conversations(session, LOCAL_OWNER, limit=1) == ()
        assert not any(peer.heard for peer in peer_of.values())


@pytest.mark.parametrize(
    ("first", "error"),
    [
        (a_first(agent_id="nobody"), NotFoundError),
        (a_first("\ud800"), InputError),
        (a_first(system_prompt="\ud800"), InputError),
        (a_first(model="nobody:here"), InviewError),
        (a_first(parameters=Parameters(reply_schema='{"type": 1}')), InputError),
    ],
    ids=["agent", "text", "system prompt", "model", "schema"],
)
async def test_what_a_send_refuses_has_no_preview(data: Path, first: FirstMessage, error: type[InviewError]) -> None:
    async with peers(data) as (ctx, _):
        with pytest.raises(error) as refused:
            await preview_first(ctx, LOCAL_OWNER, first)

        with pytest.raises(error, match=re.escape(str(refused.value))):
            await send_first(ctx, first)


async def some_first(ctx: AppContext, chance: random.Random, agents: tuple[str | None, ...]) -> FirstMessage:
    model = chance.choice(MODELS[chance.choice(tuple(MODELS))])
    redact = chance.random() < 0.3
    about = some_text(chance) if chance.random() < 0.5 else ""
    await set_preferences(ctx, LOCAL_OWNER, Preferences(redact=redact, about_me=about))
    files = [(("naïve 日本語\n" * chance.randint(1, 9)).encode(), "notes.txt")] if chance.random() < 0.3 else []
    if model in SEEING and chance.random() < 0.5:
        files.append((a_photo(), "photo.jpg"))
    temporary = chance.random() < 0.3
    uploads = [await attach_file(ctx, LOCAL_OWNER, content, name, temporary=temporary) for content, name in files]
    schema = chance.choice((None, None, SCHEMA))
    parameters = some_parameters(chance) if chance.random() < 0.5 else Parameters()
    return a_first(
        f"{some_text(chance)} {chance.choice(('', SECRET))} end",
        model=model,
        agent_id=chance.choice(agents),
        temporary=temporary,
        system_prompt=some_text(chance) if chance.random() < 0.5 else "",
        parameters=replace(parameters, reply_schema=schema),
        attached=await load_attached(ctx, LOCAL_OWNER, [one.id for one in uploads]),
    )


async def send_first_messages(data: Path, seed: int, numbers: range) -> int:
    """Compare several first messages, one after the other, with the received request. Return how many were refused."""
    refused = 0
    async with peers(data) as (ctx, peer_of):
        agent = await create_agent(ctx, LOCAL_OWNER, AGENT)
        for number in numbers:
            first = await some_first(ctx, random.Random(seed + number), ("", None, agent.id))
            try:
                shown = await preview_first(ctx, LOCAL_OWNER, first)
            except InviewError as error:  # not every model accepts every parameter
                with pytest.raises(type(error), match=re.escape(str(error))):
                    await send_first(ctx, first)
                refused += 1
                continue
            where = f"seed {seed + number}, {first}"
            started = await send_first(ctx, first)
            (heard,) = [heard for peer in peer_of.values() for heard in peer.heard]
            for peer in peer_of.values():
                peer.heard.clear()
            assert heard.body == shown.wire.body, where
            assert started.content_hash == shown.hashes[-1], where
    return refused


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_the_peer_receives_byte_for_byte_what_the_preview_of_a_first_message_showed(tmp_path: Path) -> None:
    seed = choose_seed("FIRST_SEED")
    folders = [tmp_path / f"{number}" for number in range(SIDE_BY_SIDE)]
    for folder in folders:
        lay_database(folder)

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(send_first_messages(folder, seed, range(first, FIRST_MESSAGES, SIDE_BY_SIDE)))
            for first, folder in enumerate(folders)
        ]

    refused = sum(task.result() for task in tasks)
    print(f"{FIRST_MESSAGES} first messages, of them {refused} refused, seeds from {seed}")
    assert refused < FIRST_MESSAGES / 2


async def test_preview_is_that_of_the_conversation_once_it_is_there(data: Path) -> None:
    async with peers(data) as (ctx, _):
        first = a_first(system_prompt="Be brief.")
        shown = await preview_first(ctx, LOCAL_OWNER, first)
        made = await create_conversation(ctx, LOCAL_OWNER, model=MODEL, system_prompt="Be brief.", agent_id="")

        there = await preview_send(ctx, LOCAL_OWNER, made.id, SendRequest(first.text, first.options))

        assert (shown.wire, shown.hashes, shown.sent) == (there.wire, there.hashes, there.sent)
        assert shown.composed.composition.estimate == there.composed.composition.estimate
