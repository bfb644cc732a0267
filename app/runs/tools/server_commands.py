"""What can be done with MCP servers: add, change, delete, test, and have those running that are switched on.

    server = await add_server(wb, LOCAL_OWNER, ServerWish("files", OverStdio("npx", ("-y", "…", "/srv/notes"))))
    seen = await try_server(wb, LOCAL_OWNER, server.id)

A program is started on this machine only for an administrator, and only where the installation allows it at all
(INVIEW_STDIO_SERVERS); addresses of private networks are likewise theirs to allow. Secrets go in and never come out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import orjson
import structlog

from app.domain.errors import ConflictError, ForbiddenError, StoreError
from app.domain.tools.tool_servers import (
    USUAL_TIMEOUT,
    Listing,
    OverHttp,
    OverStdio,
    ToolServer,
    Way,
    check_secret,
    check_server,
)
from app.runs.cluster.server_changes import ServerChange
from app.runs.people.administration import is_administrator
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.tools.permission_commands import expire_requests_of, forget_server, revoke_rules_of
from app.runs.tools.sign_in import make_auth_of
from app.runs.workbench import Workbench
from app.store.tools import mcp_servers
from app.store.tools.mcp_servers import StoredServer
from app.tools.sessions import ServerSession
from app.tools.toolbox import UNSHARED

MAX_SERVERS = 50

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ServerWish:
    """A server as somebody wants it. `secrets`: environment variables or headers; in a change None removes one."""

    name: str
    way: Way
    enabled: bool = True
    timeout: float = USUAL_TIMEOUT
    secrets: Mapping[str, str | None] = field(default_factory=dict[str, str | None], repr=False)


@dataclass(frozen=True, slots=True)
class SeenServer:
    """A server as set up, and its status. Without a session it is switched off.

    `signing_in`: somebody is about to sign in.
    """

    server: ToolServer
    session: ServerSession | None
    signing_in: bool = False


async def may_use_machine(wb: Workbench, owner: str) -> bool:
    """Whether this owner may do what touches the machine and its networks: their stored role decides."""
    return await is_administrator(wb, owner)


async def list_servers(wb: Workbench, owner: str) -> tuple[SeenServer, ...]:
    """An owner's servers by name."""
    async with wb.store.read() as session:
        stored = await mcp_servers.load_servers(session, owner)
    return tuple(_see(wb, owner, one.server) for one in stored)


async def read_server(wb: Workbench, owner: str, server_id: str) -> SeenServer:
    """One server.

    Raises:
        NotFoundError: no such server of this owner.
    """
    async with wb.store.read() as session:
        stored = await mcp_servers.load_server(session, owner, server_id)
    return _see(wb, owner, stored.server)


@shielded
async def add_server(wb: Workbench, owner: str, wish: ServerWish) -> SeenServer:
    """Set up a server, and connect if it is switched on; its status says whether that worked.

    Raises:
        InputError: something of it cannot be.
        ForbiddenError: only an administrator may do this, or no person of this installation.
        ConflictError: another bears the name, or there are too many.
    """
    await require_allowed(wb, owner, wish.way)
    secrets = {name: value for name, value in wish.secrets.items() if value is not None}
    _check(wish, secrets)
    at = now()
    server = ToolServer(new_id(), wish.name, wish.way, wish.enabled, wish.timeout, tuple(sorted(secrets)), at, at)
    stored = StoredServer(owner, server, _seal(wb, secrets))
    async with wb.store.write() as session:
        known = await mcp_servers.load_servers(session, owner)
        _require_free(known, server)
        if len(known) >= MAX_SERVERS:
            raise ConflictError(f"There are {MAX_SERVERS} MCP servers, which is the most. Delete one first.")
        await mcp_servers.insert_server(session, stored)
    await have_server(wb, stored)
    tell_change(wb, ServerChange(owner, server.id))
    return _see(wb, owner, server)


