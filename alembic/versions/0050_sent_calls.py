"""What each provider call contained, for good; the bytes of its body as long as its conversation.

Revision 0050, after 0049.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
TRIGGERS = (
    """CREATE TRIGGER sent_call_is_not_changed BEFORE UPDATE ON sent_call
BEGIN SELECT RAISE(ABORT, 'a recorded call is never changed'); END""",
    """CREATE TRIGGER sent_call_is_not_deleted BEFORE DELETE ON sent_call
WHEN OLD.owner NOT IN (SELECT id FROM deleted_person)
BEGIN SELECT RAISE(ABORT, 'a recorded call is never deleted'); END""",
    """CREATE TRIGGER sent_piece_is_not_changed BEFORE UPDATE ON sent_piece
BEGIN SELECT RAISE(ABORT, 'what was sent is never changed'); END""",
)


def upgrade() -> None:
    op.create_table(
        "sent_call",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("owner", "conversation_id", "pair_id")),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("purpose", "model", "url")),
        sa.Column("sent_at", TIME, nullable=False),
        sa.Column("body_sha256", sa.String(), nullable=False),
        sa.Column("body_bytes", sa.Integer(), nullable=False),
        sa.Column("pieces", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "number", name="pk_sent_call"),
    )
    op.create_index("ix_sent_call_conversation_id", "sent_call", ["conversation_id", "sent_at"])
    op.create_index("ix_sent_call_pair_id", "sent_call", ["pair_id"])
    op.create_table(
        "sent_piece",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversation.id"],
            ondelete="CASCADE",
            name="fk_sent_piece_conversation_id_conversation",
        ),
        sa.PrimaryKeyConstraint("conversation_id", "sha256", name="pk_sent_piece"),
    )
    for trigger in TRIGGERS:
        op.execute(trigger)


def downgrade() -> None:
    op.drop_table("sent_piece")
    op.drop_table("sent_call")
