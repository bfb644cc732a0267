"""Titles made by a model, and replies replayed from the database.

Titles from earlier versions count as the user's own.

Revision 0009, after 0008.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

CAN_BE_REPLAYED = "status = 'succeeded' AND replay_of IS NULL"


def upgrade() -> None:
    op.add_column("conversation", sa.Column("titled_by_model", sa.Boolean(), nullable=False, server_default="0"))
    op.add_column("run", sa.Column("replay_of", sa.String()))
    op.create_index("ix_run_replayable", "run", ["owner", "request_hash"], sqlite_where=sa.text(CAN_BE_REPLAYED))


def downgrade() -> None:
    op.drop_index("ix_run_replayable", "run")
    op.drop_column("run", "replay_of")
    op.drop_column("conversation", "titled_by_model")
