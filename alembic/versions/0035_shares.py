"""Links that show what was in view of a conversation.

Revision 0035, after 0034.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "share",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("choice", sa.JSON(), nullable=False),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column("page", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("views", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_share"),
        sa.UniqueConstraint("token_hash", name="uq_share_token_hash"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_share_conversation_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_share_owner", "share", ["owner"])
    op.create_index("ix_share_conversation_id", "share", ["conversation_id"])


def downgrade() -> None:
    op.drop_table("share")
