"""What the list of conversations marks and lists apart: unread, imported, pinned and failed ones.

Revision 0047, after 0046.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

LISTED_APART = {"pinned": "pinned IS 1", "unread": "unread IS 1", "imported": "imported_from IS NOT NULL"}


def upgrade() -> None:
    op.add_column("conversation", sa.Column("unread", sa.Boolean(), nullable=False, server_default="0"))
    op.add_column("conversation", sa.Column("imported_from", sa.String()))
    op.add_column("conversation", sa.Column("imported_at", sa.DateTime()))
    op.execute(
        "UPDATE conversation SET (imported_from, imported_at) = (SELECT imported.format, imported.imported_at"
        " FROM imported WHERE imported.conversation_id = conversation.id)"
        " WHERE id IN (SELECT conversation_id FROM imported)"
    )
    for name, condition in LISTED_APART.items():
        columns = ["owner", "updated_at", "id"]
        op.create_index(f"ix_conversation_{name}", "conversation", columns, sqlite_where=sa.text(condition))
    failed = sa.text("lifecycle = 'error' AND deleted_at IS NULL")
    op.create_index("ix_pair_failed", "pair", ["owner", "conversation_id", "position"], sqlite_where=failed)


def downgrade() -> None:
    op.drop_index("ix_pair_failed", "pair")
    for name in LISTED_APART:
        op.drop_index(f"ix_conversation_{name}", "conversation")
    for column in ("imported_at", "imported_from", "unread"):
        op.drop_column("conversation", column)
