"""The readers of MCP servers over HTTP, their sign-ins, fetched pages and local model servers, one row each."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

import pytest

from app.domain.conversation.parts import Text
from app.domain.tools.tool_servers import OverHttp
from app.domain.tools.tools import Caller
from app.providers.models.detection import ANSWER_SECONDS, LARGEST_LIST, detect_local_servers
from app.providers.registry import PROVIDERS
from app.tools.built_in.fetching import fetch_page
from app.tools.built_in.web_pages import MAX_BYTES, SECONDS
from app.tools.mcp.server_log import ServerLog
from app.tools.mcp.sessions import START_SECONDS
from app.tools.network.addresses import AddressGuard
from app.tools.network.bounds import MAX_MESSAGE
from app.tools.sign_in.oauth_flow import sign_in
from app.tools.sign_in.sign_ins import SIGN_IN_SECONDS, SignIn, SignInFailedError
from app.tools.sign_in.stored_auth import SIGN_IN_BOUNDS
from tests.outside.readers import COMMENT, JSON, STREAM, Reader, as_event
from tests.providers.peer import Answer
from tests.tools.servers import a_server, a_session, ignore

MB: Final = 1_000_000
SHORT_FLOW: Final = 32 * MB
"""Bytes of a stream per minute in these tests: sending the usual number takes seconds."""
SIGN_IN: Final = Answer(status=401, headers=(("WWW-Authenticate", "Bearer"),))


async def read_page(url: str) -> str:
    outcome = await fetch_page(AddressGuard(allow_private=True)).call(Caller("local"), {"url": url}, ignore)
    (part,) = outcome.content
    assert isinstance(part, Text)
    assert outcome.is_error or part.text.startswith(url)  # a page may contain anything
    return part.text


async def read_server(url: str) -> str:
    """Connect to an MCP server, and ask for its content."""
    async with a_session(OverHttp(url, allow_private=True), backoff=(1e6,)) as session:
        await session.settle(1e9)
        return session.problem


async def read_sign_in(url: str) -> str:
    future = asyncio.get_running_loop().create_future
    begun = SignIn("s1", "http://127.0.0.1:3000/callback", datetime.now(UTC) + timedelta(hours=1), future(), future())
    with pytest.raises(SignInFailedError) as raised:
        await sign_in(a_server(OverHttp(url, allow_private=True)), {}, begun, ServerLog(()))
    return str(raised.value)


async def detect(url: str) -> str:
    port = int(url.split(":")[2].partition("/")[0])
    found = await detect_local_servers([replace(PROVIDERS["llamacpp"], local_port=port)])
    return f"{len(found)} found"


TWICE: Final = 2 * MAX_MESSAGE
"""A server is asked in the newest protocol, and then in the one before it."""
_server = partial(Reader, read=read_server, seconds=START_SECONDS, step=20, says=("The server could not be reached: ",))
TOOL_READERS: Final = (
    _server("MCP over HTTP: an answer", answer=Answer(headers=JSON), filler=b" ", most_bytes=TWICE),
    _server("MCP over HTTP: an error", answer=Answer(status=500, headers=JSON), filler=b" ", most_bytes=TWICE),
    _server("MCP over HTTP: a stream", answer=STREAM, filler=COMMENT, frame=as_event, most_bytes=2 * SHORT_FLOW),
    Reader(
        "sign-in to an MCP server",
        read=read_sign_in,
        answer=Answer(headers=JSON),
        filler=b" ",
        most_bytes=SIGN_IN_BOUNDS.most_bytes,
        seconds=SIGN_IN_SECONDS,
        step=20,
        says=("It", "The sign-in", "The server", "The authorization server"),
        before=(SIGN_IN,),
    ),
    Reader(
        "a fetched page",
        read=read_page,
        answer=Answer(headers=(("Content-Type", "text/event-stream"),)),
        filler=b"x",
        most_bytes=MAX_BYTES,
        seconds=SECONDS,
        step=1,
        says=("The page ", "http://127.0.0.1:"),
    ),
    Reader(
        "a local model server",
        read=detect,
        answer=Answer(headers=JSON),
        filler=b" ",
        most_bytes=LARGEST_LIST,
        seconds=ANSWER_SECONDS,
        step=0.1,
        says=("0 found", "1 found"),
    ),
)
