"""Forks: the last pair that was copied from the parent, and an index from parents to their forks.

Revision 0006, after 0005.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversation", sa.Column("fork_pair_id", sa.String()))
    op.create_index("ix_conversation_owner_parent_id", "conversation", ["owner", "parent_id"])


def downgrade() -> None:
    op.drop_index("ix_conversation_owner_parent_id", "conversation")
    op.drop_column("conversation", "fork_pair_id")
