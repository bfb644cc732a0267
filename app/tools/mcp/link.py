"""One connection to an MCP server: open it, list the server's tools, call them, close it. It uses MCP's SDK.

One task opens and closes the connection (`sessions.py`); other tasks make calls through it. Importing this module takes
a second and 40 MB, so it is imported only if there are servers.

    async with open_link(server, secrets, terms) as link:
        listing = await link.list_all()
        outcome = await link.call("echo", {"message": "hi"}, progress)
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.session import IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from app.domain.errors import words_of
from app.domain.tools.tool_servers import CLIENT_SECRET, Listing, OverHttp, OverStdio, ToolServer
from app.domain.tools.tools import ToolFailedError, ToolFault, ToolOutcome
from app.tools.mcp.connection_terms import ConnectionTerms, Progress
from app.tools.mcp.inserting import write_prompt, write_resource
from app.tools.mcp.listing import list_all
from app.tools.mcp.messages import limit_messages
from app.tools.mcp.outcome import read_outcome
from app.tools.mcp.schemas import check_arguments
from app.tools.mcp.stdio import run_program
from app.tools.network.addresses import AddressGuard, AddressRefusedError, PrivateAddressError
from app.tools.network.bounds import MAX_MESSAGE, TooMuchError
from app.tools.network.web_client import Bounds, open_client

BOUNDS: Final = Bounds(MAX_MESSAGE, is_json=True, may_last=True)
"""The limits of one answer over HTTP."""
_CONNECTED: Final = httpx2.Timeout(30.0, read=300.0)
CLOSE_SECONDS: Final = 10.0
"""Maximum seconds for closing a connection, because the request that ends the session may be answered slowly."""
MAX_PROGRESS: Final = 2**53
"""The largest number in a progress report. NaN, the infinities and larger numbers are ignored."""
_UNAUTHORIZED: Final = frozenset({401, 403})
_TOO_MUCH: Final = re.compile(r"(?:Failed to parse JSON response|SSE stream failed): ((?:a message of )?more than .*)")
"""Matches the SDK's message for a `TooMuchSentError`, and finds the message of the error itself."""


# Below WARNING, the SDK logs the session id, which the server chose. The log must not contain text from a server.
logging.getLogger("mcp.client.streamable_http").setLevel(logging.WARNING)


@dataclass(frozen=True)
class Link:
    """An open connection to an MCP server. `promised` has the output schemas that the server listed, by tool name."""

    server: ToolServer
    client: Client
    terms: ConnectionTerms
    promised: dict[str, str] = field(default_factory=dict[str, str])

    async def list_all(self) -> Listing:
        """Request the server's tools, prompts and resources, and return them. Also update `promised`."""
        return await list_all(self.client, self.promised, account=self.server.id)

    async def call(self, tool_name: str, arguments: Mapping[str, Any], report: Progress) -> ToolOutcome:
        """Call a tool and return its result. `report` is called with the progress.

        If the caller is cancelled, the server is notified.

        Raises:
            ToolFailedError: the call failed.
        """

        async def tell_progress(progress: float, total: float | None, message: str | None) -> None:
            if (done := _amount(progress)) is not None:
                report(done, _amount(total), message or "")

        try:
            result = await self.client.call_tool(tool_name, dict(arguments), progress_callback=tell_progress)
        except Exception as error:
            raise self._failed(f'"{tool_name}"', error, "Check the arguments.") from error
        outcome = read_outcome(result)
        if tool_name in self.promised and not outcome.is_error:
            await self._hold_to_promise(tool_name, result.structured_content)
        return outcome

    async def fill_prompt(self, name: str, arguments: Mapping[str, str]) -> str:
        """Return a prompt with these arguments, as text.

        Raises:
            ToolFailedError: the request failed, or the result cannot be inserted into a text.
        """
        try:
            result = await self.client.get_prompt(name, dict(arguments))
        except Exception as error:
            raise self._failed(f'The prompt "{name}"', error, "Check its arguments.") from error
        return write_prompt(self.server.name, name, result)

    async def read_resource(self, uri: str) -> str:
        """Return the content of a resource, as text with its source.

        Raises:
            ToolFailedError: the request failed, or the result cannot be inserted into a text.
        """
        try:
            result = await self.client.read_resource(uri)
        except Exception as error:
            raise self._failed(uri, error, "Check its address.") from error
        return write_resource(self.server.name, uri, result)

    async def _hold_to_promise(self, tool_name: str, given: object) -> None:
        """Check the structured content that a tool returned against the output schema that the server listed.

        Raises:
            ToolFailedError: the content does not match.
        """
        if isinstance(given, dict):
            content = cast("dict[str, object]", given)
            problems = await check_arguments(self.promised[tool_name], content, account=self.server.id)
        else:
            problems = (("", "there is none"),) if given is None else ()
        if problems:
            path, words = problems[0]
            raise ToolFailedError(
                ToolFault.PROTOCOL,
                f'"{tool_name}" of "{self.server.name}" returned structured content that does not match its '
                f"schema{f', at {path}' if path else ''}: {words}.",
                "Report it to the author of the server.",
            )

    def _failed(self, what: str, error: Exception, advice: str) -> ToolFailedError:
        where = f'{what} of "{self.server.name}"'
        if self.terms.ending.over.is_set():
            return ToolFailedError(
                ToolFault.DIED,
                f'The server "{self.server.name}" {self.terms.ending.words} while {where} ran.',
                "Inview starts it again. Its log in Settings → Tools may show why it ended.",
            )
        words = describe_fault(error, self.terms)
        if _find_too_much(_first(error)):
            return ToolFailedError(ToolFault.TOO_LARGE, f"{where} was stopped: {words}.", "Request less at a time.")
        if isinstance(error, MCPError) and not _is_gone(error):
            return ToolFailedError(ToolFault.PROTOCOL, f"{where} was refused: {words}.", advice)
        if isinstance(error, MCPError):
            return ToolFailedError(
                ToolFault.DIED, f"{where} got no response: {words}.", "Inview connects again. Try again then."
            )
        return ToolFailedError(
            ToolFault.PROTOCOL,
            f"{where} returned an invalid response: {words}.",
            "Report it to the author of the server.",
        )


