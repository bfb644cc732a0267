"""The plan for a vendor's prompt cache, for each call.

Revision 0008, after 0007.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "prompt_cache",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cache_control_index", sa.Integer(), nullable=True),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.Column("predicted_place", sa.Integer(), nullable=True),
        sa.Column("predicted_read_tokens", sa.Integer(), nullable=False),
        sa.Column("predicted_exactly", sa.Boolean(), nullable=False),
        sa.Column("frozen", sa.Boolean(), nullable=False),
        sa.Column("tools_key", sa.LargeBinary(), nullable=False),
        sa.Column("system_key", sa.LargeBinary(), nullable=False),
        sa.Column("chain", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_prompt_cache_run_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", name="pk_prompt_cache"),
    )
    op.create_index("ix_prompt_cache_owner_model_at", "prompt_cache", ["owner", "model", "at"])


def downgrade() -> None:
    op.drop_index("ix_prompt_cache_owner_model_at", table_name="prompt_cache")
    op.drop_table("prompt_cache")
