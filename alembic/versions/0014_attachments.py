"""Attachments: the bytes of images and files, once per owner, and the conversations that use them.

Revision 0014, after 0013.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attachment",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "id", name="pk_attachment"),
    )
    op.create_table(
        "attachment_use",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("attachment_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_attachment_use_conversation_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation_id", "attachment_id", name="pk_attachment_use"),
    )
    op.create_index("ix_attachment_use_owner_attachment_id", "attachment_use", ["owner", "attachment_id"])


def downgrade() -> None:
    op.drop_table("attachment_use")
    op.drop_table("attachment")
