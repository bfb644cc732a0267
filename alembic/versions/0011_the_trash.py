"""The trash: deleted conversations that can be restored. Pairs have had their time of deletion before.

Revision 0011, after 0010.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

DELETED = sa.text("deleted_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("conversation", sa.Column("deleted_at", sa.DateTime(timezone=True)))
    for table in ("conversation", "pair"):
        op.create_index(f"ix_{table}_trash", table, ["owner", "deleted_at"], sqlite_where=DELETED)


def downgrade() -> None:
    for table in ("conversation", "pair"):
        op.drop_index(f"ix_{table}_trash", table)
    op.drop_column("conversation", "deleted_at")