@shielded
async def change_server(wb: Workbench, owner: str, server_id: str, wish: ServerWish) -> SeenServer:
    """Have a server as wished. Secrets that are not named stay, unless the address leads to another host now.

    Where it is another program, address or client than before, somebody has to sign in again, and what people had
    allowed of it is asked again. Calls that wait for permission are not made; with other secrets they are not either.

    Raises:
        NotFoundError: no such server of this owner.
        InputError: something of it cannot be.
        ForbiddenError: only an administrator may do this, or no person of this installation.
        ConflictError: another bears the name.
    """
    async with wb.store.read() as session:
        await mcp_servers.load_server(session, owner, server_id)
    await require_allowed(wb, owner, wish.way)
    async with wb.store.write() as session:
        before = await mcp_servers.load_server(session, owner, server_id)
        same_place = _place(before.server.way) == _place(wish.way)
        old_secrets = _open(wb, before.sealed_secrets)
        secrets = dict(old_secrets) if same_place else {}
        for name, value in wish.secrets.items():
            if value is None:
                secrets.pop(name, None)
            else:
                secrets[name] = value
        _check(wish, secrets)
        server = replace(
            before.server,
            name=wish.name,
            way=wish.way,
            enabled=wish.enabled,
            timeout=wish.timeout,
            secret_names=tuple(sorted(secrets)),
            updated_at=now(),
            signed_in=before.server.signed_in and before.server.way == wish.way,
            known=before.server.known if before.server.way == wish.way else None,
        )
        _require_free(await mcp_servers.load_servers(session, owner), server)
        stored = StoredServer(
            owner, server, _seal(wb, secrets), before.sealed_tokens if before.server.way == wish.way else None
        )
        await mcp_servers.save_server(session, stored)
    tell_change(wb, ServerChange(owner, server_id))
    if before.server.way != wish.way:
        await wb.toolbox.sign_ins.cancel(server_id)
        await revoke_rules_of(wb, owner, server_id)  # what was allowed of one program says nothing of another
    if before.server.way != wish.way or old_secrets != secrets:
        await expire_requests_of(wb, owner, server_id)
        await forget_server(wb, server_id, but=owner)
    await have_server(wb, stored)
    return _see(wb, owner, server)


@shielded
async def delete_server(wb: Workbench, owner: str, server_id: str) -> None:
    """Delete a server, its secrets, what people had allowed of it, and what of it was running.

    Raises:
        NotFoundError: no such server of this owner.
    """
    async with wb.store.write() as session:
        await mcp_servers.delete_server(session, owner, server_id)
    tell_change(wb, ServerChange(owner, server_id))
    await drop_server(wb, owner, server_id)
    await forget_server(wb, server_id)


async def drop_server(wb: Workbench, owner: str, server_id: str) -> None:
    """End what of a server that was deleted is running here."""
    await wb.toolbox.sign_ins.cancel(server_id)
    await wb.toolbox.take_back(server_id, UNSHARED)
    await wb.toolbox.drop(owner, server_id)


def tell_change(wb: Workbench, change: ServerChange) -> None:
    """Have the other processes follow a change that is stored (`server_changes.py`)."""
    if wb.cluster is not None:
        wb.cluster.tell_servers(change)


async def try_server(wb: Workbench, owner: str, server_id: str) -> SeenServer:
    """See whether a server answers, and what it has now. One that is switched off is connected for that alone.

    Raises:
        NotFoundError: no such server of this owner.
        ForbiddenError: it is a program, and none may be started here any more.
        StoreError: its secrets cannot be read.
    """
    async with wb.store.read() as session:
        stored = await mcp_servers.load_server(session, owner, server_id)
    if running := session_of(wb, owner, server_id):
        await running.look()
        return _see(wb, owner, stored.server)
    await require_allowed(wb, owner, stored.server.way)
    trial = _make_session(wb, stored)
    trial.start()
    try:
        await trial.look()
        health, problem = trial.health, trial.problem
    finally:
        await trial.stop()
    trial.health, trial.problem = health, problem
    return SeenServer(replace(stored.server, known=trial.known), trial)


async def connect_servers(wb: Workbench) -> None:
    """Have every server that is switched on. One query; nothing else where there are none."""
    async with wb.store.read() as session:
        every = await mcp_servers.load_every_server(session)
    for stored in every:
        await have_server(wb, stored)


async def connect_servers_of(wb: Workbench, owner: str) -> None:
    """Have the servers of one owner again, in all processes, as after another role."""
    tell_change(wb, ServerChange(owner))
    await have_servers_of(wb, owner)


