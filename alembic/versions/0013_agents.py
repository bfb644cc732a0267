"""Agents, and for each pair the name of its agent at the time of the reply.

Revision 0013, after 0012.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "agent",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("icon", sa.String(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("model", sa.String()),
        sa.Column("system_prompt", sa.Text(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("server_ids", sa.JSON()),
        sa.Column("allowed_tools", sa.JSON()),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("deleted_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_agent"),
    )
    op.create_index("ix_agent_owner", "agent", ["owner"])
    for table in ("pair", "version"):
        op.add_column(table, sa.Column("agent", sa.String()))


def downgrade() -> None:
    for table in ("pair", "version"):
        op.drop_column(table, "agent")
    op.drop_table("agent")
