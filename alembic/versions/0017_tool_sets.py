"""The ticked tools of a conversation, and the tools of each run.

Revision 0017, after 0016.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("conversation", sa.Column("ticked_tools", sa.JSON(), nullable=False, server_default="[]"))
    op.create_table(
        "toolset",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("tools", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("owner", "id", name="pk_toolset"),
    )
    op.create_table(
        "run_toolset",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("toolset_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_toolset_run_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name="pk_run_toolset"),
    )


def downgrade() -> None:
    op.drop_table("run_toolset")
    op.drop_table("toolset")
    op.drop_column("conversation", "ticked_tools")
