"""Deliveries: a page that repeats a send after a restart of the server does not send it twice.

Revision 0036, after 0035.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "delivery",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("send_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "token", "send_id", name="pk_delivery"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_delivery_conversation_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_delivery_conversation_id", "delivery", ["conversation_id"])


def downgrade() -> None:
    op.drop_table("delivery")
