"""The order of the list: folders, and which conversations are pinned, archived and in which folder.

Revision 0032, after 0031.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

INDEX = "ix_conversation_owner_archived_folder_id_pinned_updated_at_id"


def upgrade() -> None:
    op.create_table(
        "folder",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_folder"),
    )
    op.create_index("ix_folder_owner", "folder", ["owner"])
    op.add_column("conversation", sa.Column("pinned", sa.Boolean(), nullable=False, server_default="0"))
    op.add_column("conversation", sa.Column("archived", sa.Boolean(), nullable=False, server_default="0"))
    op.add_column("conversation", sa.Column("folder_id", sa.String()))
    op.create_index(INDEX, "conversation", ["owner", "archived", "folder_id", "pinned", "updated_at", "id"])
    archived = sa.text("archived IS 1")
    op.create_index("ix_conversation_archive", "conversation", ["owner", "updated_at", "id"], sqlite_where=archived)


def downgrade() -> None:
    op.drop_index("ix_conversation_archive", "conversation")
    op.drop_index(INDEX, "conversation")
    for column in ("folder_id", "archived", "pinned"):
        op.drop_column("conversation", column)
    op.drop_index("ix_folder_owner", "folder")
    op.drop_table("folder")
