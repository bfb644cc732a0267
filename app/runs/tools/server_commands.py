"""What can be done with MCP servers: add, change, delete, test, and have those running that are switched on.

    server = await add_server(wb, LOCAL_OWNER, ServerWish("files", OverStdio("npx", ("-y", "…", "/srv/notes"))))
    seen = await try_server(wb, LOCAL_OWNER, server.id)

A program is started on this machine only for an administrator, and only where the installation allows it at all
(INVIEW_STDIO_SERVERS); addresses of private networks are likewise theirs to allow. Secrets go in and never come out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

import orjson
import structlog

from app.domain.conversation.damage import Damage
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
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.send.commands import LOCAL_OWNER
from app.runs.tools.permission_commands import expire_requests_of, revoke_rules_of
from app.runs.tools.sign_in import make_auth_of
from app.runs.workbench import Workbench
from app.store.tools import mcp_servers
from app.store.tools.mcp_servers import StoredServer
from app.tools.sessions import ServerSession

MAX_SERVERS = 50
_PIECES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "Its name",
        "way": "Its program or address",
        "enabled": "Whether it is switched on",
        "timeout": "How long a call may take",
        "secret_names": "The names of its secrets",
        "sealed_secrets": "Its secrets",
        "sealed_tokens": "Its sign-in",
        "created_at": "When it was added",
        "updated_at": "When it was changed",
    }
)
_REPLACED: Final = {"enabled", "created_at", "updated_at"}
"""Columns that a change of the server stores again."""

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
    """A server as set up, and how it stands. Without a session it is switched off.

    `signing_in`: a person is about to sign in. `damage` lists what of its row cannot be read.
    """

    server: ToolServer
    session: ServerSession | None
    signing_in: bool = False
    damage: tuple[Damage, ...] = ()

    @property
    def problem(self) -> str:
        """Why it does not work, without a full stop, "" if it does or is switched off."""
        if self.damage:
            return describe_damaged_server(self.damage)
        return "" if self.session is None else self.session.problem


def describe_damaged_server(damage: Sequence[Damage]) -> str:
    """Say that a server cannot be read, and what to do."""
    columns = {one.column for one in damage}
    lines = " ".join(one.describe(_PIECES.get(one.column, one.column)) for one in damage)
    what = "Switch it on again" if columns <= _REPLACED else "Delete it and add it again"
    return f"What is stored of this server cannot be read, so it is switched off. {lines} {what}"


def is_admin(owner: str) -> bool:
    """Whether this owner may do what touches the machine and its networks."""
    return owner == LOCAL_OWNER


async def list_servers(wb: Workbench, owner: str) -> tuple[SeenServer, ...]:
    """An owner's servers by name."""
    async with wb.store.read() as session:
        stored = await mcp_servers.load_servers(session, owner)
    return tuple(_see(wb, owner, one) for one in stored)


async def read_server(wb: Workbench, owner: str, server_id: str) -> SeenServer:
    """One server.

    Raises:
        NotFoundError: no such server of this owner.
    """
    async with wb.store.read() as session:
        stored = await mcp_servers.load_server(session, owner, server_id)
    return _see(wb, owner, stored)


@shielded
async def add_server(wb: Workbench, owner: str, wish: ServerWish) -> SeenServer:
    """Set up a server, and connect if it is switched on; whether that works is seen in how it stands.

    Raises:
        InputError: something of it cannot be.
        ForbiddenError: only an administrator may, or nobody here.
        ConflictError: another bears the name, or there are too many.
    """
    require_allowed(wb, owner, wish.way)
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
    return _see(wb, owner, stored)


@shielded
async def change_server(wb: Workbench, owner: str, server_id: str, wish: ServerWish) -> SeenServer:
    """Have a server as wished. Secrets that are not named stay, unless the address leads to another host now.

    Where it is another program, address or client than before, somebody has to sign in again, and what people had
    allowed of it is asked again. Calls that wait for permission are not made; with other secrets they are not either.

    Raises:
        NotFoundError: no such server of this owner.
        InputError: something of it cannot be.
        ForbiddenError: only an administrator may, or nobody here.
        ConflictError: another bears the name, or what it is made of cannot be read.
    """
    async with wb.store.write() as session:
        before = await mcp_servers.load_server(session, owner, server_id)
        if not {one.column for one in before.damage} <= _REPLACED:
            raise ConflictError(f"{describe_damaged_server(before.damage)}.")
        require_allowed(wb, owner, wish.way)
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
    if before.server.way != wish.way:
        await wb.toolbox.sign_ins.cancel(server_id)
        await revoke_rules_of(wb, owner, server_id)  # what was allowed of one program says nothing of another
    if before.server.way != wish.way or old_secrets != secrets:
        await expire_requests_of(wb, owner, server_id)
    await have_server(wb, stored)
    return _see(wb, owner, stored)


