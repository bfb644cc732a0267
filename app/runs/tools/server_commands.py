"""Commands for MCP servers: add, change, delete and test them, and keep the enabled ones connected.

    server = await add_server(ctx, LOCAL_OWNER, ServerSettings("files", OverStdio("npx", ("-y", "…", "/srv/notes"))))
    seen = await try_server(ctx, LOCAL_OWNER, server.id)

Only an administrator can add a server that is a program on this machine, and only if the installation allows it
(INVIEW_STDIO_SERVERS). Only an administrator can allow addresses of private networks. Secrets are stored and never
returned.
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
from app.runs.app_context import AppContext
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.runtime.shielded import shielded
from app.runs.tools.permission_commands import expire_requests_of, revoke_rules_of
from app.store.tools import mcp_servers
from app.store.tools.mcp_servers import StoredServer
from app.tools.mcp.sessions import ServerSession
from app.tools.sign_in.sign_ins import StoredGrant
from app.tools.sign_in.stored_grants import make_auth_of

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
"""Columns that every change of a server writes, so that a new value replaces a damaged one."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server to add or change. `secrets` are environment variables or headers.

    In a change, None removes a secret.
    """

    name: str
    way: Way
    enabled: bool = True
    timeout: float = USUAL_TIMEOUT
    secrets: Mapping[str, str | None] = field(default_factory=dict[str, str | None], repr=False)


@dataclass(frozen=True, slots=True)
class SeenServer:
    """An MCP server's settings and its connection.

    - `session`: the connection; None while the server is switched off.
    - `signing_in`: a person is signing in to the server now.
    - `damage`: the columns of its row that cannot be read.
    """

    server: ToolServer
    session: ServerSession | None
    signing_in: bool = False
    damage: tuple[Damage, ...] = ()

    @property
    def problem(self) -> str:
        """The reason why the MCP server does not work, without a full stop. "" if it works or is switched off."""
        if self.damage:
            return describe_damaged_server(self.damage)
        return "" if self.session is None else self.session.problem


def describe_damaged_server(damage: Sequence[Damage]) -> str:
    """Describe the columns of a server's row that cannot be read, and the next step."""
    columns = {one.column for one in damage}
    lines = " ".join(one.describe(_PIECES.get(one.column, one.column)) for one in damage)
    what = "Switch it on again" if columns <= _REPLACED else "Delete it and add it again"
    return f"The stored settings of this server cannot be read, so it is switched off. {lines} {what}"


def is_admin(owner: str) -> bool:
    """Return True if this owner may start programs on this machine and use addresses of private networks."""
    return owner == LOCAL_OWNER


async def list_servers(ctx: AppContext, owner: str) -> tuple[SeenServer, ...]:
    """List an owner's servers by name."""
    async with ctx.store.read() as session:
        stored = await mcp_servers.load_servers(session, owner)
    return tuple(_see(ctx, owner, one) for one in stored)


async def read_server(ctx: AppContext, owner: str, server_id: str) -> SeenServer:
    """Read one MCP server.

    Raises:
        NotFoundError: this owner has no such server.
    """
    async with ctx.store.read() as session:
        stored = await mcp_servers.load_server(session, owner, server_id)
    return _see(ctx, owner, stored)


@shielded
async def add_server(ctx: AppContext, owner: str, settings: ServerSettings) -> SeenServer:
    """Add a server, and connect to it if it is enabled. A failed connection raises no error: `problem` describes it.

    Raises:
        InputError: a setting is invalid.
        ForbiddenError: only an administrator may add such a server, or the installation allows none.
        ConflictError: another server has this name, or the owner has too many servers.
    """
    require_allowed(ctx, owner, settings.way)
    secrets = {name: value for name, value in settings.secrets.items() if value is not None}
    _check(settings, secrets)
    at = now()
    server = ToolServer(
        new_id(), settings.name, settings.way, settings.enabled, settings.timeout, tuple(sorted(secrets)), at, at
    )
    stored = StoredServer(owner, server, _seal(ctx, secrets))
    async with ctx.store.write() as session:
        known = await mcp_servers.load_servers(session, owner)
        _require_free(known, server)
        if len(known) >= MAX_SERVERS:
            raise ConflictError(f"You have {MAX_SERVERS} MCP servers, which is the maximum. Delete one first.")
        await mcp_servers.insert_server(session, stored)
    await have_server(ctx, stored)
    return _see(ctx, owner, stored)


