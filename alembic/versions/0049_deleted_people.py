"""Deleted persons: their entries of the audit trail, and no others, can be deleted.

Revision 0049, after 0048.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

ALWAYS = """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'a row of the audit trail is never deleted'); END"""
UNLESS_DELETED = """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
WHEN OLD.owner NOT IN (SELECT id FROM deleted_person)
BEGIN SELECT RAISE(ABORT, 'a row of the audit trail is never deleted'); END"""


def upgrade() -> None:
    op.create_table(
        "deleted_person",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deleted_person"),
    )
    op.execute("DROP TRIGGER audit_is_not_deleted")
    op.execute(UNLESS_DELETED)


def downgrade() -> None:
    op.execute("DROP TRIGGER audit_is_not_deleted")
    op.execute(ALWAYS)
    op.drop_table("deleted_person")
