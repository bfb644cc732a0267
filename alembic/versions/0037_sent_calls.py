"""Sent calls: a record of what each provider call contained, with the texts of the calls stored once per conversation.

The database refuses to change a record or a text, and to delete a record. Earlier calls get no record.

Revision 0037, after 0036.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

GUARDS = {
    "sent_call_is_not_changed": "UPDATE ON sent_call",
    "sent_call_is_not_deleted": "DELETE ON sent_call",
    "sent_text_is_not_changed": "UPDATE OF role, hash, text ON sent_text",
}
"""The triggers, and the changes that they refuse."""


def upgrade() -> None:
    op.create_table(
        "sent_call",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("request_hash", sa.String(), nullable=False),
        sa.Column("base_run_id", sa.String()),
        sa.Column("base_attempt", sa.Integer()),
        sa.Column("pieces", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "attempt", name="pk_sent_call"),
    )
    op.create_index("ix_sent_call_account_id_request_hash", "sent_call", ["account_id", "request_hash"])
    op.create_table(
        "sent_text",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("pair_id", sa.String()),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "attempt", "number", name="pk_sent_text"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_sent_text_conversation_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_sent_text_pair_id", ondelete="CASCADE"),
    )
    op.create_index("ix_sent_text_conversation_id_hash", "sent_text", ["conversation_id", "hash"])
    op.create_index("ix_sent_text_pair_id", "sent_text", ["pair_id"])
    for name, change in GUARDS.items():
        table, words = name.split("_is_not_")
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {change} "
            f"BEGIN SELECT RAISE(ABORT, 'a row of {table} is never {words}'); END"
        )


def downgrade() -> None:
    for name in GUARDS:
        op.execute(f"DROP TRIGGER {name}")
    op.drop_table("sent_text")
    op.drop_table("sent_call")
