"""The toolbox: every tool of this process, and the one way to call one.

    for tool in toolbox.list_tools(owner): ...
    outcome = await toolbox.call(tool, {"timezone": "Europe/Berlin"}, caller=Caller(owner), progress=tell, timeout=60)

Without servers it is a dictionary of the built-in tools. Nothing here asks whether a call is allowed.

A server that its owner shares is lent: each other person has a connection of their own to it, which opens with their
first call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol

from app.domain.tools.tool_servers import Listing, free_server_name
from app.domain.tools.tools import BUILT_IN, Caller, Tool, ToolFailedError, ToolFault, ToolOutcome, order_tools
from app.tools.connection_hooks import Progress
from app.tools.sessions import Definition, ServerSession
from app.tools.sign_ins import SignIns

CHANGED: Final = 'The server "{name}" was changed or switched off by the person who shares it.'
UNSHARED: Final = 'The server "{name}" is not shared with you any more.'


class BuiltInCall(Protocol):
    """What a built-in tool does. It is cancelled when nobody waits any more."""

    def __call__(
        self, caller: Caller, arguments: Mapping[str, Any], progress: Progress, /
    ) -> Awaitable[ToolOutcome]: ...


@dataclass(frozen=True)
class BuiltIn:
    """A tool of Inview's own. `seconds`: it may take so long, whatever others may; None: as long as others."""

    tool: Tool
    call: BuiltInCall
    seconds: float | None = None


@dataclass(frozen=True)
class Lending:
    """A server that its owner shares since `shared_at`. `session` is the owner's own connection."""

    owner: str
    shared_at: datetime
    session: ServerSession


