"""Files stored for drafts, and files of queued texts.

Revision 0029, after 0028.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "upload",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("attachment_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("full_width", sa.Integer(), nullable=False),
        sa.Column("full_height", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "attachment_id", name="pk_upload"),
    )
    with op.batch_alter_table("queued") as queued:
        queued.add_column(sa.Column("attached", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    with op.batch_alter_table("queued") as queued:
        queued.drop_column("attached")
    op.drop_table("upload")
