"""Settings → Tools: the built-in tools and the MCP servers, with their status and their commands.

`follow` reads the servers again after each change, on this page or elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.errors import InviewError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.sign_in.sign_in_commands import begin_sign_in, callback_of, end_sign_in
from app.runs.tools import server_commands
from app.runs.tools.server_commands import ServerSettings
from app.state.settings.preferences import prefer
from app.state.settings.server_form import (
    HTTP,
    STDIO,
    TEXT_FIELDS,
    describe_refusal,
    field_id,
    read_server_form,
)
from app.state.settings.server_items import ServerItem, describe_item, describe_trial, read_log
from app.state.tab.visit import VisitedState
from app.views.tools.server import BuiltInView, describe_built_ins

SETTLE_SECONDS: Final = 0.2
"""Delay between a change and the next reading of the servers, so that several changes cause one reading."""

_FOR_PEOPLE: Final[Mapping[str, str]] = {
    "current_time": "Lets the model look up the current date and time.",
    "delegate": "Lets the model hand tasks to your other agents.",
    "fetch_page": "Lets the model read web pages.",
    "search_conversations": "Lets the model search your other conversations.",
}
"""The descriptions of the built-in tools for people. Models receive the tool's own description."""


@dataclass(frozen=True)
class BuiltInItem:
    """A built-in tool. `description` also says whether the user is asked before each call."""

    name: str
    title: str
    description: str


@dataclass(frozen=True)
class DeleteServerView:
    """The server in the dialog that asks before a server is deleted."""

    id: str
    name: str


