"""Tool rounds in the vendors' dialects: the requests that a peer of each dialect receives in every round."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import orjson
import pytest

from app.domain.attachments.attachments import Attachment
from app.domain.context.context import continue_request
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text, Thinking, ToolCall, ToolResult
from app.domain.request.hashing import content_hashes
from app.domain.stream.stream_events import StopReason
from app.domain.tools import permissions
from app.domain.tools.tools import ToolOutcome
from app.domain.usage import Usage
from app.providers.base import encode
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.request.attachments import load_named
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.runs.wiring import open_app_context
from app.store.tools.tool_calls import load_pair_tool_calls
from app.tools.toolbox import Progress
from tests.providers.peer import Answer, Heard, Peer, a_peer
from tests.runs.speaking import Speech, speak
from tests.runs.steps import a_conversation, calls_of, reply_to, settings_of, until
from tests.runs.toolsmith import add_tools

KEY = "sk-secret-1234567890"
GIF = b"GIF89a" + bytes([3, 0, 2, 0]) + bytes(20)
PICTURE = Attachment("image/gif", GIF)
GIF_BASE64 = b64encode(GIF).decode()
MODELS = {
    "anthropic": "anthropic:claude-sonnet-4-5",
    "openai": "openai:gpt-5",
    "openai_compatible": "peer:qwen3",
}
ROUNDS = (
    Speech(
        thinking="Let me see.",
        signature="c2lnbmVk",
        text="Looking.",
        calls=(("c1", "double", '{"a"', ": 2", "1}"), ("c2", "draw", "")),
        tokens=(100, 10),
    ),
    Speech(thinking="Once more.", signature="YWdhaW4=", calls=(("c3", "refuse", "{}"),), tokens=(150, 20)),
    Speech(text="It is 42.", tokens=(200, 5)),
)


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permissions, "UNASKED", frozenset({"double", "draw", "refuse"}))


async def double(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    return ToolOutcome((Text(str(2 * arguments["a"])),), '{"result":42}')


async def refuse(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    return ToolOutcome((Text("not today"),), is_error=True)


@asynccontextmanager
async def a_bench(data: Path, protocol: str, *answers: Answer) -> AsyncGenerator[tuple[AppContext, Peer]]:
    """Open an app context with three tools whose providers all connect to one peer."""
    async with a_peer(*answers) as peer:
        settings = settings_of(
            data,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=peer.url,
            OPENAI_API_KEY=KEY,
            OPENAI_BASE_URL=f"{peer.url}/v1",
            INVIEW_COMPATIBLE=f"peer={peer.url}/v1,{KEY}",
        )
        async with open_app_context(settings) as ctx:

            async def draw(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
                (run,) = ctx.engine.runs.values()
                await until(ctx, run.run_id, "tool_result")  # the other call is answered first
                return ToolOutcome((Text("Here:"), PICTURE.part()), attachments=(PICTURE,))

            await add_tools(ctx, double=double, draw=draw, refuse=refuse)
            yield ctx, peer


def body_of(heard: Heard) -> dict[str, Any]:
    return orjson.loads(heard.body)


def without_marks(value: Any) -> Any:
    """Remove the cache breakpoints, which move from round to round."""
    match value:
        case dict():
            return {
                name: without_marks(inner)
                for name, inner in cast("dict[str, Any]", value).items()
                if name != "cache_control"
            }
        case list():
            return [without_marks(inner) for inner in cast("list[Any]", value)]
        case _:
            return value


ANTHROPIC: list[Any] = [
    {"role": "user", "content": "What is it?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk"},
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "c1", "name": "double", "input": {"a": 21}},
            {"type": "tool_use", "id": "c2", "name": "draw", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "42"}]},
            {
                "type": "tool_result",
                "tool_use_id": "c2",
                "content": [
                    {"type": "text", "text": "Here:"},
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/gif", "data": GIF_BASE64},
                    },
                ],
            },
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Once more.", "signature": "YWdhaW4="},
            {"type": "tool_use", "id": "c3", "name": "refuse", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "c3",
                "content": [{"type": "text", "text": "not today"}],
                "is_error": True,
            }
        ],
    },
]
OPENAI: list[Any] = [
    {"role": "user", "content": "What is it?"},
    {
        "type": "reasoning",
        "id": "rs_0",
        "summary": [{"type": "summary_text", "text": "Let me see."}],
        "encrypted_content": "c2lnbmVk",
    },
    {"role": "assistant", "content": "Looking."},
    {"type": "function_call", "call_id": "c1", "name": "double", "arguments": '{"a": 21}'},
    {"type": "function_call", "call_id": "c2", "name": "draw", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "42"},
    {
        "type": "function_call_output",
        "call_id": "c2",
        "output": [
            {"type": "input_text", "text": "Here:"},
            {"type": "input_image", "detail": "auto", "image_url": f"data:image/gif;base64,{GIF_BASE64}"},
        ],
    },
    {
        "type": "reasoning",
        "id": "rs_0",
        "summary": [{"type": "summary_text", "text": "Once more."}],
        "encrypted_content": "YWdhaW4=",
    },
    {"type": "function_call", "call_id": "c3", "name": "refuse", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c3", "output": "not today"},
]


def _chat_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


CHAT: list[Any] = [
    {"role": "user", "content": "What is it?"},
    {
        "role": "assistant",
        "content": "Looking.",
        "tool_calls": [_chat_call("c1", "double", '{"a": 21}'), _chat_call("c2", "draw", "{}")],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "42"},
    {
        "role": "tool",
        "tool_call_id": "c2",
        "content": "Here:\n[A picture (image/gif) was here. It cannot be sent to this model.]",
    },
    {"role": "assistant", "content": None, "tool_calls": [_chat_call("c3", "refuse", "{}")]},
    {"role": "tool", "tool_call_id": "c3", "content": "not today"},
]
HEARD: Mapping[str, tuple[str, list[Any], tuple[int, ...]]] = {
    "anthropic": ("messages", ANTHROPIC, (1, 3, 5)),
    "openai": ("input", OPENAI, (1, 7, 10)),
    "openai_compatible": ("messages", CHAT, (1, 4, 6)),
}
"""By protocol: the key of the messages, all messages, and the number of messages in each round."""


@pytest.mark.parametrize("protocol", MODELS)
async def test_each_round_carries_all_before_it_in_the_vendors_format(data: Path, protocol: str) -> None:
    async with a_bench(data, protocol, *(speak(protocol, speech) for speech in ROUNDS)) as (ctx, peer):
        conversation_id = await a_conversation(ctx, model=MODELS[protocol])
        ended = await reply_to(ctx, conversation_id, "What is it?", parameters=Parameters(thinking=True))
        calls = await calls_of(ctx, conversation_id)
        async with ctx.store.read() as session:
            records = await load_pair_tool_calls(session, ended.pair.id)

    assert (ended.pair.lifecycle, ended.pair.stop_reason) == (Lifecycle.SUCCEEDED, StopReason.END)
    assert ended.pair.reply is not None
    kinds = [type(part) for part in ended.pair.reply.parts]
    assert kinds == [
        Thinking, Text, ToolCall, ToolCall, ToolResult, ToolResult, Thinking, ToolCall, ToolResult, Text,
    ]  # fmt: skip
    where, messages, counts = HEARD[protocol]
    bodies = [without_marks(body_of(heard)) for heard in peer.heard]
    assert [body[where] for body in bodies] == [messages[:count] for count in counts]
    rest = [{name: value for name, value in body.items() if name != where} for body in bodies]
    assert rest[0] == rest[1] == rest[2]
    assert {tool.get("name") or tool["function"]["name"] for tool in rest[0]["tools"]} >= {"double", "draw", "refuse"}
    assert [(call.attempt, call.outcome, call.usage) for call in calls] == [
        (number, Lifecycle.SUCCEEDED, Usage(*speech.tokens)) for number, speech in enumerate(ROUNDS, 1)
    ]
    assert ended.pair.usage == Usage(450, 35)
    assert [(record.name, record.run_json, record.is_error) for record in records] == [
        ("double", '{"a": 21}', False), ("draw", "{}", False), ("refuse", "{}", True),
    ]  # fmt: skip


@pytest.mark.parametrize("protocol", MODELS)
async def test_what_is_stored_makes_the_bytes_and_hashes_of_every_round_again(data: Path, protocol: str) -> None:
    runs = list[LiveRun]()
    answers = [speak(protocol, speech) for speech in (*ROUNDS, Speech(text="Bye."))]
    async with a_bench(data, protocol, *answers) as (ctx, peer):
        conversation_id = await a_conversation(ctx, model=MODELS[protocol])
        shown = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("What is it?"))
        start = ctx.engine.start

        def overhear(*args: Any, **more: Any) -> LiveRun:
            runs.append(start(*args, **more))
            return runs[-1]

        object.__setattr__(ctx.engine, "start", overhear)
        ended = await reply_to(ctx, conversation_id, "What is it?")
        (run,) = runs
        assert run.loop is not None
        assert ended.pair.reply is not None
        parts, first = ended.pair.reply.parts, run.loop.first
        ends = [place for place, part in enumerate(parts, 1) if isinstance(part, ToolResult)]
        rounds = [continue_request(first.request, parts[:end], run.loop.model).request for end in (0, ends[1], ends[2])]
        attachments = await load_named(ctx.store, LOCAL_OWNER, rounds[-1])
        again = [
            without_marks(orjson.loads(encode(run.provider, one, run.loop.model, attachments).body)) for one in rounds
        ]
        after = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("And now?"))

    assert peer.heard[0].body == shown.wire.body
    assert [without_marks(body_of(heard)) for heard in peer.heard] == again
    hashes = [content_hashes(one) for one in rounds]
    assert hashes[0][-1] == ended.started.content_hash == shown.hashes[-1]
    assert hashes[1][: len(hashes[0])] == hashes[0]
    assert hashes[2][: len(hashes[1])] == hashes[1]
    assert after.hashes[: len(hashes[2])] == hashes[2]