@shielded
async def change_server(ctx: AppContext, owner: str, server_id: str, settings: ServerSettings) -> SeenServer:
    """Change a server. Secrets that are not named are kept, unless the new address has another host.

    If the program, address or client changed, the person must sign in again, the permissions for its tools are revoked,
    and pending permission requests expire. Requests also expire if only the secrets changed.

    Raises:
        NotFoundError: this owner has no such server.
        InputError: a setting is invalid.
        ForbiddenError: only an administrator may have such a server, or the installation allows none.
        ConflictError: another server has this name, or stored settings of this one cannot be read.
    """
    async with ctx.store.write() as session:
        before = await mcp_servers.load_server(session, owner, server_id)
        if not {one.column for one in before.damage} <= _REPLACED:
            raise ConflictError(f"{describe_damaged_server(before.damage)}.")
        require_allowed(ctx, owner, settings.way)
        same_place = _place(before.server.way) == _place(settings.way)
        old_secrets = _open(ctx, before.sealed_secrets)
        secrets = dict(old_secrets) if same_place else {}
        for name, value in settings.secrets.items():
            if value is None:
                secrets.pop(name, None)
            else:
                secrets[name] = value
        _check(settings, secrets)
        server = replace(
            before.server,
            name=settings.name,
            way=settings.way,
            enabled=settings.enabled,
            timeout=settings.timeout,
            secret_names=tuple(sorted(secrets)),
            updated_at=now(),
            signed_in=before.server.signed_in and before.server.way == settings.way,
            known=before.server.known if before.server.way == settings.way else None,
        )
        _require_free(await mcp_servers.load_servers(session, owner), server)
        stored = StoredServer(
            owner, server, _seal(ctx, secrets), before.sealed_tokens if before.server.way == settings.way else None
        )
        await mcp_servers.save_server(session, stored)
    if before.server.way != settings.way:
        await ctx.toolbox.sign_ins.cancel(server_id)
        await revoke_rules_of(ctx, owner, server_id)  # permissions for one program do not apply to another
    if before.server.way != settings.way or old_secrets != secrets:
        await expire_requests_of(ctx, owner, server_id)
    await have_server(ctx, stored)
    return _see(ctx, owner, stored)


@shielded
async def delete_server(ctx: AppContext, owner: str, server_id: str) -> None:
    """Delete a server with its secrets and the permissions for its tools, and close its connection.

    Raises:
        NotFoundError: this owner has no such server.
    """
    async with ctx.store.write() as session:
        await mcp_servers.delete_server(session, owner, server_id)
    await ctx.toolbox.sign_ins.cancel(server_id)
    await ctx.toolbox.drop(owner, server_id)
    await revoke_rules_of(ctx, owner, server_id)
    await expire_requests_of(ctx, owner, server_id)
    ctx.event_bus.publish_servers(owner)


async def try_server(ctx: AppContext, owner: str, server_id: str) -> SeenServer:
    """Test whether an MCP server answers, and read its current tools.

    A server that is switched off is connected only for the test.

    Raises:
        NotFoundError: this owner has no such server.
        ForbiddenError: it is a program, and this installation no longer starts programs.
        StoreError: its secrets cannot be read.
    """
    async with ctx.store.read() as session:
        stored = await mcp_servers.load_server(session, owner, server_id)
    if running := session_of(ctx, owner, server_id):
        await running.look()
        return _see(ctx, owner, stored)
    require_allowed(ctx, owner, stored.server.way)
    trial = _make_session(ctx, stored)
    trial.start()
    try:
        await trial.look()
        health, problem = trial.health, trial.problem
    finally:
        await trial.stop()
    trial.health, trial.problem = health, problem
    return SeenServer(replace(stored.server, known=trial.known), trial)


async def connect_servers(ctx: AppContext) -> None:
    """Connect to every enabled server of all owners. Without servers, this takes one query."""
    async with ctx.store.read() as session:
        every = await mcp_servers.load_every_server(session)
    for stored in every:
        await have_server(ctx, stored)


async def have_server(ctx: AppContext, stored: StoredServer) -> None:
    """Bring the toolbox up to date with a stored server, and publish the change.

    If the server is enabled, connect to it with its stored settings; otherwise close the connection.
    """
    session = _session_to_have(ctx, stored)
    if session is None:
        await ctx.toolbox.drop(stored.owner, stored.server.id)
    else:
        await ctx.toolbox.serve(stored.owner, session)
    ctx.event_bus.publish_servers(stored.owner)


