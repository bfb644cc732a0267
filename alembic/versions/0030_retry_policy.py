"""The retry policy of a conversation: when failed calls are made again.

Revision 0030, after 0029.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversation", sa.Column("retry_policy", sa.String(), nullable=False, server_default="exponential"))


def downgrade() -> None:
    op.drop_column("conversation", "retry_policy")
