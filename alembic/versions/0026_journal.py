"""A journal of running replies: the text that each received since it was last stored whole.

Revision 0026, after 0025.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reply_journal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("growth", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reply_journal"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_reply_journal_run_id", ondelete="CASCADE"),
    )


def downgrade() -> None:
    op.drop_table("reply_journal")
