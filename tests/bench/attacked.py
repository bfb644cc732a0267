"""Longest response time of `/health` during an attack, and the memory that the server uses for it.

    python -m tests.bench.attacked

One real server is attacked from outside by requests, a socket, a hostile provider and a hostile MCP server.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

import httpx2
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from app.domain.conversation.text_size import MAX_TEXT_BYTES
from tests.bench.instruments.reflex_page import ReflexPage
from tests.outside.attacks import Attack, bomb, endless
from tests.outside.readers import JSON, Reader
from tests.outside.tool_readers import TOOL_READERS
from tests.outside.words import distinct_words
from tests.providers.peer import Answer, a_peer
from tests.runs.clock import LoopClock
from tests.serving import Served, serving

LIMIT_MS: Final = 100.0
WIDE: Final = b"[" + b"[]," * 4_000_000 + b"[]]"
BYTES: Final = "application/octet-stream"
WORDS: Final = distinct_words(MAX_TEXT_BYTES - 4) + "\N{GRINNING FACE}"
EVENT: Final = '42/_event,["event",{"name":"reflex___state____state.hydrate","payload":{"a":%s}}]'


async def main() -> None:
    """Run every attack once and print the figures."""
    hostile = Reader("list", _read_nothing, Answer(headers=JSON), b" ", 8_000_000, 15, 1)
    async with a_peer(_play(bomb, hostile)) as provider, a_peer(_play(endless, TOOL_READERS[0])) as tools:
        named = {"INVIEW_COMPATIBLE": f"box={provider.url}/v1"}
        with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "data", named) as server:
            attacks = _attacks(server, f"{tools.url}/mcp")
            await asyncio.sleep(5)  # the start has ended
            quiet = 0.0
            print("| attack | longest `/health` | times quiet | memory | time |\n|---|---|---|---|---|", flush=True)
            for name, attack in attacks.items():
                longest, megabytes, seconds = await _measure(server, attack)
                quiet = quiet or longest
                print(
                    f"| {name} | {longest:.1f} ms | {longest / quiet:.1f} | {megabytes:.0f} MB | {seconds:.1f} s |",
                    flush=True,
                )


def _play(attack: Callable[[Reader, LoopClock], Attack], reader: Reader) -> Answer:
    return attack(reader, LoopClock()).answer


async def _read_nothing(_url: str) -> str:
    raise NotImplementedError


def _attacks(server: Served, mcp_url: str) -> dict[str, Callable[[], Awaitable[object]]]:
    http = httpx2.AsyncClient(base_url=f"{server.url}/api/v1", timeout=60, trust_env=False)

    async def post(path: str, body: bytes, kind: str = "application/json") -> None:
        answer = await http.post(path, content=body, headers={"Content-Type": kind})
        assert 400 <= answer.status_code < 500, answer.text

    async def import_largest() -> None:
        file = {"type": "text_file", "name": "a.txt", "text": "\N{GRINNING FACE}" + "x" * (MAX_TEXT_BYTES - 4)}
        parts = [{"type": "text", "text": WORDS}, *(file,) * 4]
        pair = {"user_text": "Hi", "reply_text": WORDS, "reply": {"parts": parts}, "model": "offline:demo"}
        (await http.post("/import", json={"title": "Plans", "pairs": [pair]})).raise_for_status()

    async def import_other_words() -> None:
        asked, replied = distinct_words(MAX_TEXT_BYTES), distinct_words(MAX_TEXT_BYTES, after=MAX_TEXT_BYTES)
        pair = {"user_text": asked, "reply_text": replied, "model": "offline:demo"}
        (await http.post("/import", json={"title": "Plans", "pairs": [pair]})).raise_for_status()

    async def send_largest(mark: str) -> None:
        text, uploads = distinct_words(MAX_TEXT_BYTES - 4) + mark, list[str]()
        for number in range(4):
            path = f"/attachments?name={number}.txt"
            stored = await http.post(path, content=text.encode(), headers={"Content-Type": BYTES})
            uploads.append(stored.raise_for_status().json()["upload_id"])
        made = await http.post("/conversations", json={"model": "box:any"})  # offline models read it in the server
        said = {"text": text, "attachments": uploads, "over_budget": "force"}
        (await http.post(f"/conversations/{made.json()['id']}/send", json=said)).raise_for_status()

    async def say(text: str) -> None:
        page = ReflexPage("/")
        async with connect(page.url(server.url.removeprefix("http://")), max_size=None, ping_interval=None) as socket:
            await socket.recv()
            await socket.send("40/_event,")
            await socket.send(text)
            try:
                async with asyncio.timeout(3):
                    while True:
                        await socket.recv()
            except (TimeoutError, ConnectionClosed):
                pass

    async def add_server() -> None:
        said = {"name": "hostile", "kind": "http", "url": mcp_url, "allow_private": True}
        (await http.post("/mcp-servers", json=said)).raise_for_status()
        await asyncio.sleep(5)

    return {
        "nothing": lambda: asyncio.sleep(5),
        "a body of 12 MB of lists": lambda: post("/conversations", WIDE),
        "an import of 60 MB of lists": lambda: post("/import", b'{"pairs":[' + b"[]," * 20_000_000 + b"[]]}"),
        "an import of 60 MB of blanks": lambda: post("/import", b" " * 60_000_000),
        "an import of the largest message": import_largest,
        "an import of two texts of different words": import_other_words,
        "a send of the largest message": lambda: send_largest(""),
        "a send of the largest message with emoji": lambda: send_largest("\N{GRINNING FACE}"),
        "an upload of 20 MB": lambda: post("/attachments?name=a.docx", b"PK" + bytes(20_000_000), BYTES),
        "a socket message of 12 MB of lists": lambda: say(EVENT % WIDE.decode()),
        "a socket message of 12 MB of text": lambda: say(EVENT % ('"' + "x" * 12_000_000 + '"')),
        "a packed list of models": lambda: http.get("/models"),
        "an MCP server without end": add_server,
    }


async def _measure(server: Served, attack: Callable[[], Awaitable[object]]) -> tuple[float, float, float]:
    """Return the longest `/health` in milliseconds, the maximum extra memory in MB, and the total seconds."""
    pid, over, longest = server.process.pid, threading.Event(), 0.0
    before = _begin(pid)

    def ask() -> None:
        nonlocal longest
        connection = HTTPConnection("127.0.0.1", server.port, timeout=120)
        while not over.is_set():
            began = time.monotonic()
            connection.request("GET", "/api/v1/health")
            connection.getresponse().read()
            longest = max(longest, time.monotonic() - began)
            time.sleep(0.005)

    asking = asyncio.create_task(asyncio.to_thread(ask))
    began = time.monotonic()
    await attack()
    took = time.monotonic() - began
    await asyncio.sleep(0.5)
    over.set()
    await asking
    return longest * 1_000, _read(pid, "VmHWM") - before, took


def _begin(pid: int) -> float:
    """Reset the peak of the memory (see proc(5)) and return the current use in MB."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return _read(pid, "VmRSS")


def _read(pid: int, name: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) / 1024


if __name__ == "__main__":
    asyncio.run(main())
