"""Each upload has its own id and name, and notes the conversation that took it.

Revision 0034, after 0033. Uploads from earlier versions keep the id of their bytes.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

COLUMNS = "owner, attachment_id, kind, name, width, height, full_width, full_height, created_at"


def upgrade() -> None:
    op.rename_table("upload", "upload_before")
    op.create_table(
        "upload",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        *_columns(),
        sa.Column("taken_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("owner", "id", name="pk_upload"),
    )
    op.create_index("ix_upload_owner_attachment_id", "upload", ["owner", "attachment_id"])
    op.create_index("ix_upload_taken_by", "upload", ["taken_by"])
    op.execute(f"INSERT INTO upload (id, {COLUMNS}) SELECT attachment_id, {COLUMNS} FROM upload_before")  # noqa: S608
    op.drop_table("upload_before")


def downgrade() -> None:
    op.drop_index("ix_upload_taken_by", "upload")
    op.drop_index("ix_upload_owner_attachment_id", "upload")
    op.rename_table("upload", "upload_after")
    op.create_table(
        "upload",
        sa.Column("owner", sa.String(), nullable=False),
        *_columns(),
        sa.PrimaryKeyConstraint("owner", "attachment_id", name="pk_upload"),
    )
    op.execute(f"INSERT OR REPLACE INTO upload ({COLUMNS}) SELECT {COLUMNS} FROM upload_after ORDER BY created_at")  # noqa: S608
    op.drop_table("upload_after")


def _columns() -> tuple[sa.Column[str] | sa.Column[int] | sa.Column[object], ...]:
    return (
        sa.Column("attachment_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("full_width", sa.Integer(), nullable=False),
        sa.Column("full_height", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
