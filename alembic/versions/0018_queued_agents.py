"""The agent of a queued text, which will answer it.

Revision 0018, after 0017.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("queued", sa.Column("agent_id", sa.String()))


def downgrade() -> None:
    op.drop_column("queued", "agent_id")
