"""The floor: the smallest program that can bring the stub's reply into a browser. No markdown, no database, one tab.

`raw` reads the event stream directly (httpx2 + orjson); `sdk` uses the official openai client as intended. One
websocket push per chunk, appended to one text node of a bare page.

    python -m tests.bench.servers.floor 3451 raw http://127.0.0.1:3450/v1
    # page: http://127.0.0.1:3451/?model=t2000-r100&pairs=0   (pairs: number of stored pairs in the request)
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import orjson
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam as Message
from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_websocket
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from tests.bench.servers.script import stored_pair

Stream = Callable[[str, list[Message]], AsyncIterator[str]]

PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>floor</title>
<textarea aria-label="Prompt"></textarea><div style="white-space:pre-wrap"></div>
<script>
const reply = document.querySelector("div").appendChild(document.createTextNode(""));
const box = document.querySelector("textarea");
const socket = new WebSocket(`ws://${location.host}/ws${location.search}`);
socket.onmessage = (event) => reply.appendData(event.data);
box.onkeydown = (event) => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  socket.send(box.value);
  box.value = "";
};
</script></html>"""


async def serve(port: int, variant: str, base_url: str) -> None:
    streams: dict[str, Callable[[], Stream]] = {
        "raw": lambda: raw_stream(httpx2.AsyncClient(timeout=60), base_url),
        "sdk": lambda: sdk_stream(AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)),
    }
    stream = streams[variant]()

    async def relay(socket: ServerConnection) -> None:
        assert socket.request is not None
        query = parse_qs(urlsplit(socket.request.path).query)
        history = list(stored_messages(int(query.get("pairs", ["0"])[0])))
        async for prompt in socket:
            async for text in stream(query["model"][0], [*history, _user(str(prompt))]):
                await socket.send(text)

    async with serve_websocket(
        relay, "127.0.0.1", port, compression=None, ping_interval=None, process_request=_page_or_socket
    ) as server:
        await server.serve_forever()


def raw_stream(client: httpx2.AsyncClient, base_url: str) -> Stream:
    """Read the event stream directly: split lines, parse JSON, nothing else."""

    async def stream(model: str, messages: list[Message]) -> AsyncIterator[str]:
        body = orjson.dumps({"model": model, "stream": True, "messages": messages})
        async with client.stream("POST", f"{base_url}/chat/completions", content=body) as response:
            rest = b""
            async for data in response.aiter_raw():
                *events, rest = (rest + data).split(b"\n\n")
                for event in events:
                    if event != b"data: [DONE]" and (text := _text_of(orjson.loads(event[6:]))):
                        yield text

    return stream


def sdk_stream(client: AsyncOpenAI) -> Stream:
    """Read the stream as a chat does that uses the SDK as intended."""

    async def stream(model: str, messages: list[Message]) -> AsyncIterator[str]:
        chunks = await client.chat.completions.create(model=model, messages=messages, stream=True)
        async for chunk in chunks:
            if chunk.choices and (text := chunk.choices[0].delta.content):
                yield text

    return stream


@cache
def stored_messages(pairs: int) -> tuple[Message, ...]:
    texts = [stored_pair(index) for index in range(pairs)]
    return tuple(message for user, reply in texts for message in (_user(user), _assistant(reply)))


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


def _assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _text_of(event: Any) -> str:
    return event["choices"][0]["delta"].get("content", "") if event["choices"] else ""


def _page_or_socket(_socket: ServerConnection, request: Request) -> Response | None:
    if request.path.startswith("/ws"):
        return None
    headers = Headers({"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(PAGE))})
    return Response(HTTPStatus.OK, "OK", headers, PAGE)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], sys.argv[3]))
