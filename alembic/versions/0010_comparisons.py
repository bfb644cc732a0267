"""Comparisons: one request to several models, until one of the replies is kept.

Revision 0010, after 0009.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "comparison",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("topic", sa.String()),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("runs", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("closed_at", TIME),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_comparison_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_comparison"),
    )
    op.create_index("ix_comparison_conversation_id", "comparison", ["conversation_id"])
    is_open = sa.text("closed_at IS NULL")
    op.create_index(
        "uq_comparison_open",
        "comparison",
        ["conversation_id"],
        unique=True,
        sqlite_where=is_open,
        postgresql_where=is_open,
    )


def downgrade() -> None:
    op.drop_table("comparison")
