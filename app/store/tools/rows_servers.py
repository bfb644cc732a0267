"""The table of MCP servers: see `domain/tools/tool_servers.py`. Secrets are encrypted before they are stored."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, LargeBinary, UniqueConstraint
from sqlmodel import Field

from app.store.database.row import Json, Row


class McpServerRow(Row, table=True):
    """An MCP server. `way`: its program or address. `known`: the tools, prompts and resources that it last listed."""

    __table_args__ = (UniqueConstraint("owner", "name"),)

    id: str = Field(primary_key=True)
    owner: str
    name: str
    way: Json = Field(sa_type=JSON)
    enabled: bool
    timeout: float
    secret_names: list[str] = Field(sa_type=JSON)
    sealed_secrets: bytes | None = Field(sa_type=LargeBinary)
    sealed_tokens: bytes | None = Field(sa_type=LargeBinary)
    known: Json | None = Field(sa_type=JSON(none_as_null=True))
    created_at: datetime
    updated_at: datetime


MCP_SERVER = Row.metadata.tables["mcp_server"]
