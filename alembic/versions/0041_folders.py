"""Folders: names that group conversations.

Revision 0041, after 0040.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "folder",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("metadata_json", sa.String(), nullable=False, server_default=""),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("updated_at", sa.DateTime(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_folder"),
    )
    op.create_index("ix_folder_owner", "folder", ["owner"])
    op.add_column("conversation", sa.Column("folder_id", sa.String(), nullable=True))
    filed = sa.text("folder_id IS NOT NULL")
    op.create_index("ix_conversation_folder_id", "conversation", ["folder_id"], sqlite_where=filed)


def downgrade() -> None:
    op.drop_index("ix_conversation_folder_id", "conversation")
    op.drop_column("conversation", "folder_id")
    op.drop_table("folder")