@asynccontextmanager
async def open_link(server: ToolServer, secrets: Mapping[str, str], terms: ConnectionTerms) -> AsyncGenerator[Link]:
    """Connect to an MCP server: start its program or open its address, and initialize the session.

    `secrets` are the values that the user entered for the server: headers or environment variables. `terms` has the
    functions that the connection calls.

    Raises:
        Exception: the connection failed, for any reason. `describe_fault` describes the exception.
    """
    async with asyncio.timeout(None) as closing, AsyncExitStack() as stack:
        match server.way:
            case OverStdio():
                transport = run_program(server.way, secrets, terms.tell, terms.ending)
            case OverHttp(url, allow_private):

                async def note_status(response: httpx2.Response) -> None:
                    terms.status[:] = [response.status_code]

                http = await stack.enter_async_context(
                    open_client(
                        AddressGuard(allow_private),
                        BOUNDS,
                        headers={name: value for name, value in secrets.items() if name != CLIENT_SECRET},
                        auth=terms.make_auth(terms) if terms.make_auth else None,
                        timeout=_CONNECTED,
                    )
                )
                http.event_hooks = {"response": [note_status]}
                transport = streamable_http_client(url, http_client=http, max_sse_event_size=MAX_MESSAGE)

        async def heard(message: IncomingMessage) -> None:
            if isinstance(
                message,
                types.ToolListChangedNotification
                | types.ResourceListChangedNotification
                | types.PromptListChangedNotification,
            ):
                terms.changed()
            elif isinstance(message, Exception):
                terms.tell("warning", f"Invalid message: {describe_fault(message)}")

        async def receive_log(params: types.LoggingMessageNotificationParams) -> None:
            words = params.data if isinstance(params.data, str) else repr(params.data)
            terms.tell(params.level, f"{params.logger}: {words}" if params.logger else words)

        client = await stack.enter_async_context(
            Client(
                limit_messages(transport, terms),
                cache=None,
                client_info=types.Implementation(name="Inview", version="1"),
                logging_callback=receive_log,
                message_handler=heard,
                log_level="info",
            )
        )
        # The SDK's check would run the server's regular expressions in the event loop. `Link.call` checks instead.
        client.session.validate_tool_result = _check_nothing
        try:
            yield Link(server, client, terms)
        finally:
            closing.reschedule(asyncio.get_running_loop().time() + CLOSE_SECONDS)


def _amount(amount: float | None) -> float | None:
    """Return the amount or total of a progress report, None if it cannot be shown."""
    return amount if amount is not None and 0 <= amount <= MAX_PROGRESS else None


async def _check_nothing(name: str, result: types.CallToolResult) -> None: ...


def describe_fault(error: BaseException, terms: ConnectionTerms | None = None) -> str:
    """Describe an error, or the first error of a group, in a few words without a full stop.

    `terms` belong to the connection that failed: they may contain a better reason than the error.
    """
    status = terms.status[-1] if terms and terms.status else 0
    first = _first(error)
    too_much = _find_too_much(first)
    match first:
        case _ if terms and terms.ending.over.is_set():
            return f"it {terms.ending.words}"
        case _ if too_much:
            return f"it sent {too_much}"
        case _ if status in _UNAUTHORIZED:
            return f"the server responded with status {status}: it requires other headers or a sign-in"
        case PrivateAddressError():
            return f'{str(first).rstrip(".")}: allow it with "It is on this machine or in a private network"'
        case AddressRefusedError():
            return str(first).rstrip(".")
        case TimeoutError() | httpx2.TimeoutException():
            return "it did not respond in time"
        case FileNotFoundError():
            return f"there is no program or folder {first.filename!r} on this machine"
        case PermissionError():
            return f"no permission to run {first.filename!r}"
        case httpx2.HTTPError():
            return words_of(first, "the connection failed")
        case ValidationError():
            return _describe_nonsense(first)
        case MCPError():
            return f"{first.message.rstrip('.') or first.code}{f' (status {status})' if status >= 400 else ''}"
        case _:
            return words_of(first, "the connection failed")[:300]


def _find_too_much(error: BaseException) -> str:
    """Return the message of a `TooMuchError`, even if the SDK wrapped the error; "" for other errors."""
    if isinstance(error, MCPError):
        found = _TOO_MUCH.fullmatch(error.message)
        return found[1] if found else ""
    return str(error) if isinstance(error, TooMuchError) else ""


def _is_gone(error: MCPError) -> bool:
    """Return True if the error means that no answer came, because the connection was closed or the time limit passed.

    For a closed connection, the message is compared too: servers use the same error code to refuse requests.
    """
    closed = error.code == types.CONNECTION_CLOSED and error.message == "Connection closed"
    return closed or error.code == types.REQUEST_TIMEOUT


def _describe_nonsense(error: ValidationError) -> str:
    """Describe the first place where an answer violates the protocol, without its value."""
    first = error.errors(include_input=False, include_url=False)[0]
    return f"its response is not a valid {error.title}: {'.'.join(map(str, first['loc']))}: {first['msg']}"[:300]


def _first(error: BaseException) -> BaseException:
    group: BaseExceptionGroup[BaseException]
    match error:
        case BaseExceptionGroup() as group:
            return _first(group.exceptions[0])
        case _:
            return error