@dataclass(eq=False)
class Toolbox:
    """The tools at hand: those built in, and those of each owner's servers (`sessions`, by owner and server id).

    `lendings` are the servers that others may use as well, by id, and `borrowed` their connections, by person.
    """

    built_ins: dict[str, BuiltIn] = field(default_factory=dict[str, BuiltIn])
    sessions: dict[str, dict[str, ServerSession]] = field(default_factory=dict[str, dict[str, ServerSession]])
    lendings: dict[str, Lending] = field(default_factory=dict[str, Lending])
    borrowed: dict[str, dict[str, ServerSession]] = field(default_factory=dict[str, dict[str, ServerSession]])
    sign_ins: SignIns = field(default_factory=SignIns)

    def register(self, tools: Iterable[BuiltIn]) -> None:
        """Have these among the tools of every owner."""
        self.built_ins.update({each.tool.name: each for each in tools})

    def list_tools(self, owner: str) -> tuple[Tool, ...]:
        """What is known now, in the order in which models are told; never waits for a server.

        A server that is down keeps its tools: they would come back, and requests are to stay the same.
        """
        of_servers = [tool for session in self.sessions_of(owner).values() for tool in session.tools]
        return order_tools([*(each.tool for each in self.built_ins.values()), *of_servers])

    def find(self, owner: str, name: str) -> Tool | None:
        """The tool that models know by this name."""
        return next((tool for tool in self.list_tools(owner) if tool.name == name), None)

    def definition_of(self, owner: str, server_id: str) -> Definition | None:
        """What the server of this id is now: see `ServerSession.definition`. None: built in, or gone."""
        session = self.sessions_of(owner).get(server_id)
        return None if session is None else session.definition

    def sessions_of(self, person: str) -> Mapping[str, ServerSession]:
        """The servers that a person may use, by id: their own and those that others share."""
        own = self.sessions.get(person, {})
        return {**own, **self.borrow(person)} if self.lendings else own

    def borrow(self, person: str) -> Mapping[str, ServerSession]:
        """The connections of a person to the servers that others share, by id. None of them is opened by this.

        A server whose name is that of one of their own, or of one shared before, has a number behind it.
        """
        lent = [one for one in self.lendings.values() if one.owner != person]
        if not lent:
            return {}
        names = [session.server.name for session in self.sessions.get(person, {}).values()]
        borrowed = self.borrowed.setdefault(person, {})
        for one in sorted(lent, key=lambda each: (each.shared_at, each.session.server.id)):
            server = one.session.server
            name = free_server_name(server.name, names)
            names.append(name)
            session = borrowed.get(server.id)
            if session is None:
                borrowed[server.id] = one.session.lend(name)
            elif session.server.name != name:
                session.rename(name)
        return borrowed

    def is_borrowed(self, person: str, server_id: str) -> bool:
        """Whether another person shares that server."""
        lending = self.lendings.get(server_id)
        return lending is not None and lending.owner != person

    def learn(self, server_id: str, known: Listing) -> None:
        """Have this as what a server has, for all who use it."""
        for sessions in (*self.sessions.values(), *self.borrowed.values()):
            if (session := sessions.get(server_id)) is not None and session.known != known:
                session.learn(known)

    async def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        caller: Caller,
        progress: Progress,
        timeout: float,  # noqa: ASYNC109 - part of what a call is: the server is told that nobody waits
    ) -> ToolOutcome:
        """Call a tool and wait for what it gives, at most so many seconds. Cancelling the task tells the server.

        A server's own bound holds where it is shorter, a built-in tool's own in any case. A server's tool is called
        only if it is still what `tool` says.

        Raises:
            ToolFailedError: it gave nothing, and why.
        """
        if session := self.sessions_of(caller.owner).get(tool.server_id):
            most = min(timeout, session.server.timeout)
            return await session.call(tool, arguments, progress, most)
        built_in = self.built_ins.get(tool.name) if tool.server_id == BUILT_IN else None
        if built_in is None:
            raise ToolFailedError(
                ToolFault.GONE,
                f'There is no tool "{tool.name}" any more.',
                "Look under Settings → Tools which there are.",
            )
        timeout = timeout if built_in.seconds is None else built_in.seconds
        try:
            async with asyncio.timeout(timeout):
                return await built_in.call(caller, arguments, progress)
        except TimeoutError:
            raise ToolFailedError(
                ToolFault.TIMED_OUT,
                f'"{tool.name}" gave nothing within {timeout:g} seconds.',
                "Try again, or with less to do.",
            ) from None

    async def serve(self, owner: str, session: ServerSession) -> None:
        """Have this server among the owner's, in the place of the one with its id, and connect."""
        await self.drop(owner, session.server.id)
        self.sessions.setdefault(owner, {})[session.server.id] = session
        session.start()

    async def drop(self, owner: str, server_id: str) -> None:
        """Have it no more, nor lend it. Calls that are on fail."""
        if self.is_lent_by(owner, server_id):
            await self.take_back(server_id, CHANGED)
        if session := self.sessions.get(owner, {}).pop(server_id, None):
            await session.stop()

    def is_lent_by(self, owner: str, server_id: str) -> bool:
        """Whether that person shares that server."""
        lending = self.lendings.get(server_id)
        return lending is not None and lending.owner == owner

    def lend(self, owner: str, server_id: str, shared_at: datetime) -> None:
        """Let others use a server of this owner, if it is switched on."""
        if (session := self.sessions.get(owner, {}).get(server_id)) is not None:
            self.lendings[server_id] = Lending(owner, shared_at, session)

    async def take_back(self, server_id: str, message: str) -> None:
        """Lend a server no more. Calls of others that are on fail with this message."""
        if self.lendings.pop(server_id, None) is None:
            return
        ended = [of_person.pop(server_id) for of_person in self.borrowed.values() if server_id in of_person]
        await asyncio.gather(*(session.withdraw(message.format(name=session.server.name)) for session in ended))

    async def close(self) -> None:
        """End every connection and sign-in."""
        await self.sign_ins.close()
        by_person = (*self.sessions.values(), *self.borrowed.values())
        every = [session for sessions in by_person for session in sessions.values()]
        self.lendings.clear()
        self.borrowed.clear()
        self.sessions.clear()
        await asyncio.gather(*(session.stop() for session in every))