async def have_servers_of(wb: Workbench, owner: str) -> None:
    """Have the servers of one owner again in this process: what is not theirs to use any more is dropped.

    Those of a person who is disabled or gone are not lent any more.
    """
    async with wb.store.read() as session:
        own = await mcp_servers.load_servers(session, owner)
    for server_id in wb.toolbox.sessions.get(owner, {}).keys() - {one.server.id for one in own}:
        await wb.toolbox.drop(owner, server_id)
    for stored in own:
        await have_server(wb, stored)


async def have_server(wb: Workbench, stored: StoredServer) -> None:
    """Have the server among the tools if it is switched on, else not."""
    server = stored.server
    if not server.enabled:
        await wb.toolbox.drop(stored.owner, server.id)
        return
    try:
        await require_allowed(wb, stored.owner, server.way)
        session = _make_session(wb, stored)
    except (StoreError, ForbiddenError) as error:
        log.warning("an MCP server is not connected", server=server.name, reason=str(error))
        await wb.toolbox.drop(stored.owner, server.id)
        return
    await wb.toolbox.serve(stored.owner, session)
    await lend_server(wb, stored)


async def lend_server(wb: Workbench, stored: StoredServer) -> None:
    """Let others use a server that is connected, if its owner shares it and can sign in."""
    if stored.server.shared_at is None:
        return
    async with wb.store.read() as session:
        lent = await mcp_servers.is_lent(session, stored.server.id)
    if lent:
        wb.toolbox.lend(stored.owner, stored.server.id, stored.server.shared_at)


def _make_session(wb: Workbench, stored: StoredServer) -> ServerSession:
    async def remember(server_id: str, listing: Listing) -> None:
        async with wb.store.write() as session:
            await mcp_servers.save_known(session, server_id, listing)
        wb.toolbox.learn(server_id, listing)

    return ServerSession(stored.server, secrets_of(wb, stored), remember, make_auth=make_auth_of(wb, stored))


def _see(wb: Workbench, owner: str, server: ToolServer) -> SeenServer:
    return SeenServer(server, session_of(wb, owner, server.id), server.id in wb.toolbox.sign_ins.under_way)


def secrets_of(wb: Workbench, stored: StoredServer) -> dict[str, str]:
    """A server's secrets.

    Raises:
        StoreError: they cannot be read.
    """
    return _open(wb, stored.sealed_secrets)


def session_of(wb: Workbench, owner: str, server_id: str) -> ServerSession | None:
    """What keeps the connection to a server, if it is switched on."""
    return wb.toolbox.sessions.get(owner, {}).get(server_id)


async def require_allowed(wb: Workbench, owner: str, way: Way) -> None:
    """See that this owner may have a server there.

    Raises:
        ForbiddenError: the person may not do this, or no person of this installation may.
    """
    match way:
        case OverStdio():
            if not await may_use_machine(wb, owner):
                raise ForbiddenError("Only an administrator may have programs started on this machine.")
            if not wb.settings.stdio_servers:
                raise ForbiddenError(
                    "This installation starts no programs, as others than this machine can reach it. "
                    "Set INVIEW_STDIO_SERVERS=on if all who can are trusted, or use a server over HTTP."
                )
        case OverHttp(_, allow_private):
            if allow_private and not await may_use_machine(wb, owner):
                raise ForbiddenError("Only an administrator may allow addresses of private networks.")


def _check(wish: ServerWish, secrets: Mapping[str, str]) -> None:
    check_server(wish.name, wish.way, secrets)
    for name, value in secrets.items():
        check_secret(name, value)


def _require_free(known: tuple[StoredServer, ...], server: ToolServer) -> None:
    if any(one.server.name.lower() == server.name.lower() and one.server.id != server.id for one in known):
        raise ConflictError(f'There is another MCP server called "{server.name}". Choose another name.')


def _place(way: Way) -> tuple[str, ...]:
    """Where secrets go to: a program, or a host under a scheme."""
    match way:
        case OverStdio(command):
            return ("stdio", command)
        case OverHttp(url):
            parts = urlsplit(url)
            return (parts.scheme, parts.netloc.lower())


def _seal(wb: Workbench, secrets: Mapping[str, str]) -> bytes | None:
    return wb.catalogue.cipher.encrypt(orjson.dumps(dict(secrets)).decode()) if secrets else None


def _open(wb: Workbench, sealed: bytes | None) -> dict[str, str]:
    return {} if sealed is None else orjson.loads(wb.catalogue.cipher.decrypt(sealed))
