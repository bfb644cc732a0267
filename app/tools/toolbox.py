"""The toolbox: all tools of this process, and the function that calls them.

    for tool in toolbox.list_tools(owner): ...
    outcome = await toolbox.call(tool, {"timezone": "Europe/Berlin"}, caller=Caller(owner), progress=tell, timeout=60)

Without servers it has only the built-in tools. It does not check permissions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.domain.tools.tools import BUILT_IN, Caller, Tool, ToolFailedError, ToolFault, ToolOutcome, order_tools
from app.tools.mcp.connection_terms import Progress
from app.tools.mcp.sessions import Definition, ServerSession
from app.tools.sign_in.sign_ins import SignIns


class BuiltInCall(Protocol):
    """The type of the function of a built-in tool. If the caller is cancelled, the function is cancelled too."""

    def __call__(
        self, caller: Caller, arguments: Mapping[str, Any], progress: Progress, /
    ) -> Awaitable[ToolOutcome]: ...


@dataclass(frozen=True)
class BuiltIn:
    """A built-in tool. `seconds` is its time limit; if it is None, the time limit of the call applies."""

    tool: Tool
    call: BuiltInCall
    seconds: float | None = None


@dataclass(eq=False)
class Toolbox:
    """The available tools: built-in ones, and those of each owner's servers (`sessions`, by owner and server id)."""

    built_ins: dict[str, BuiltIn] = field(default_factory=dict[str, BuiltIn])
    sessions: dict[str, dict[str, ServerSession]] = field(default_factory=dict[str, dict[str, ServerSession]])
    sign_ins: SignIns = field(default_factory=SignIns)

    def register(self, tools: Iterable[BuiltIn]) -> None:
        """Add built-in tools for every owner."""
        self.built_ins.update({each.tool.name: each for each in tools})

    def list_tools(self, owner: str) -> tuple[Tool, ...]:
        """Return the known tools, ordered as in a request. This does not wait for servers.

        The tools of a server that is down are included, because the server may return and requests should stay equal.
        """
        of_servers = [tool for session in self.sessions.get(owner, {}).values() for tool in session.tools]
        return order_tools([*(each.tool for each in self.built_ins.values()), *of_servers])

    def find(self, owner: str, name: str) -> Tool | None:
        """Return the tool that has this name in requests, or None if there is none."""
        return next((tool for tool in self.list_tools(owner) if tool.name == name), None)

    def definition_of(self, owner: str, server_id: str) -> Definition | None:
        """Return the address or program of the server with this id, and its secrets.

        Return None if there is no such server.
        """
        session = self.sessions.get(owner, {}).get(server_id)
        return None if session is None else session.definition

    async def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        caller: Caller,
        progress: Progress,
        timeout: float,  # noqa: ASYNC109 - the timeout is reported to the server
    ) -> ToolOutcome:
        """Call a tool and return its result. `progress` is called with the progress of the call.

        If the caller is cancelled, the server is notified. `timeout` is the time limit in seconds; a shorter limit of
        the server applies instead. The time limit of a built-in tool always applies. A server's tool is called only if
        it is still the same as `tool`.

        Raises:
            ToolFailedError: the call failed, with the reason.
        """
        if session := self.sessions.get(caller.owner, {}).get(tool.server_id):
            most = min(timeout, session.server.timeout)
            return await session.call(tool, arguments, progress, most)
        built_in = self.built_ins.get(tool.name) if tool.server_id == BUILT_IN else None
        if built_in is None:
            raise ToolFailedError(
                ToolFault.GONE,
                f'The tool "{tool.name}" no longer exists.',
                "Settings → Tools lists the available tools.",
            )
        timeout = timeout if built_in.seconds is None else built_in.seconds
        try:
            async with asyncio.timeout(timeout):
                return await built_in.call(caller, arguments, progress)
        except TimeoutError:
            raise ToolFailedError(
                ToolFault.TIMED_OUT,
                f'"{tool.name}" did not respond within {timeout:g} seconds.',
                "Try again, or request less.",
            ) from None

    async def serve(self, owner: str, session: ServerSession) -> None:
        """Add a server of the owner, or replace the server with the same id, and connect to it."""
        await self.drop(owner, session.server.id)
        self.sessions.setdefault(owner, {})[session.server.id] = session
        session.start()

    async def drop(self, owner: str, server_id: str) -> None:
        """Remove a server and end its connection. Running calls fail."""
        if session := self.sessions.get(owner, {}).pop(server_id, None):
            await session.stop()

    async def close(self) -> None:
        """End every connection and sign-in."""
        await self.sign_ins.close()
        every = [session for sessions in self.sessions.values() for session in sessions.values()]
        self.sessions.clear()
        await asyncio.gather(*(session.stop() for session in every))
