"""Idempotency keys of sends: which run a key began.

Revision 0044, after 0042.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0044"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "idempotency_key",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("pair_id", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_idempotency_key_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("owner", "key", name="pk_idempotency_key"),
    )
    op.create_index("ix_idempotency_key_conversation_id", "idempotency_key", ["conversation_id"])


def downgrade() -> None:
    op.drop_table("idempotency_key")
