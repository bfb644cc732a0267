"""The arguments of a server's prompt: in addition to their names, a description and whether they are required.

Servers report both when they next connect. Until then no argument counts as required. Revision 0022, after 0021.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_SERVER = sa.table("mcp_server", sa.column("id", sa.Text()), sa.column("known", sa.JSON()))


def upgrade() -> None:
    _rewrite(
        lambda prompt: {
            "name": prompt["name"],
            "title": prompt["name"],
            "description": prompt["description"],
            "arguments": [{"name": name, "description": "", "required": False} for name in prompt["arguments"]],
        }
    )


def downgrade() -> None:
    _rewrite(
        lambda prompt: {
            "name": prompt["name"],
            "description": prompt["description"],
            "arguments": [argument["name"] for argument in prompt["arguments"]],
        }
    )


def _rewrite(prompt_of: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for server_id, known in connection.execute(sa.select(_SERVER.c.id, _SERVER.c.known)).all():
        if known is None:
            continue
        changed = {**known, "prompts": [prompt_of(prompt) for prompt in known["prompts"]]}
        connection.execute(sa.update(_SERVER).where(_SERVER.c.id == server_id).values(known=changed))
