"""Anthropic's official client asks models and agents of Inview."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from typing import Any

import anthropic
import pytest
from anthropic import AsyncAnthropic
from sqlalchemy import text

from tests.api.gateway.steps import MODEL, read_closed, spend_budget
from tests.api.gateway.vendor import Vendor, calls_tool
from tests.api.served import Api
from tests.domain.conversation.test_attachments import a_png

HELLO: list[Any] = [{"role": "user", "content": "Hi"}]
WEATHER: Any = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}


async def test_reply_is_that_of_the_model_with_its_usage(claude: AsyncAnthropic, vendor: Vendor):
    reply = await claude.messages.create(model=MODEL, max_tokens=20, system="Be brief.", messages=HELLO)

    assert [(block.type, block.type == "text" and block.text) for block in reply.content] == [("text", "Hello")]
    assert (reply.stop_reason, reply.model, reply.role) == ("end_turn", MODEL, "assistant")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (12, 5)
    (sent,) = vendor.bodies
    assert sent["messages"] == [{"role": "system", "content": "Be brief."}, *HELLO]
    assert sent["max_tokens"] == 20


async def test_count_says_what_a_call_would_send_and_leaves_nothing_behind(
    api: Api, claude: AsyncAnthropic, vendor: Vendor
):
    alone = await claude.messages.count_tokens(model=MODEL, messages=HELLO)
    more = await claude.messages.count_tokens(model=MODEL, system="Be brief.", messages=HELLO, tools=[WEATHER])

    assert 0 < alone.input_tokens < more.input_tokens
    assert vendor.bodies == []
    async with api.wb.store.read() as session:
        assert (await session.execute(text("SELECT count(*) FROM conversation"))).scalar_one() == 0


async def test_count_of_no_model_is_refused_as_a_call_of_it_is(claude: AsyncAnthropic):
    with pytest.raises(anthropic.NotFoundError):
        await claude.messages.count_tokens(model="nobody:none", messages=HELLO)


async def test_stream_has_the_events_of_anthropic(claude: AsyncAnthropic):
    async with claude.messages.stream(model=MODEL, max_tokens=20, messages=HELLO) as stream:
        kinds = [event.type async for event in stream]
        reply = await stream.get_final_message()

    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"
    assert reply.content[0].type == "text"
    assert reply.content[0].text == "Hello"
    assert (reply.stop_reason, reply.usage.input_tokens, reply.usage.output_tokens) == ("end_turn", 12, 5)


async def test_tools_of_the_program_come_back_to_it_as_calls(claude: AsyncAnthropic, vendor: Vendor):
    vendor.deltas, vendor.finish = [{"content": "Let me see."}, *calls_tool()], "tool_calls"

    reply = await claude.messages.create(model=MODEL, max_tokens=20, messages=HELLO, tools=[WEATHER])

    assert reply.stop_reason == "tool_use"
    said, call = reply.content
    assert said.type == "text"
    assert call.type == "tool_use"
    assert (call.id, call.name, call.input) == ("call_1", "get_weather", {"city": "Rome"})


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ({"type": "auto"}, None),
        ({"type": "none"}, None),
        ({"type": "any"}, "required"),
        ({"type": "tool", "name": "get_weather"}, {"type": "function", "function": {"name": "get_weather"}}),
    ],
)
async def test_choice_of_a_tool_reaches_the_provider_in_its_own_words(
    claude: AsyncAnthropic, vendor: Vendor, choice: Any, sent: Any
):
    vendor.deltas, vendor.finish = calls_tool(), "tool_calls"

    await claude.messages.create(model=MODEL, max_tokens=20, messages=HELLO, tools=[WEATHER], tool_choice=choice)

    assert vendor.bodies[0].get("tool_choice") == sent


async def test_stop_sequences_reach_the_provider(claude: AsyncAnthropic, vendor: Vendor):
    await claude.messages.create(model=MODEL, max_tokens=20, messages=HELLO, stop_sequences=["END"])

    assert vendor.bodies[0]["stop"] == ["END"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"stop_sequences": ["END"]}, "Offline takes no stop sequences"),
        ({"tools": [WEATHER], "tool_choice": {"type": "any"}}, "Offline takes no choice of a tool"),
        ({"tools": [WEATHER], "tool_choice": {"type": "tool", "name": "x"}}, "names the tool 'x', which is not in"),
    ],
)
async def test_what_the_provider_does_not_take_is_refused_as_anthropic_would(
    claude: AsyncAnthropic, fields: Any, said: str
):
    with pytest.raises(anthropic.BadRequestError, match=said) as refused:
        await claude.messages.create(model="offline:demo", max_tokens=20, messages=HELLO, **fields)

    assert refused.value.type == "invalid_request_error"


async def test_streamed_calls_come_piece_by_piece(claude: AsyncAnthropic, vendor: Vendor):
    vendor.deltas, vendor.finish = [{"content": "Let me see."}, *calls_tool()], "tool_calls"

    async with claude.messages.stream(model=MODEL, max_tokens=20, messages=HELLO, tools=[WEATHER]) as stream:
        reply = await stream.get_final_message()

    assert [block.type for block in reply.content] == ["text", "tool_use"]
    assert reply.content[1].type == "tool_use"
    assert reply.content[1].input == {"city": "Rome"}


async def test_reply_goes_on_after_the_results_of_tools(claude: AsyncAnthropic, vendor: Vendor):
    messages: Any = [
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "X"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "sunny"}]},
    ]

    await claude.messages.create(model=MODEL, max_tokens=20, messages=messages, tools=[WEATHER])

    user, assistant, tool = vendor.bodies[0]["messages"]
    assert user == {"role": "user", "content": "Weather?"}
    assert assistant["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": '{"city":"X"}'}
    assert (tool["role"], tool["content"]) == ("tool", "sunny")


async def test_picture_reaches_a_model_that_takes_pictures(claude: AsyncAnthropic):
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(a_png(3, 2)).decode()}
    content: Any = [{"type": "image", "source": source}, {"type": "text", "text": "What is it?"}]

    reply = await claude.messages.create(
        model="offline:demo", max_tokens=99, messages=[{"role": "user", "content": content}]
    )

    assert reply.content


async def test_picture_for_a_model_without_pictures_is_refused(claude: AsyncAnthropic, vendor: Vendor):
    source = {"type": "base64", "media_type": "image/png", "data": b64encode(a_png(3, 2)).decode()}
    seen: Any = {"role": "user", "content": [{"type": "image", "source": source}]}
    history: Any = [seen, {"role": "assistant", "content": "A dot."}, *HELLO]

    with pytest.raises(anthropic.BadRequestError, match="does not take images"):
        await claude.messages.create(model=MODEL, max_tokens=20, messages=history)

    assert vendor.bodies == []


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, anthropic.AuthenticationError, "authentication_error"),
        (429, anthropic.RateLimitError, "rate_limit_error"),
        (400, anthropic.BadRequestError, "invalid_request_error"),
        (500, anthropic.InternalServerError, "api_error"),
    ],
)
async def test_refusal_of_the_provider_has_its_status(
    claude: AsyncAnthropic, vendor: Vendor, status: int, error: type[anthropic.APIStatusError], kind: str
):
    vendor.status = status

    with pytest.raises(error) as refused:
        await claude.messages.create(model=MODEL, max_tokens=20, messages=HELLO)

    assert refused.value.type == kind


async def test_model_that_is_not_there_is_not_found(claude: AsyncAnthropic):
    with pytest.raises(anthropic.NotFoundError):
        await claude.messages.create(model="nobody:m", max_tokens=20, messages=HELLO)


async def test_spent_budget_refuses_the_call(api: Api, claude: AsyncAnthropic, vendor: Vendor):
    await spend_budget(api)

    with pytest.raises(anthropic.APIStatusError) as refused:
        await claude.messages.create(model=MODEL, max_tokens=20, messages=HELLO)

    assert (refused.value.status_code, refused.value.type) == (402, "billing_error")
    assert vendor.bodies == []


async def test_program_that_goes_away_stops_the_call_and_closes_it_as_failed(
    api: Api, claude: AsyncAnthropic, vendor: Vendor
):
    vendor.hangs = True

    async with claude.messages.stream(model=MODEL, max_tokens=20, messages=HELLO) as stream:
        conversation_id = stream.response.headers["x-inview-conversation"]
        async for _ in stream.text_stream:
            break

    await asyncio.wait_for(vendor.left.wait(), 10)
    assert (await read_closed(api, conversation_id))["status"] == "failed"
    calls = (await api.http.get(f"/conversations/{conversation_id}/calls")).json()["items"]
    assert [(call["purpose"], call["outcome"]) for call in calls] == [("gateway", "canceled")]


async def test_models_are_listed(claude: AsyncAnthropic):
    assert {model.id async for model in claude.models.list()} >= {MODEL, "offline:demo"}
