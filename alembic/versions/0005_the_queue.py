"""The queue of a conversation: texts that wait for the running reply, and why they are held.

Revision 0005, after 0004.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "queued",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("filter", sa.String(), nullable=False),
        sa.Column("model", sa.String()),
        sa.Column("topic", sa.String()),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("over_budget", sa.String()),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_queued_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_queued"),
    )
    op.create_index("ix_queued_conversation_id", "queued", ["conversation_id"])
    op.create_table(
        "queue_hold",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("held_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_queue_hold_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation_id", name="pk_queue_hold"),
    )


def downgrade() -> None:
    op.drop_table("queue_hold")
    op.drop_table("queued")
