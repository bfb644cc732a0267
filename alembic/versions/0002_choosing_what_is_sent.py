"""Selection of the sent pairs: topics, saved filters, preferences, deleted pairs, and indexes of the content of pairs.

Revision 0002, after 0001.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
COUNTED = ("counted_text", "counted_messages", "estimated_tokens")


def upgrade() -> None:
    op.add_column("pair", sa.Column("deleted_at", TIME))
    op.add_column("run", sa.Column("sent", sa.JSON()))
    for name in COUNTED:
        op.add_column("ledger", sa.Column(name, sa.Integer()))
    op.create_index("ix_ledger_owner_model_started_at", "ledger", ["owner", "model", "started_at"])

    op.create_table(
        "pair_text",
        sa.Column("pair_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("reply_id", sa.String()),
        sa.Column("attachment", sa.Boolean(), nullable=False),
        sa.Column("blank", sa.Boolean(), nullable=False),
        sa.Column("tools", sa.JSON(), nullable=False),
        sa.Column("searched_text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_pair_text_pair_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pair_id", name="pk_pair_text"),
    )
    op.create_index("ix_pair_text_conversation_id", "pair_text", ["conversation_id"])

    op.create_table(
        "pair_size",
        sa.Column("pair_id", sa.String(), nullable=False),
        sa.Column("vocabulary", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("reply_id", sa.String()),
        sa.Column("text", sa.Integer(), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.Column("thinking", sa.Integer(), nullable=False),
        sa.Column("thinking_vendor", sa.String()),
        sa.Column("images", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_pair_size_pair_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pair_id", "vocabulary", name="pk_pair_size"),
    )
    op.create_index("ix_pair_size_conversation_id", "pair_size", ["conversation_id"])

    op.create_table(
        "topic",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("parent_id", sa.String()),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("used_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["parent_id"], ["topic.id"], name="fk_topic_parent_id", ondelete="RESTRICT"),
        sa.PrimaryKeyConstraint("id", name="pk_topic"),
    )
    op.create_index("ix_topic_owner_parent_id", "topic", ["owner", "parent_id"])
    op.create_index("ix_pair_topic", "pair", ["topic"])

    op.create_table(
        "saved_filter",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("filter", sa.String(), nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("owner", "name", name="pk_saved_filter"),
    )
    op.create_table(
        "applied_filter",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("filter", sa.String(), nullable=False),
        sa.Column("applied_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("owner", "filter", name="pk_applied_filter"),
    )
    op.create_table(
        "preference",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("owner", "name", name="pk_preference"),
    )


def downgrade() -> None:
    op.drop_index("ix_pair_topic", "pair")
    for table in ("preference", "applied_filter", "saved_filter", "topic", "pair_size", "pair_text"):
        op.drop_table(table)
    op.drop_index("ix_ledger_owner_model_started_at", "ledger")
    for name in COUNTED:
        op.drop_column("ledger", name)
    op.drop_column("run", "sent")
    op.drop_column("pair", "deleted_at")