def _session_to_have(ctx: AppContext, stored: StoredServer) -> ServerSession | None:
    if not stored.server.enabled:
        return None
    try:
        require_allowed(ctx, stored.owner, stored.server.way)
        return _make_session(ctx, stored)
    except (StoreError, ForbiddenError) as error:
        log.warning("an MCP server is not connected", server=stored.server.name, reason=str(error))
        return None


def _make_session(ctx: AppContext, stored: StoredServer) -> ServerSession:
    async def remember(server_id: str, listing: Listing) -> None:
        async with ctx.store.write() as session:
            await mcp_servers.save_known(session, server_id, listing)

    def tell() -> None:
        ctx.event_bus.publish_servers(stored.owner)

    auth = make_auth_of(stored.server, lambda: _load_grant(ctx, stored))
    return ServerSession(stored.server, secrets_of(ctx, stored), remember, make_auth=auth, changed=tell)


def _load_grant(ctx: AppContext, stored: StoredServer) -> StoredGrant:
    """Decrypt the access tokens of a sign-in at this server. The result also stores renewed tokens, encrypted.

    Raises:
        StoreError: the stored access tokens cannot be read.
    """

    async def store(text: str) -> None:
        async with ctx.store.write() as session:
            await mcp_servers.save_tokens(session, stored.server.id, ctx.catalogue.seal.close(text))

    sealed = stored.sealed_tokens
    return StoredGrant(None if sealed is None else ctx.catalogue.seal.open(sealed), store)


def _see(ctx: AppContext, owner: str, stored: StoredServer) -> SeenServer:
    server, sign_ins = stored.server, ctx.toolbox.sign_ins
    return SeenServer(server, session_of(ctx, owner, server.id), server.id in sign_ins.under_way, stored.damage)


def secrets_of(ctx: AppContext, stored: StoredServer) -> dict[str, str]:
    """Return an MCP server's secrets.

    Raises:
        StoreError: they cannot be read.
    """
    return _open(ctx, stored.sealed_secrets)


def session_of(ctx: AppContext, owner: str, server_id: str) -> ServerSession | None:
    """Return the session of a server, or None if the server is switched off."""
    return ctx.toolbox.sessions.get(owner, {}).get(server_id)


def require_allowed(ctx: AppContext, owner: str, way: Way) -> None:
    """Check that this owner may have a server of this kind.

    Raises:
        ForbiddenError: this owner may not have such a server, or the installation allows none.
    """
    match way:
        case OverStdio():
            if not is_admin(owner):
                raise ForbiddenError("Only an administrator may start programs on this machine.")
            if not ctx.settings.stdio_servers:
                raise ForbiddenError(
                    "This installation does not start programs, because other machines can reach it. Set "
                    "INVIEW_STDIO_SERVERS=on if you trust everyone who can reach it, or use an HTTP server."
                )
        case OverHttp(_, allow_private):
            if allow_private and not is_admin(owner):
                raise ForbiddenError("Only an administrator may allow addresses of private networks.")


def _check(settings: ServerSettings, secrets: Mapping[str, str]) -> None:
    check_server(settings.name, settings.way, secrets)
    for name, value in secrets.items():
        check_secret(name, value)


def _require_free(known: tuple[StoredServer, ...], server: ToolServer) -> None:
    if any(one.server.name.lower() == server.name.lower() and one.server.id != server.id for one in known):
        raise ConflictError(f'An MCP server named "{server.name}" already exists. Choose another name.')


def _place(way: Way) -> tuple[str, ...]:
    """Return what receives the server's secrets: the program, or the scheme and host of the address."""
    match way:
        case OverStdio(command):
            return ("stdio", command)
        case OverHttp(url):
            parts = urlsplit(url)
            return (parts.scheme, parts.netloc.lower())


def _seal(ctx: AppContext, secrets: Mapping[str, str]) -> bytes | None:
    return ctx.catalogue.seal.close(orjson.dumps(dict(secrets)).decode()) if secrets else None


def _open(ctx: AppContext, sealed: bytes | None) -> dict[str, str]:
    return {} if sealed is None else orjson.loads(ctx.catalogue.seal.open(sealed))
