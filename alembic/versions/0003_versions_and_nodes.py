"""Earlier versions of pairs, and the nodes between pairs, which are never sent.

Revision 0003, after 0002.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    for name in ("version", "versions"):
        op.add_column("pair", sa.Column(name, sa.Integer(), nullable=False, server_default="1"))

    op.create_table(
        "version",
        sa.Column("pair_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("reply_id", sa.String()),
        sa.Column("run_id", sa.String()),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("agent_id", sa.String()),
        sa.Column("lifecycle", sa.String()),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_version_pair_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pair_id", "number", name="pk_version"),
    )
    op.create_table(
        "node",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("after_position", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_node_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_node"),
    )
    op.create_index("ix_node_conversation_id_after_position", "node", ["conversation_id", "after_position"])


def downgrade() -> None:
    op.drop_table("node")
    op.drop_table("version")
    for name in ("version", "versions"):
        op.drop_column("pair", name)
