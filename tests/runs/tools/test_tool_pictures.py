"""Pictures from MCP servers: labelled by their bytes, limited in size, described in text if they cannot be sent."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Image, Text, ToolCall, ToolResult, plain_text
from app.domain.tools.permission_requests import Allowed
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.runs.tools import tool_calls
from app.runs.tools.server_commands import ServerSettings, add_server, try_server
from app.runs.wiring import open_app_context
from app.store.tools.tool_calls import load_pair_tool_calls
from tests.domain.attachments.test_attachments import HEIC, JPEG, a_png
from tests.providers.peer import Peer, a_peer
from tests.runs.exchange import export
from tests.runs.speaking import Speech, speak
from tests.runs.steps import a_conversation, reply_to, settings_of
from tests.tools.servers import script

KEY = "sk-secret-1234567890"
CALL = Speech(calls=(("c1", "lab__act", "{}"),))
DONE = Speech(text="Done.")
CLAUDE, BLIND = "anthropic:claude-sonnet-4-5", "box:mistral-7b"
BASE64 = "iVBORw0KGgo" + "A" * (400_000 - 11)


@pytest.fixture(autouse=True)
def everything_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def allow(ctx: AppContext, run: Any, tool: Any, call: ToolCall, **_: Any) -> Allowed:
        return Allowed(call.input_json)

    monkeypatch.setattr(tool_calls, "ask_permission", allow)


@asynccontextmanager
async def a_bench(data: Path, model: str, content: str) -> AsyncGenerator[tuple[AppContext, Peer, Pair]]:
    """Make a reply whose model called a tool that answers with this content, a Python expression."""
    protocol = "anthropic" if model == CLAUDE else "openai_compatible"
    server = script(
        f"""
from base64 import b64encode
def act(asked): write({{"id": asked["id"], "result": {{"content": [{content}]}}}})
greet()
serve(act)
"""
    )
    async with a_peer(speak(protocol, CALL), speak(protocol, DONE)) as peer:
        settings = settings_of(
            data,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=peer.url,
            INVIEW_COMPATIBLE=f"box={peer.url}/v1",
        )
        async with open_app_context(settings) as ctx:
            seen = await add_server(ctx, LOCAL_OWNER, ServerSettings("lab", server))
            await try_server(ctx, LOCAL_OWNER, seen.server.id)
            ended = await reply_to(ctx, await a_conversation(ctx, model=model), "Draw")
            assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
            yield ctx, peer, ended.pair


def result_of(pair: Pair) -> ToolResult:
    assert pair.reply is not None
    (result,) = (part for part in pair.reply.parts if isinstance(part, ToolResult))
    return result


def an_image(data: bytes) -> str:
    return repr({"type": "image", "mimeType": "image/png", "data": b64encode(data).decode()})


def list_sources(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pictures in the tool results of a request to Anthropic."""
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    results = [one for content in contents for one in content if one["type"] == "tool_result"]
    return [piece["source"] for result in results for piece in result["content"] if piece["type"] == "image"]


async def ask_again(ctx: AppContext, peer: Peer, pair: Pair) -> dict[str, Any]:
    """Send a second message and return the request, which equals the preview."""
    shown = await preview_send(ctx, LOCAL_OWNER, pair.conversation_id, SendRequest("And now?"))
    ended = await reply_to(ctx, pair.conversation_id, "And now?")
    assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
    assert peer.heard[-1].body == shown.wire.body
    return orjson.loads(shown.wire.body)


async def test_picture_under_a_wrong_label_is_labelled_by_its_bytes_in_the_request_and_the_export(data: Path) -> None:
    async with a_bench(data, CLAUDE, an_image(JPEG)) as (ctx, peer, pair):
        await ask_again(ctx, peer, pair)
        exported = orjson.loads(await export(ctx, pair.conversation_id))

    (image,) = result_of(pair).content
    assert isinstance(image, Image)
    assert image.media_type == "image/jpeg"
    for heard in peer.heard[1:]:
        (source,) = list_sources(orjson.loads(heard.body))
        assert source["media_type"] == "image/jpeg"
    assert [one["media_type"] for one in exported["attachments"]] == ["image/jpeg"]


async def test_picture_that_no_model_accepts_is_described_and_the_conversation_continues(data: Path) -> None:
    async with a_bench(data, CLAUDE, an_image(HEIC)) as (ctx, peer, pair):
        await ask_again(ctx, peer, pair)

    for heard in peer.heard[1:]:
        body = orjson.loads(heard.body)
        assert list_sources(body) == []
        result = body["messages"][2]["content"][0]
        assert result["content"][0]["text"] == "[A picture (image/heic) was here. It cannot be sent to this model.]"


async def test_model_without_pictures_reads_that_there_was_one(data: Path) -> None:
    async with a_bench(data, BLIND, an_image(a_png(5, 7))) as (ctx, peer, pair):
        await ask_again(ctx, peer, pair)

    for heard in peer.heard[1:]:
        (told,) = (one for one in orjson.loads(heard.body)["messages"] if one["role"] == "tool")
        assert told["content"] == "[A picture (image/png) was here. It cannot be sent to this model.]"
        assert b"image_url" not in heard.body


@pytest.mark.parametrize("model", [CLAUDE, BLIND])
@pytest.mark.parametrize(
    "text",
    [f'{{"figures":[{{"caption":"sine","png":"{BASE64}"}}]}}', f"data:image/png;base64,{BASE64}"],
    ids=["within JSON", "an address of data"],
)
async def test_picture_within_a_text_is_cut_which_the_model_the_person_and_the_estimate_know(
    data: Path, model: str, text: str
) -> None:
    content = "{'type': 'text', 'text': " + repr(text).replace(BASE64, "' + 'iVBORw0KGgo' + 'A' * 399_989 + '") + "}"
    async with a_bench(data, model, content) as (ctx, peer, pair):
        shown = await preview_send(ctx, LOCAL_OWNER, pair.conversation_id, SendRequest("And now?"))
        await ask_again(ctx, peer, pair)
        async with ctx.store.read() as session:
            (record,) = await load_pair_tool_calls(session, pair.id)

    told = plain_text(result_of(pair).content)
    assert "[Cut here: " in told
    assert f"of {len(text):,} characters were given." in told
    assert len(told) < 101_000
    assert record.content == (Text(text),)
    assert all(len(heard.body) < 120_000 for heard in peer.heard)
    estimate = shown.composed.composition.estimate
    assert estimate.pairs > len(told) / 10


async def test_picture_as_large_as_a_message_can_hold_is_taken(data: Path) -> None:
    """The limit is for the bytes, not for their base64 text."""
    picture = f"{a_png(5, 7)!r}.ljust(8_000_000, b'0')"
    made = f"{{'type': 'image', 'mimeType': 'image/png', 'data': b64encode({picture}).decode()}}"
    async with a_bench(data, CLAUDE, made) as (_, peer, pair):
        (image,) = result_of(pair).content

    assert isinstance(image, Image)
    assert len(list_sources(orjson.loads(peer.heard[1].body))) == 1


async def test_larger_picture_is_refused_in_words(data: Path) -> None:
    made = f"{{'type': 'image', 'mimeType': 'image/png', 'data': b64encode(bytes({9 * 1024 * 1024})).decode()}}"
    async with a_bench(data, CLAUDE, made) as (_, _, pair):
        result = result_of(pair)

    assert result.is_error
    assert "sent a line of more than 11 MB" in plain_text(result.content)