class ServersState(VisitedState, rx.State):
    """The section Tools of the settings. The set of enabled built-in tools is a preference.

    - `servers`: the MCP servers.
    - `loaded`: the servers were read.
    - `built_ins`: the built-in tools.
    - `built_ins_note`: the message after a change of the built-in tools.
    - `programs`: this user may start programs on this machine.
    - `redirect_uri`: the address that a sign-in returns to.
    - `kind`: the kind of server that the form adds.
    - `added_note`: the message after the form was sent.
    - `added`: the number of servers that the form added.
    - `deleting`: the server that the dialog for deletion names.
    """

    servers: rx.Field[tuple[ServerItem, ...]] = rx.field(())
    built_ins: rx.Field[tuple[BuiltInItem, ...]] = rx.field(())
    built_ins_note: rx.Field[str] = rx.field("")
    loaded: rx.Field[bool] = rx.field(default=False)
    programs: rx.Field[bool] = rx.field(default=True)
    redirect_uri: rx.Field[str] = rx.field("")
    kind: rx.Field[str] = rx.field(HTTP)
    added_note: rx.Field[str] = rx.field("")
    added: rx.Field[int] = rx.field(0)
    deleting: rx.Field[DeleteServerView | None] = rx.field(None)

    @rx.event(background=True)
    async def load(self) -> None:
        """Read and show the built-in tools and the MCP servers."""
        ctx = current()
        tools = describe_built_ins(ctx.toolbox.list_tools(LOCAL_OWNER))
        async with self:
            await self._come()
            self.built_ins = tuple(_describe_built_in(tool) for tool in tools)
            self.programs = ctx.settings.stdio_servers and server_commands.is_admin(LOCAL_OWNER)
            self.redirect_uri = callback_of(self._base_url())
        await self._read()

    @rx.event(background=True)
    async def follow(self) -> None:
        """Read the MCP servers again after each change, here or elsewhere, until the page disconnects or is closed."""
        changes = current().event_bus.subscribe_to_servers(LOCAL_OWNER)
        while True:
            await self._read()
            await changes.wait()
            await asyncio.sleep(SETTLE_SECONDS)

    @rx.event
    async def switch_built_in(self, name: str, on: bool) -> None:
        """Offer a built-in tool to models, or stop offering it."""
        if name not in {tool.name for tool in self.built_ins}:
            return

        def change(known: Preferences) -> Preferences:
            others = {tool for tool in known.built_in_tools if tool != name}
            return replace(known, built_in_tools=tuple(sorted({*others, name} if on is True else others)))

        await prefer(self, change)
        self.built_ins_note = "Saved."

    @rx.event(background=True)
    async def switch(self, server_id: str, on: bool) -> None:
        """Switch an MCP server on or off."""

        async def work() -> str:
            server = (await server_commands.read_server(current(), LOCAL_OWNER, server_id)).server
            settings = ServerSettings(server.name, server.way, on is True, server.timeout)
            await server_commands.change_server(current(), LOCAL_OWNER, server_id, settings)
            return ""

        await self._run(server_id, "", work)

    @rx.event(background=True)
    async def test(self, server_id: str) -> None:
        """Connect to an MCP server and show the result in its row."""

        async def work() -> str:
            return describe_trial(await server_commands.try_server(current(), LOCAL_OWNER, server_id))

        await self._run(server_id, "Asking …", work)

    @rx.event
    async def show_log(self, server_id: str) -> None:
        """Show a server's log, or hide the log if it is shown."""
        await self._come()
        session = server_commands.session_of(current(), LOCAL_OWNER, server_id)
        shown = any(item.log_open for item in self.servers if item.id == server_id)
        self._change(server_id, log_open=not shown, log=() if shown else read_log(session))

    @rx.event(background=True)
    async def sign_in(self, server_id: str, opened: bool) -> None:
        """Start a sign-in: request the address of the sign-in page from a server.

        `opened`: the browser has opened a tab for that page.
        """
        async with self:
            base_url = self._base_url()
            self._change(server_id, asking=True, sign_in_url="")

        async def work() -> str:
            begun = await begin_sign_in(current(), LOCAL_OWNER, server_id, base_url)
            async with self:  # the tab opens the page now, whatever the result of the sign-in is
                self._change(server_id, sign_in_url=begun.address.result())
            return "" if opened is True else "Your browser did not open a tab. Open the sign-in page yourself."

        await self._run(server_id, "Looking up the sign-in page …", work)

    @rx.event(background=True)
    async def end_sign_in(self, server_id: str) -> None:
        """Sign out, or cancel a sign-in in progress."""

        async def work() -> str:
            await end_sign_in(current(), LOCAL_OWNER, server_id)
            return ""

        await self._run(server_id, "", work)

    @rx.event
    async def ask_delete(self, server_id: str) -> None:
        """Open the dialog that asks for confirmation before a server is deleted."""
        await self._come()
        named = {item.id: item.name for item in self.servers}
        self.deleting = DeleteServerView(server_id, named[server_id]) if server_id in named else None

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = None

    @rx.event(background=True)
    async def delete(self) -> None:
        """Delete the MCP server after the user has confirmed the deletion in the dialog."""
        async with self:
            deleted, self.deleting = self.deleting, None
        if deleted is None:
            return

        async def work() -> str:
            await server_commands.delete_server(current(), LOCAL_OWNER, deleted.id)
            return ""

        await self._run(deleted.id, "Deleting …", work)

    @rx.event
    async def choose_kind(self, kind: str) -> None:
        """Show the fields for this kind of MCP server (a program or an address) in the form that adds one."""
        await self._come()
        self.kind = STDIO if kind == STDIO else HTTP

    async def _end_visit(self) -> None:
        self.built_ins_note, self.added_note, self.kind, self.deleting = "", "", HTTP, None
        self.servers = tuple(replace(item, said="", log_open=False, log=()) for item in self.servers)

    @rx.event(background=True)
    async def add(self, form: dict[str, Any]) -> AsyncGenerator[Any]:
        """Add the MCP server in the form and clear the form. If the form is refused, show why."""
        try:
            settings = read_server_form(form)
            await server_commands.add_server(current(), LOCAL_OWNER, settings)
        except InviewError as error:
            async with self:
                self.added_note = describe_refusal(error, STDIO if "command" in form else HTTP)
            return
        async with self:
            self.added_note = f"Added {settings.name}."
            self.added += 1
            fields = TEXT_FIELDS[self.kind]
        for name in fields:
            yield rx.set_value(field_id(name), "")
        await self._read()

    async def _run(self, server_id: str, message: str, work: Callable[[], Awaitable[str]]) -> None:
        """Run a command for a server. Show `message` until it ends, then its answer or the reason why it failed."""
        async with self:
            self._change(server_id, said=message)
        try:
            answer = await work()
        except InviewError as error:
            answer = describe_refusal(error)
        await self._read()
        async with self:
            self._change(server_id, said=answer, asking=False)

    async def _read(self) -> None:
        """Read and show the servers."""
        seen = await server_commands.list_servers(current(), LOCAL_OWNER)
        async with self:
            before = {item.id: item for item in self.servers}
            self.servers = tuple(describe_item(one, before.get(one.server.id)) for one in seen)
            self.loaded = True

    def _change(self, server_id: str, **changes: Any) -> None:
        self.servers = tuple(replace(item, **changes) if item.id == server_id else item for item in self.servers)

    def _base_url(self) -> str:
        return current().settings.public_url or self.router.url.origin


def _describe_built_in(tool: BuiltInView) -> BuiltInItem:
    does = _FOR_PEOPLE.get(tool.name, tool.description)
    return BuiltInItem(tool.name, tool.title, f"{does} {_describe_asking(asks=tool.asks)}")


def _describe_asking(*, asks: bool) -> str:
    return "You are asked before each call." if asks else "Called without asking: it is read-only."
