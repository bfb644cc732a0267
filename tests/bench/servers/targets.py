"""The servers of a run: the stub, and the three that bring its reply to a browser. Each is one process tree.

stub = await start_stub()
floor = await start_floor("raw", stub)
url = await floor.page("t2000-r100")          # a page with a text area that sends on Enter
await floor.stop()
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx2
from websockets.asyncio.client import ClientConnection

from tests.bench.instruments.clients import Watch
from tests.bench.instruments.reflex_page import PINGS, ReflexPage
from tests.bench.servers.stub import Call

ROOT = Path(__file__).resolve().parents[3]
STUB_PORT, APP_PORT = 3450, 3453
FLOOR_PORTS = {"raw": 3451, "sdk": 3452}


class Target(Protocol):
    """A measured server: its page has a composer, and its socket delivers the reply."""

    name: str
    process: Process
    address: str

    async def page(self, model: str, pairs: int = 0) -> str: ...
    async def watch(self, model: str) -> Watch: ...


class Process:
    """A server started for this run in a separate process group. Its output goes to a file that is kept on failure."""

    def __init__(self, command: list[str], env: dict[str, str] | None = None) -> None:
        self.log = tempfile.NamedTemporaryFile("w+", prefix="inview-bench-")  # noqa: SIM115 - closed by stop()
        self.started = time.time()
        self._popen = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._popen.pid

    async def answers(self, url: str, seconds: float = 60) -> float:
        """Wait until `url` answers 200; return the seconds since the start of the process."""
        async with httpx2.AsyncClient(trust_env=False) as client:
            while True:
                try:
                    if (await client.get(url, timeout=5)).is_success:
                        return time.time() - self.started
                except httpx2.TransportError:
                    pass
                if self._popen.poll() is not None or time.time() - self.started > seconds:
                    raise RuntimeError(f"{url} does not answer. The server said:\n{self._said()}")
                await asyncio.sleep(0.01)

    def _said(self) -> str:
        return Path(self.log.name).read_text()[-3000:]

    async def stop(self) -> None:
        if self._popen.poll() is None:
            os.killpg(self.pid, signal.SIGTERM)
            await asyncio.to_thread(self._popen.wait, 15)
        self.log.close()


@dataclass
class Stub:
    process: Process
    base_url: str

    async def call(self, key: str, seconds: float = 60) -> Call:
        """Return the finished request whose last message is `key`."""
        deadline = time.monotonic() + seconds
        async with httpx2.AsyncClient(trust_env=False) as client:
            while time.monotonic() < deadline:
                answer = await client.get(self.base_url.removesuffix("/v1") + "/log", params={"key": key}, timeout=60)
                calls = [Call(**call) for call in answer.json() if call["finished"]]
                if calls:
                    return calls[0]
                await asyncio.sleep(0.2)
        raise TimeoutError(f"The stub saw no finished request for {key!r} in {seconds} s.")


@dataclass
class Floor:
    name: str
    process: Process
    address: str

    async def page(self, model: str, pairs: int = 0) -> str:
        return f"http://{self.address}/?model={model}&pairs={pairs}"

    async def watch(self, model: str) -> Watch:
        async def send(socket: ClientConnection, text: str) -> None:
            await socket.send(text)

        return Watch(f"ws://{self.address}/ws?model={model}", send, text_of=str)


async def start_stub(port: int = STUB_PORT) -> Stub:
    process = Process([sys.executable, "-m", "tests.bench.servers.stub", str(port)])
    await process.answers(f"http://127.0.0.1:{port}/")
    return Stub(process, f"http://127.0.0.1:{port}/v1")


async def start_floor(name: str, stub: Stub, port: int = 0) -> Floor:
    port = port or FLOOR_PORTS[name]
    address = f"127.0.0.1:{port}"
    process = Process([sys.executable, "-m", "tests.bench.servers.floor", str(port), name, stub.base_url])
    await process.answers(f"http://{address}/")
    return Floor(name, process, address)


@dataclass
class App:
    """Inview with the stub as its only provider and a separate data folder."""

    process: Process
    address: str
    name: str = "app"
    # Ids of conversations with stored pairs, by model and number of pairs.
    stored: defaultdict[tuple[str, int], deque[str]] = field(default_factory=lambda: defaultdict(deque))

    async def page(self, model: str, pairs: int = 0) -> str:
        return f"http://{self.address}/c/{await self.conversation(model, pairs)}"

    async def watch(self, model: str) -> Watch:
        conversation = await self.conversation(model)

        async def send(_socket: ClientConnection, text: str) -> None:
            """Start the reply and disconnect: it belongs to the server, and arrives on the socket."""
            url = f"http://{self.address}/api/v1/conversations/{conversation}/send"
            client = httpx2.AsyncClient(trust_env=False)
            async with client, client.stream("POST", url, json={"text": text}) as response:
                response.raise_for_status()
                await anext(response.aiter_raw())

        page = ReflexPage(f"/c/{conversation}")
        return Watch(page.url(self.address), send, page.new_text_of, page.open, answers=PINGS, compression="deflate")

    async def conversation(self, model: str, pairs: int = 0) -> str:
        """Return a new conversation with that model, or the next one in turn with that number of stored pairs."""
        if pairs:
            self.stored[model, pairs].rotate(-1)
            return self.stored[model, pairs][-1]
        async with httpx2.AsyncClient(trust_env=False) as client:
            answer = await client.post(f"http://{self.address}/api/v1/conversations", json={"model": f"stub:{model}"})
            answer.raise_for_status()
            created: dict[str, Any] = answer.json()
            return created["id"]


async def start_app(stub: Stub, data_dir: Path, port: int = APP_PORT) -> App:
    process = Process([str(ROOT / ".venv/bin/inview"), "serve"], app_environment(stub.base_url, data_dir, port))
    # Not the page: it answers before the server is ready.
    await process.answers(f"http://127.0.0.1:{port}/api/v1/health", seconds=120)
    return App(process, f"127.0.0.1:{port}")


def app_environment(base_url: str, data_dir: Path, port: int) -> dict[str, str]:
    # Without titles: each would be one more stream of the model's whole script, which the floor does not send.
    return {
        "INVIEW_PORT": str(port),
        "INVIEW_DATA_DIR": str(data_dir),
        "INVIEW_COMPATIBLE": f"stub={base_url}",
        "INVIEW_TITLES": "off",
    }
