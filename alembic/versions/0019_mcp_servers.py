"""MCP servers.

Revision 0019, after 0018.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "mcp_server",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("way", sa.JSON(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("timeout", sa.Float(), nullable=False),
        sa.Column("secret_names", sa.JSON(), nullable=False),
        sa.Column("sealed_secrets", sa.LargeBinary()),
        sa.Column("sealed_tokens", sa.LargeBinary()),
        sa.Column("known", sa.JSON()),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mcp_server"),
        sa.UniqueConstraint("owner", "name", name="uq_mcp_server_owner_name"),
    )


def downgrade() -> None:
    op.drop_table("mcp_server")
