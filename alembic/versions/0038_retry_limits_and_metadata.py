"""The limits of the retries of a conversation, and the metadata of conversations and messages.

Revision 0038, after 0036.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0038"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversation", sa.Column("retry_limits", sa.JSON(), nullable=False, server_default="{}"))
    for table in ("conversation", "message"):
        op.add_column(table, sa.Column("metadata_json", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("message", "conversation"):
        op.drop_column(table, "metadata_json")
    op.drop_column("conversation", "retry_limits")
