"""Queries of MCP servers. Their secrets are passed and returned encrypted ("sealed")."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.damage import Damage
from app.domain.errors import NotFoundError, StoreError
from app.domain.tools.tool_servers import (
    ListedArgument,
    ListedPrompt,
    ListedResource,
    ListedTool,
    Listing,
    OverHttp,
    OverStdio,
    ToolServer,
    Way,
)
from app.store.database.damage import (
    UNKNOWN_TIME,
    Reading,
    a_blob_or_none,
    a_flag,
    a_text,
    a_text_list,
    a_text_or_none,
    a_time,
)
from app.store.database.mapping import Columns
from app.store.database.row_names import show_id
from app.store.tools.rows_servers import MCP_SERVER

UNREADABLE_NAME = "(its name cannot be read)"
NO_WAY = OverStdio("", (), None)
"""The program or address that a server gets if the stored one cannot be read."""


@dataclass(frozen=True, slots=True)
class StoredServer:
    """An MCP server with its encrypted secrets. `sealed_tokens` are the encrypted tokens from a sign-in.

    `damage` lists the columns that cannot be read. A damaged server is switched off.
    """

    owner: str
    server: ToolServer
    sealed_secrets: bytes | None = field(repr=False)
    sealed_tokens: bytes | None = field(default=None, repr=False)
    damage: tuple[Damage, ...] = ()


async def load_every_server(session: AsyncSession) -> tuple[StoredServer, ...]:
    """Return the MCP servers of all owners."""
    rows = (await session.execute(select(MCP_SERVER).order_by(MCP_SERVER.c.name))).mappings()
    return tuple(_decode(row) for row in rows if isinstance(row["id"], str))


async def load_servers(session: AsyncSession, owner: str) -> tuple[StoredServer, ...]:
    """Return an owner's MCP servers, ordered by name."""
    query = select(MCP_SERVER).where(MCP_SERVER.c.owner == owner).order_by(MCP_SERVER.c.name)
    return tuple(_decode(row) for row in (await session.execute(query)).mappings() if isinstance(row["id"], str))


async def load_server(session: AsyncSession, owner: str, server_id: str) -> StoredServer:
    """Return one MCP server.

    Raises:
        NotFoundError: this owner has no server with that id.
    """
    query = select(MCP_SERVER).where(MCP_SERVER.c.id == server_id, MCP_SERVER.c.owner == owner)
    if (row := (await session.execute(query)).mappings().one_or_none()) is None:
        raise NotFoundError("MCP server", server_id)
    return _decode(row)


async def insert_server(session: AsyncSession, stored: StoredServer) -> None:
    await session.execute(insert(MCP_SERVER), _encode(stored))


async def save_server(session: AsyncSession, stored: StoredServer) -> None:
    """Write all columns of an existing server."""
    await session.execute(update(MCP_SERVER).where(MCP_SERVER.c.id == stored.server.id), _encode(stored))


async def save_known(session: AsyncSession, server_id: str, known: Listing) -> None:
    """Store the tools, prompts and resources that a server listed, unless the server was deleted meanwhile."""
    await session.execute(update(MCP_SERVER).where(MCP_SERVER.c.id == server_id), {"known": asdict(known)})


async def save_tokens(session: AsyncSession, server_id: str, sealed: bytes | None) -> None:
    """Store the encrypted tokens from a sign-in, or delete them if `sealed` is None."""
    await session.execute(update(MCP_SERVER).where(MCP_SERVER.c.id == server_id).values(sealed_tokens=sealed))


async def delete_server(session: AsyncSession, owner: str, server_id: str) -> None:
    """Delete a server with its secrets.

    Raises:
        NotFoundError: this owner has no server with that id.
    """
    statement = delete(MCP_SERVER).where(MCP_SERVER.c.id == server_id, MCP_SERVER.c.owner == owner)
    if (await session.execute(statement.returning(MCP_SERVER.c.id))).one_or_none() is None:
        raise NotFoundError("MCP server", server_id)


def _encode(stored: StoredServer) -> dict[str, Any]:
    server = stored.server
    return {
        "id": server.id,
        "owner": stored.owner,
        "name": server.name,
        "way": _encode_way(server.way),
        "enabled": server.enabled,
        "timeout": server.timeout,
        "secret_names": list(server.secret_names),
        "sealed_secrets": stored.sealed_secrets,
        "sealed_tokens": stored.sealed_tokens,
        "known": None if server.known is None else asdict(server.known),
        "created_at": server.created_at,
        "updated_at": server.updated_at,
    }


def _decode(row: Columns) -> StoredServer:
    """Decode a server. A damaged one is switched off. An unreadable listing is requested from the server again."""
    take = (reading := Reading("mcp_server", show_id(row["id"]))).take
    server = ToolServer(
        id=row["id"],
        name=take("name", row["name"], a_text, UNREADABLE_NAME),
        way=take("way", row["way"], decode_way, NO_WAY),
        enabled=take("enabled", row["enabled"], a_flag, otherwise=False),
        timeout=take("timeout", row["timeout"], _a_duration, 0.0),
        secret_names=take("secret_names", row["secret_names"], a_text_list, ()),
        created_at=take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
        updated_at=take("updated_at", row["updated_at"], a_time, UNKNOWN_TIME),
        signed_in=row["sealed_tokens"] is not None,
    )
    secrets, tokens = (take(name, row[name], a_blob_or_none, None) for name in ("sealed_secrets", "sealed_tokens"))
    damage = tuple(reading.damage)
    if damage:
        server = replace(server, enabled=False)
    known = take("known", row["known"], lambda stored: None if stored is None else decode_listing(stored), None)
    return StoredServer(row["owner"], replace(server, known=known), secrets, tokens, damage)


def _a_duration(stored: Any) -> float:
    if not isinstance(stored, int | float):
        raise StoreError(f"it is {type(stored).__name__}, not float")
    return stored


def _encode_way(way: Way) -> dict[str, Any]:
    match way:
        case OverStdio(command, arguments, folder):
            return {"kind": "stdio", "command": command, "arguments": list(arguments), "folder": folder}
        case OverHttp(url, allow_private, client_id):
            return {"kind": "http", "url": url, "allow_private": allow_private, "client_id": client_id}


def decode_way(way: dict[str, Any]) -> Way:
    """Decode the program or the address of a server."""
    if way["kind"] == "stdio":
        return OverStdio(a_text(way["command"]), a_text_list(way["arguments"]), a_text_or_none(way["folder"]))
    return OverHttp(a_text(way["url"]), a_flag(way["allow_private"]), a_text_or_none(way["client_id"]))


def decode_listing(known: dict[str, Any]) -> Listing:
    """Decode the tools, prompts and resources that a server listed."""
    return Listing(
        title=known["title"],
        version=known["version"],
        protocol=known["protocol"],
        instructions=known["instructions"],
        tools=tuple(ListedTool(**tool) for tool in known["tools"]),
        resources=tuple(ListedResource(**resource) for resource in known["resources"]),
        prompts=tuple(
            ListedPrompt(
                one["name"],
                one["title"],
                one["description"],
                tuple(ListedArgument(**argument) for argument in one["arguments"]),
            )
            for one in known["prompts"]
        ),
        cut=tuple(known["cut"]),
    )
