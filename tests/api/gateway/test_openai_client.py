"""OpenAI's official client asks models and agents of Inview."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from tests.api.gateway.steps import MODEL, read_closed, spend_budget
from tests.api.gateway.vendor import USAGE, Vendor, calls_tool
from tests.api.served import Api
from tests.domain.conversation.test_attachments import a_png

HELLO: list[Any] = [{"role": "user", "content": "Hi"}]
WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


async def test_reply_is_that_of_the_model_with_its_usage(chat: AsyncOpenAI, vendor: Vendor):
    messages: Any = [{"role": "system", "content": "Be brief."}, *HELLO]

    reply = await chat.chat.completions.create(model=MODEL, messages=messages, temperature=0.5, max_tokens=20)

    assert reply.choices[0].message.content == "Hello"
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (12, 5)
    assert reply.model == MODEL
    (sent,) = vendor.bodies
    assert sent["messages"] == messages
    assert sent["temperature"] == 0.5
    assert sent["max_tokens"] == 20
    assert "tools" not in sent


async def test_history_is_sent_as_the_program_sent_it(chat: AsyncOpenAI, vendor: Vendor):
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Rome"}'}}
    messages: Any = [
        {"role": "user", "content": "Weather in Rome?"},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
        {"role": "assistant", "content": "Sunny."},
        {"role": "user", "content": "And tomorrow?"},
    ]

    await chat.chat.completions.create(model=MODEL, messages=messages, tools=[WEATHER])

    (sent,) = vendor.bodies
    assert sent["messages"] == messages


async def test_call_is_recorded_with_its_ledger_row_and_what_was_sent(api: Api, chat: AsyncOpenAI):
    messages: Any = [*HELLO, {"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Bye"}]

    raw = await chat.chat.completions.with_raw_response.create(model=MODEL, messages=messages)

    conversation_id = raw.headers["x-inview-conversation"]
    kept = await read_closed(api, conversation_id)
    assert (kept["kind"], kept["status"], kept["title"]) == ("tool", "completed", "Bye")
    pairs = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    assert [(pair["user_text"], pair["reply_text"]) for pair in pairs] == [("Hi", "Hello."), ("Bye", "Hello")]
    calls = (await api.http.get(f"/conversations/{conversation_id}/calls")).json()["items"]
    assert [call["purpose"] for call in calls] == ["gateway"]
    assert calls[0]["input_tokens"] == USAGE["prompt_tokens"]


async def test_stream_brings_the_text_and_then_the_usage(chat: AsyncOpenAI):
    stream = await chat.chat.completions.create(
        model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]

    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "Hello"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 17


async def test_stream_has_no_usage_unless_it_is_asked_for(chat: AsyncOpenAI):
    stream = await chat.chat.completions.create(model=MODEL, messages=HELLO, stream=True)

    chunks = [chunk async for chunk in stream]
    assert all(chunk.usage is None for chunk in chunks)
    assert chunks[-1].choices[0].finish_reason == "stop"


async def test_tools_of_the_program_come_back_to_it_as_calls(chat: AsyncOpenAI, vendor: Vendor):
    vendor.deltas, vendor.finish = calls_tool(), "tool_calls"

    reply = await chat.chat.completions.create(model=MODEL, messages=HELLO, tools=[WEATHER])

    assert reply.choices[0].finish_reason == "tool_calls"
    assert reply.choices[0].message.tool_calls is not None
    (call,) = reply.choices[0].message.tool_calls
    assert call.type == "function"
    assert (call.id, call.function.name, call.function.arguments) == ("call_1", "get_weather", '{"city":"Rome"}')
    assert vendor.bodies[0]["tools"][0]["function"]["name"] == "get_weather"
    assert len(vendor.bodies) == 1


@pytest.mark.parametrize("stop", ["END", ["END", "###"]])
async def test_stop_sequences_reach_the_provider_and_are_recorded(
    api: Api, chat: AsyncOpenAI, vendor: Vendor, stop: str | list[str]
):
    raw = await chat.chat.completions.with_raw_response.create(model=MODEL, messages=HELLO, stop=stop)

    asked = [stop] if isinstance(stop, str) else stop
    assert vendor.bodies[0]["stop"] == asked
    conversation_id = raw.headers["x-inview-conversation"]
    await read_closed(api, conversation_id)
    exported = (await api.http.get(f"/conversations/{conversation_id}/export", params={"format": "json"})).json()
    assert exported["conversations"][0]["pairs"][-1]["parameters"] == {"stop": asked}


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", None),
        ("none", None),
        ("required", "required"),
        ({"type": "function", "function": {"name": "get_weather"}},) * 2,
    ],
)
async def test_choice_of_a_tool_reaches_the_provider(chat: AsyncOpenAI, vendor: Vendor, choice: Any, sent: Any):
    vendor.deltas, vendor.finish = calls_tool(), "tool_calls"

    await chat.chat.completions.create(model=MODEL, messages=HELLO, tools=[WEATHER], tool_choice=choice)

    assert vendor.bodies[0].get("tool_choice") == sent
    assert ("tools" in vendor.bodies[0]) is (choice != "none")


async def test_streamed_calls_come_piece_by_piece(chat: AsyncOpenAI, vendor: Vendor):
    vendor.deltas, vendor.finish = calls_tool(), "tool_calls"

    async with chat.chat.completions.stream(model=MODEL, messages=HELLO, tools=[WEATHER]) as stream:
        reply = await stream.get_final_completion()

    assert reply.choices[0].message.tool_calls is not None
    assert reply.choices[0].message.tool_calls[0].function.arguments == '{"city":"Rome"}'


async def test_reply_goes_on_after_the_results_of_tools(chat: AsyncOpenAI, vendor: Vendor):
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    messages: Any = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
    ]

    reply = await chat.chat.completions.create(model=MODEL, messages=messages, tools=[WEATHER])

    assert reply.choices[0].message.content == "Hello"
    assert [message["role"] for message in vendor.bodies[0]["messages"]] == ["user", "assistant", "tool"]


async def test_picture_reaches_a_model_that_takes_pictures(chat: AsyncOpenAI):
    url = "data:image/png;base64," + b64encode(a_png(3, 2)).decode()
    content: Any = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": url}}]

    reply = await chat.chat.completions.create(model="offline:demo", messages=[{"role": "user", "content": content}])

    assert reply.choices[0].message.content


async def test_picture_by_address_is_refused(chat: AsyncOpenAI):
    content: Any = [{"type": "image_url", "image_url": {"url": "http://127.0.0.1/x.png"}}]

    with pytest.raises(openai.BadRequestError, match="fetches no pictures"):
        await chat.chat.completions.create(model="offline:demo", messages=[{"role": "user", "content": content}])


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, openai.AuthenticationError),
        (429, openai.RateLimitError),
        (400, openai.BadRequestError),
        (500, openai.InternalServerError),
    ],
)
async def test_refusal_of_the_provider_has_its_status(
    chat: AsyncOpenAI, vendor: Vendor, status: int, error: type[openai.APIStatusError]
):
    vendor.status, vendor.headers = status, {"retry-after": "7"}

    with pytest.raises(error) as refused:
        await chat.chat.completions.create(model=MODEL, messages=HELLO, stream=True)

    assert refused.value.type
    assert len(vendor.bodies) == 1, "the program decides whether a call is made again"
    if status == 429:
        assert refused.value.response.headers["retry-after"] == "7"


@pytest.mark.parametrize("model", ["nobody:m", "agent:none", "m"])
async def test_model_that_is_not_there_is_not_found(chat: AsyncOpenAI, model: str):
    with pytest.raises(openai.NotFoundError) as refused:
        await chat.chat.completions.create(model=model, messages=HELLO)

    assert refused.value.code == "model_not_found"


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"messages": []}, "messages"),
        ({"stop": [""]}, "parameters.stop"),
        ({"model": "offline:demo", "stop": "x"}, "parameters.stop"),
        ({"model": "offline:demo", "tools": [WEATHER], "tool_choice": "required"}, "parameters.tool_choice"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tools": [WEATHER], "tool_choice": {"type": "function", "function": {"name": "other"}}}, "tool_choice"),
        ({"n": 2}, "n"),
        ({"logit_bias": {"1": 1}}, "logit_bias"),
        ({"temperature": 9}, "parameters.temperature"),
        ({"messages": [{"role": "tool", "tool_call_id": "c", "content": "x"}]}, "messages.0"),
    ],
)
async def test_what_cannot_be_done_is_refused_and_named(
    chat: AsyncOpenAI, vendor: Vendor, fields: dict[str, Any], param: str
):
    asked: Any = {"model": MODEL, "messages": HELLO, **fields}

    with pytest.raises(openai.BadRequestError) as refused:
        await chat.post("/chat/completions", body=asked, cast_to=object)

    assert refused.value.param == param
    assert vendor.bodies == []


async def test_messages_longer_than_the_window_are_refused_and_leave_nothing(api: Api, chat: AsyncOpenAI):
    history: Any = [{"role": "user", "content": "word " * 9_000}, {"role": "assistant", "content": "So it is."}]

    with pytest.raises(openai.BadRequestError) as refused:
        await chat.chat.completions.create(model=MODEL, messages=[*history, *HELLO])

    assert refused.value.code == "context_length_exceeded"
    assert (await api.http.get("/conversations", params={"kind": "tool"})).json()["items"] == []


async def test_program_that_goes_away_stops_the_call(api: Api, chat: AsyncOpenAI, vendor: Vendor):
    vendor.hangs = True

    stream = await chat.chat.completions.create(model=MODEL, messages=HELLO, stream=True)
    async for chunk in stream:
        if chunk.choices[0].delta.content:
            break
    await stream.close()

    await asyncio.wait_for(vendor.left.wait(), 10)


async def test_program_that_goes_away_before_a_whole_reply_stops_the_call(chat: AsyncOpenAI, vendor: Vendor):
    vendor.hangs = True

    asking = asyncio.create_task(chat.chat.completions.create(model=MODEL, messages=HELLO))
    await asyncio.wait_for(vendor.asked.wait(), 10)
    asking.cancel()

    await asyncio.wait_for(vendor.left.wait(), 10)


async def test_models_and_agents_are_listed(api: Api, chat: AsyncOpenAI):
    made = (await api.http.post("/agents", json={"name": "Reviewer"})).json()

    listed = [model.id async for model in chat.models.list()]

    assert {MODEL, "offline:demo", f"agent:{made['id']}"} <= set(listed)
    assert (await chat.models.retrieve(MODEL)).id == MODEL
    with pytest.raises(openai.NotFoundError):
        await chat.models.retrieve("nobody:m")


async def test_agent_calls_its_own_tools_and_the_program_gets_its_words(api: Api, chat: AsyncOpenAI, vendor: Vendor):
    await api.http.put("/preferences", json={"built_in_tools": ["current_time"]})
    wanted = {"name": "Clerk", "model": MODEL, "system_prompt": "You are a clerk."}
    agent = (await api.http.post("/agents", json=wanted)).json()
    vendor.deltas = [{"content": "Let me look."}, *calls_tool("current_time", '{"timezone":"UTC"}')]
    vendor.finish, vendor.rounds = "tool_calls", [[{"content": "It is noon."}]]
    messages: Any = [{"role": "system", "content": "Be brief."}, *HELLO]

    stream = await chat.chat.completions.create(model=f"agent:{agent['id']}", messages=messages, stream=True)
    chunks = [chunk async for chunk in stream]

    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Let me look.\n\nIt is noon."
    assert not any(chunk.choices[0].delta.tool_calls for chunk in chunks)
    assert chunks[-1].choices[0].finish_reason == "stop"
    first, second = vendor.bodies
    assert first["messages"][0] == {"role": "system", "content": "You are a clerk.\n\nBe brief."}
    assert [tool["function"]["name"] for tool in first["tools"]] == ["current_time"]
    assert second["messages"][-1]["role"] == "tool"


async def test_agent_takes_no_tools_of_the_program(api: Api, chat: AsyncOpenAI):
    agent = (await api.http.post("/agents", json={"name": "Clerk", "model": MODEL})).json()

    with pytest.raises(openai.BadRequestError, match="has tools of its own"):
        await chat.chat.completions.create(model=f"agent:{agent['id']}", messages=HELLO, tools=[WEATHER])


async def test_spent_budget_refuses_the_call(api: Api, chat: AsyncOpenAI, vendor: Vendor):
    await spend_budget(api)

    with pytest.raises(openai.RateLimitError) as refused:
        await chat.chat.completions.create(model=MODEL, messages=HELLO)

    assert refused.value.code == "insufficient_quota"
    assert refused.value.response.headers["x-should-retry"] == "false"
    assert vendor.bodies == []
