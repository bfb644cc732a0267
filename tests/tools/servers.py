"""MCP servers for tests: real third-party ones, and programs of a few lines that misbehave."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.domain.tools.tool_servers import Listing, OverHttp, OverStdio, ToolServer, Way
from app.domain.tools.tools import Tool, ToolOutcome
from app.tools.mcp.sessions import ServerSession
from tests.node import NODE

MODULES = Path(__file__).parents[1] / "third_party/node_modules/@modelcontextprotocol"
EVERYTHING = MODULES / "server-everything/dist/index.js"

needs_npm = pytest.mark.skipif(not EVERYTHING.is_file(), reason="The npm servers are not installed: `make peers`.")


def everything() -> OverStdio:
    return OverStdio(str(NODE), (str(EVERYTHING), "stdio"))


def npm_server(name: str, *arguments: str) -> OverStdio:
    return OverStdio(str(NODE), (str(MODULES / f"server-{name}/dist/index.js"), *arguments))


def python_server(module: str, *arguments: str) -> OverStdio:
    return OverStdio(sys.executable, ("-m", module, *arguments))


def script(code: str) -> OverStdio:
    """Return a server that is this Python program. It has `read()` and `write(message)`, and no automatic answers."""
    return OverStdio(sys.executable, ("-c", _SCRIPT + code))


_SCRIPT = """
import json, sys, time
def read():
    line = sys.stdin.readline()
    if not line: sys.exit(0)
    return json.loads(line)
def write(message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
TOOL = {"name": "act", "description": "Acts.", "inputSchema": {"type": "object"}}
def greet(capabilities={"tools": {}}):
    while (asked := read()).get("method") != "initialize":
        if "id" in asked: write({"id": asked["id"], "error": {"code": -32601, "message": "not known"}})
    about = {"name": "script", "version": "1"}
    has = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": about}
    write({"id": asked["id"], "result": has})
def serve(act, tools=[TOOL]):
    while True:
        asked = read()
        if asked.get("method") == "tools/list": write({"id": asked["id"], "result": {"tools": tools}})
        elif asked.get("method") == "tools/call": act(asked)
"""

LIBRARY = script(
    """
CITY = [{"name": "city", "description": "Where", "required": True}, {"name": "day"}]
PROMPTS = [{"name": "weather", "title": "Weather", "arguments": CITY}, {"name": "hangs"}]
RESOURCES = [{"uri": "note://tea", "name": "Tea"}, {"uri": "odd://{a}/b", "name": "Odd"}]
TEMPLATES = [{"uriTemplate": "note://{name}{?page}", "name": "Notes"}]
greet({"prompts": {}, "resources": {}})
while True:
    asked = read()
    if "id" not in asked: continue
    params, result = asked.get("params", {}), None
    match asked["method"]:
        case "prompts/list": result = {"prompts": PROMPTS}
        case "resources/list": result = {"resources": RESOURCES}
        case "resources/templates/list": result = {"resourceTemplates": TEMPLATES}
        case "prompts/get" if params["name"] == "weather":
            text = json.dumps(params["arguments"])
            result = {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
        case "resources/read": result = {"contents": [{"uri": params["uri"], "text": "green"}]}
    if result is not None: write({"id": asked["id"], "result": result})
"""
)
"""A server with prompts and resources. It answers only requests for their names."""


def a_server(way: Way, **more: Any) -> ToolServer:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return ToolServer("s1", "lab", way, True, 60.0, (), at, at, **more)


@asynccontextmanager
async def a_session(
    way: Way, secrets: dict[str, str] | None = None, *, backoff: tuple[float, ...] = (0.05,), **more: Any
) -> AsyncGenerator[ServerSession]:
    """Start a session. It tries again immediately when it fails."""

    async def forget(server_id: str, listing: Listing) -> None: ...

    session = ServerSession(a_server(way, **more), secrets or {}, forget, backoff=backoff)
    session.start()
    try:
        yield session
    finally:
        await session.stop()


def ignore(done: float, total: float | None, words: str) -> None: ...


async def ask(session: ServerSession, tool: str, *, seconds: float = 30.0, **arguments: Any) -> ToolOutcome:
    return await session.call(await find_tool(session, tool), arguments, ignore, seconds)


async def find_tool(session: ServerSession, name: str) -> Tool:
    """Return the tool, once its server is ready or has failed. A tool that the server does not have is invented."""
    await session.settle(30)
    made_up = Tool(name, session.server.id, session.server.name, name, name, "", "{}", read_only=False)
    return next((tool for tool in session.tools if tool.tool_name == name), made_up)


@asynccontextmanager
async def everything_over_http() -> AsyncGenerator[tuple[OverHttp, Callable[[], Any]]]:
    """Run the everything server on a free port. Yield it and a function that kills it."""
    process = await asyncio.create_subprocess_exec(
        NODE, EVERYTHING, "streamableHttp", env={"PORT": "0"},
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        async with asyncio.timeout(30):
            while b"listening" not in (await process.stderr.readline()).lower():
                pass
        # Its log names the port that it was given, 0.
        (port,) = (
            one.laddr.port
            for one in psutil.Process(process.pid).net_connections("tcp")
            if one.status == psutil.CONN_LISTEN
        )
        yield OverHttp(f"http://127.0.0.1:{port}/mcp", allow_private=True), process.kill
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]
