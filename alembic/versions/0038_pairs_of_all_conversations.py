"""Pairs of all conversations by their time, and which pair a copy was taken from.

Revision 0038, after 0037.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_pair_owner_created_at_id", "pair", ["owner", "created_at", "id"])
    op.create_table(
        "pair_source",
        sa.Column("pair_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("source_conversation_id", sa.String(), nullable=False),
        sa.Column("source_pair_id", sa.String(), nullable=False),
        sa.Column("source_version", sa.Integer(), nullable=False),
        sa.Column("copied_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_pair_source_pair_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pair_id", name="pk_pair_source"),
    )


def downgrade() -> None:
    op.drop_table("pair_source")
    op.drop_index("ix_pair_owner_created_at_id", "pair")
