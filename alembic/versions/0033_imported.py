"""Which conversation of another application an imported one is.

Revision 0033, after 0032.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "imported",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("foreign_id", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("import_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("imported_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_imported_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("owner", "format", "foreign_id", name="pk_imported"),
    )
    op.create_index("ix_imported_conversation_id", "imported", ["conversation_id"])
    op.create_index("ix_imported_import_id", "imported", ["import_id"])


def downgrade() -> None:
    op.drop_index("ix_imported_import_id", "imported")
    op.drop_index("ix_imported_conversation_id", "imported")
    op.drop_table("imported")
