"""The keep-alive of prompt caches, and the purpose of each run.

Revision 0020, after 0019.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "keep_warm",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("look", sa.JSON(), nullable=False),
        sa.Column("until", TIME, nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("made_id", sa.String()),
        sa.Column("ended_at", TIME),
        sa.Column("words", sa.Text()),
        sa.PrimaryKeyConstraint("conversation_id", name="pk_keep_warm"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_keep_warm_conversation_id", ondelete="CASCADE"
        ),
    )
    op.add_column("run", sa.Column("purpose", sa.String(), nullable=False, server_default="reply"))


def downgrade() -> None:
    op.drop_column("run", "purpose")
    op.drop_table("keep_warm")
