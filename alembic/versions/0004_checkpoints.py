"""The checkpoint of a conversation: a summary, and the pair before which it replaces all others.

Revision 0004, after 0003.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversation", sa.Column("summary", sa.String()))
    op.add_column("conversation", sa.Column("summary_position", sa.Integer()))


def downgrade() -> None:
    op.drop_column("conversation", "summary_position")
    op.drop_column("conversation", "summary")