@shielded
async def delete_server(wb: Workbench, owner: str, server_id: str) -> None:
    """Delete a server, its secrets, what people had allowed of it, and what of it was running.

    Raises:
        NotFoundError: no such server of this owner.
    """
    async with wb.store.write() as session:
        await mcp_servers.delete_server(session, owner, server_id)
    await wb.toolbox.sign_ins.cancel(server_id)
    await wb.toolbox.drop(owner, server_id)
    await revoke_rules_of(wb, owner, server_id)
    await expire_requests_of(wb, owner, server_id)
    wb.event_bus.publish_servers(owner)


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
        return _see(wb, owner, stored)
    require_allowed(wb, owner, stored.server.way)
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


async def have_server(wb: Workbench, stored: StoredServer) -> None:
    """Have the server among the tools if it is switched on, else not. Who shows the servers hears of it."""
    session = _session_to_have(wb, stored)
    if session is None:
        await wb.toolbox.drop(stored.owner, stored.server.id)
    else:
        await wb.toolbox.serve(stored.owner, session)
    wb.event_bus.publish_servers(stored.owner)


def _session_to_have(wb: Workbench, stored: StoredServer) -> ServerSession | None:
    if not stored.server.enabled:
        return None
    try:
        require_allowed(wb, stored.owner, stored.server.way)
        return _make_session(wb, stored)
    except (StoreError, ForbiddenError) as error:
        log.warning("an MCP server is not connected", server=stored.server.name, reason=str(error))
        return None


def _make_session(wb: Workbench, stored: StoredServer) -> ServerSession:
    async def remember(server_id: str, listing: Listing) -> None:
        async with wb.store.write() as session:
            await mcp_servers.save_known(session, server_id, listing)

    def tell() -> None:
        wb.event_bus.publish_servers(stored.owner)

    auth = make_auth_of(wb, stored)
    return ServerSession(stored.server, secrets_of(wb, stored), remember, make_auth=auth, changed=tell)


def _see(wb: Workbench, owner: str, stored: StoredServer) -> SeenServer:
    server, sign_ins = stored.server, wb.toolbox.sign_ins
    return SeenServer(server, session_of(wb, owner, server.id), server.id in sign_ins.under_way, stored.damage)


def secrets_of(wb: Workbench, stored: StoredServer) -> dict[str, str]:
    """A server's secrets.

    Raises:
        StoreError: they cannot be read.
    """
    return _open(wb, stored.sealed_secrets)


def session_of(wb: Workbench, owner: str, server_id: str) -> ServerSession | None:
    """What keeps the connection to a server, if it is switched on."""
    return wb.toolbox.sessions.get(owner, {}).get(server_id)


def require_allowed(wb: Workbench, owner: str, way: Way) -> None:
    """See that this owner may have a server there.

    Raises:
        ForbiddenError: they may not, or nobody here.
    """
    match way:
        case OverStdio():
            if not is_admin(owner):
                raise ForbiddenError("Only an administrator may have programs started on this machine.")
            if not wb.settings.stdio_servers:
                raise ForbiddenError(
                    "This installation starts no programs, as others than this machine can reach it. "
                    "Set INVIEW_STDIO_SERVERS=on if all who can are trusted, or use a server over HTTP."
                )
        case OverHttp(_, allow_private):
            if allow_private and not is_admin(owner):
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
    return wb.catalogue.seal.close(orjson.dumps(dict(secrets)).decode()) if secrets else None


def _open(wb: Workbench, sealed: bytes | None) -> dict[str, str]:
    return {} if sealed is None else orjson.loads(wb.catalogue.seal.open(sealed))
