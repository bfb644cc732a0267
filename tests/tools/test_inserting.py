"""Prompts and resources of servers as text: those of a real server, and those of a program that lies."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app.domain.tools.tools import ToolFailedError, ToolFault
from app.tools.mcp.sessions import ServerSession
from tests.tools.servers import a_session, everything, everything_over_http, needs_npm, script


async def prompt(session: ServerSession, name: str, *, seconds: float = 30.0, **arguments: str) -> str:
    return await session.ask(f'The prompt "{name}"', seconds, lambda link: link.fill_prompt(name, arguments))


async def resource(session: ServerSession, uri: str, *, seconds: float = 30.0) -> str:
    return await session.ask(uri, seconds, lambda link: link.read_resource(uri))


@needs_npm
@pytest.mark.third_party
async def test_prompts_and_resources_of_everything_are_listed_with_their_arguments_and_fetched_as_text() -> None:
    async with everything_over_http() as (over_http, _):
        for way in (everything(), over_http):
            async with a_session(way) as session:
                await session.settle(30)
                assert session.known is not None
                prompts = {one.name: one for one in session.known.prompts}
                documents = [one.uri for one in session.known.resources if not one.is_template]
                simple = await prompt(session, "simple-prompt")
                weather = await prompt(session, "args-prompt", city="Ulm", state="Bavaria")
                with_text = await prompt(session, "resource-prompt", resourceType="Text", resourceId="2")
                told_as_bytes = await resource(session, "demo://resource/dynamic/blob/1")
                read = [await resource(session, uri) for uri in documents]
                with pytest.raises(ToolFailedError, match=r"was refused: .*\. Check its address\.") as unknown:
                    await resource(session, "demo://resource/static/document/nothing.md")
                with pytest.raises(ToolFailedError, match=r"was refused: .*Check its arguments") as wrong:
                    await prompt(session, "resource-prompt", resourceType="Tea", resourceId="2")

            assert [(one.name, one.required) for one in prompts["args-prompt"].arguments] == [
                ("city", True), ("state", False),
            ]  # fmt: skip
            assert (prompts["args-prompt"].title, prompts["simple-prompt"].arguments) == ("Arguments Prompt", ())
            assert simple == "This is a simple prompt without arguments."
            assert weather == "What's weather in Ulm, Bavaria?"
            expected = (
                r"This prompt includes the Text resource with id: 2\. .*:\n\n"
                r'From the server "lab", demo://resource/dynamic/text/2:\n\n'
                r"```\nResource 2: This is a plaintext .*\n```"
            )
            assert re.fullmatch(expected, with_text)
            assert "Resource 1: This is a base64 blob created at" in told_as_bytes
            assert len(read) >= 5
            assert read[0].startswith(f'From the server "lab", {documents[0]}:\n\n```markdown\n#')
            assert unknown.value.fault is wrong.value.fault is ToolFault.PROTOCOL


LIAR = script(
    """
import base64
PIXEL = b"GIF89a" + bytes([1, 0, 1, 0])
def said(role, **content): return {"role": role, "content": content}
def image(): return {"type": "image", "data": base64.b64encode(PIXEL).decode(), "mimeType": "image/gif"}
PROMPTS = {
    "talk": [said("user", type="text", text="a\\r\\nb"), said("assistant", type="text", text="c")],
    "picture": [said("user", type="text", text="Look:"), said("user", **image())],
    "sound": [said("user", type="audio", data="AAAA", mimeType="audio/wav")],
    "nothing": [],
    "link": [said("user", type="resource_link", uri="http://127.0.0.1:1/secret", name="a link")],
    "many": [said("user", type="text", text="x")] * 201,
    "hologram": [said("user", type="hologram")],
}
def blob(data, media="application/octet-stream"): return {"blob": base64.b64encode(data).decode(), "mimeType": media}
RESOURCES = {
    "x:latin": blob("Bär".encode("latin-1"), "text/plain"), "x:nul": blob(b"a\\0b"), "x:pixel": blob(PIXEL),
    "x:no-base64": {"blob": "%%%"}, "x:empty": {"text": ""}, "x:huge": {"text": "x" * 200_001},
    "x:bom": blob(b"\\xef\\xbb\\xbfa = 1\\r\\n", "text/x-python"),
}
greet({"prompts": {}, "resources": {}})
while True:
    asked = read()
    if "id" not in asked: continue
    params, result = asked.get("params", {}), None
    match asked["method"]:
        case "prompts/list": result = {"prompts": []}
        case "resources/list": result = {"resources": []}
        case "resources/templates/list": result = {"resourceTemplates": []}
        case "prompts/get": result = {"messages": PROMPTS[params["name"]]} if params["name"] in PROMPTS else None
        case "resources/read" if params["uri"] == "x:die": sys.exit(3)
        case "resources/read" if params["uri"] == "x:none": result = {"contents": []}
        case "resources/read" if params["uri"] in RESOURCES:
            result = {"contents": [{"uri": params["uri"], **RESOURCES[params["uri"]]}]}
    if result is not None: write({"id": asked["id"], "result": result})
"""
)
LIES = [
    (prompt, "picture", ToolFault.REFUSED, r"contains a picture \(image/gif\)\. A message can only have text"),
    (prompt, "sound", ToolFault.REFUSED, r"contains a sound \(audio/wav\)"),
    (prompt, "nothing", ToolFault.PROTOCOL, '"nothing" of "lab" is empty'),
    (prompt, "many", ToolFault.TOO_LARGE, "too many pieces. The maximum is 200"),
    (prompt, "hologram", ToolFault.PROTOCOL, "returned an invalid response"),
    (prompt, "hangs", ToolFault.TIMED_OUT, "did not respond within 0.4 seconds"),
    (resource, "x:latin", ToolFault.REFUSED, r"contains bytes that are not text \(text/plain\)"),
    (resource, "x:nul", ToolFault.REFUSED, "bytes that are not text"),
    (resource, "x:pixel", ToolFault.REFUSED, r"a picture \(image/gif\)"),
    (resource, "x:no-base64", ToolFault.PROTOCOL, "bytes that are not base64"),
    (resource, "x:empty", ToolFault.PROTOCOL, 'x:empty of "lab" is empty'),
    (resource, "x:none", ToolFault.PROTOCOL, "is empty"),
    (resource, "x:huge", ToolFault.TOO_LARGE, "characters. The maximum is 200,000"),
    (resource, "x:hangs", ToolFault.TIMED_OUT, "x:hangs of .* did not respond within 0.4 seconds"),
    (resource, "x:die", ToolFault.DIED, "ended with code 3"),
]


async def test_what_is_no_text_is_refused_with_a_sentence_and_the_next_one_is_answered() -> None:
    async with a_session(LIAR) as session:
        await session.settle(30)
        for ask, name, fault, words in LIES:
            how: dict[str, Any] = {"seconds": 0.4} if fault is ToolFault.TIMED_OUT else {}
            with pytest.raises(ToolFailedError, match=words) as caught:
                await ask(session, name, **how)
            assert caught.value.fault is fault, name
            assert await prompt(session, "talk") == "User:\na\nb\n\nAssistant:\nc"
        link = await prompt(session, "link")
        program = await resource(session, "x:bom")

    assert link == "[a link](http://127.0.0.1:1/secret)"
    assert program == 'From the server "lab", x:bom:\n\n```python\na = 1\n```'
