"""Queries of MCP servers. Secrets arrive and leave encrypted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
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
from app.store.database.damage import decode_each, decode_one
from app.store.database.mapping import Columns, decode_names
from app.store.people.rows_people import PERSON
from app.store.tools.rows_servers import MCP_SERVER


@dataclass(frozen=True, slots=True)
class StoredServer:
    """A server with its secrets as they are stored. `sealed_tokens`: what a sign-in gave."""

    owner: str
    server: ToolServer
    sealed_secrets: bytes | None = field(repr=False)
    sealed_tokens: bytes | None = field(default=None, repr=False)


async def load_every_server(session: AsyncSession) -> tuple[StoredServer, ...]:
    """All servers of all owners."""
    rows = (await session.execute(select(MCP_SERVER).order_by(MCP_SERVER.c.name))).mappings()
    return tuple(decode_each("mcp_server", rows, _decode))


async def load_servers(session: AsyncSession, owner: str) -> tuple[StoredServer, ...]:
    """An owner's servers by name."""
    query = select(MCP_SERVER).where(MCP_SERVER.c.owner == owner).order_by(MCP_SERVER.c.name)
    return tuple(decode_each("mcp_server", (await session.execute(query)).mappings(), _decode))


async def load_server(session: AsyncSession, owner: str, server_id: str) -> StoredServer:
    """One server.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    query = select(MCP_SERVER).where(MCP_SERVER.c.id == server_id, MCP_SERVER.c.owner == owner)
    if (row := (await session.execute(query)).mappings().one_or_none()) is None:
        raise NotFoundError("MCP server", server_id)
    return decode_one("mcp_server", row, _decode)


async def load_shared_server(session: AsyncSession, server_id: str) -> StoredServer:
    """One server that its owner shares, whoever asks.

    Raises:
        NotFoundError: there is none of that id, or it is not shared.
    """
    query = select(MCP_SERVER).where(MCP_SERVER.c.id == server_id, MCP_SERVER.c.shared_at.is_not(None))
    if (row := (await session.execute(query)).mappings().one_or_none()) is None:
        raise NotFoundError("MCP server", server_id)
    return decode_one("mcp_server", row, _decode)


async def is_lent(session: AsyncSession, server_id: str) -> bool:
    """Whether a server is shared and switched on, and its owner can sign in."""
    owner = exists().where(PERSON.c.id == MCP_SERVER.c.owner, PERSON.c.disabled.is_(False))
    of_server = (MCP_SERVER.c.id == server_id, MCP_SERVER.c.shared_at.is_not(None), MCP_SERVER.c.enabled.is_(True))
    return bool((await session.execute(select(exists().where(*of_server, owner)))).scalar_one())


async def set_server_shared(session: AsyncSession, server_id: str, at: datetime | None) -> None:
    """Let everybody of the installation use a server, or (`at` None) its owner alone."""
    await session.execute(update(MCP_SERVER).where(MCP_SERVER.c.id == server_id).values(shared_at=at))


async def insert_server(session: AsyncSession, stored: StoredServer) -> None:
    await session.execute(insert(MCP_SERVER).values(**_encode(stored)))


async def save_server(session: AsyncSession, stored: StoredServer) -> None:
    """Write all of a server that is there."""
    await session.execute(update(MCP_SERVER).where(MCP_SERVER.c.id == stored.server.id).values(**_encode(stored)))


async def save_known(session: AsyncSession, server_id: str, known: Listing) -> None:
    """Keep what a server has, unless it was deleted meanwhile."""
    await session.execute(update(MCP_SERVER).where(MCP_SERVER.c.id == server_id).values(known=asdict(known)))


async def save_tokens(session: AsyncSession, server_id: str, sealed: bytes | None) -> None:
    """Keep what a sign-in gave, or (None) forget it."""
    await session.execute(update(MCP_SERVER).where(MCP_SERVER.c.id == server_id).values(sealed_tokens=sealed))


async def delete_server(session: AsyncSession, owner: str, server_id: str) -> None:
    """Delete a server with its secrets.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
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
        "shared_at": server.shared_at,
    }


def _decode(row: Columns) -> StoredServer:
    server = ToolServer(
        id=row["id"],
        name=row["name"],
        way=_decode_way(row["way"]),
        enabled=row["enabled"],
        timeout=row["timeout"],
        secret_names=decode_names(row["secret_names"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        signed_in=row["sealed_tokens"] is not None,
        known=None if row["known"] is None else _decode_listing(row["known"]),
        shared_at=row["shared_at"],
    )
    return StoredServer(row["owner"], server, row["sealed_secrets"], row["sealed_tokens"])


def _encode_way(way: Way) -> dict[str, Any]:
    match way:
        case OverStdio(command, arguments, folder):
            return {"kind": "stdio", "command": command, "arguments": list(arguments), "folder": folder}
        case OverHttp(url, allow_private, client_id):
            return {"kind": "http", "url": url, "allow_private": allow_private, "client_id": client_id}


def _decode_way(way: dict[str, Any]) -> Way:
    if way["kind"] == "stdio":
        return OverStdio(way["command"], tuple(way["arguments"]), way["folder"])
    return OverHttp(way["url"], way["allow_private"], way["client_id"])


def _decode_listing(known: dict[str, Any]) -> Listing:
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
                tuple(ListedArgument(**said) for said in one["arguments"]),
            )
            for one in known["prompts"]
        ),
        cut=tuple(known["cut"]),
    )
