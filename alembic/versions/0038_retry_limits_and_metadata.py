"""Limits of retries, metadata of conversations and messages, and the chunks and the status of child runs.

The conversations of compared replies stayed `active` for ever: those whose runs have ended get the status of their end.

Revision 0038, after 0037.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


ENDED = """
UPDATE conversation
SET status = CASE
    WHEN EXISTS (SELECT 1 FROM run WHERE run.conversation_id = conversation.id AND run.status = 'succeeded')
    THEN 'completed' ELSE 'failed' END
WHERE kind = 'tool' AND status = 'active'
    AND EXISTS (SELECT 1 FROM run WHERE run.conversation_id = conversation.id AND run.purpose = 'comparison')
    AND NOT EXISTS (SELECT 1 FROM run WHERE run.conversation_id = conversation.id AND run.status = 'running')
"""


def upgrade() -> None:
    op.add_column("conversation", sa.Column("retry_limits", sa.JSON(), nullable=False, server_default="{}"))
    for table in ("conversation", "message"):
        op.add_column(table, sa.Column("metadata_json", sa.String(), nullable=False, server_default=""))
    op.add_column("run", sa.Column("chunk_count", sa.Integer(), nullable=True))
    op.add_column("run", sa.Column("last_chunk_at", sa.DateTime(), nullable=True))
    op.execute(ENDED)


def downgrade() -> None:
    op.drop_column("run", "last_chunk_at")
    op.drop_column("run", "chunk_count")
    for table in ("message", "conversation"):
        op.drop_column(table, "metadata_json")
    op.drop_column("conversation", "retry_limits")
