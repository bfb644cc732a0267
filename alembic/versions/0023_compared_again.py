"""The pair and the request that a comparison answers again, and the pairs that are deleted when a reply is kept.

Revision 0023, after 0022.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("comparison", sa.Column("pair_id", sa.String()))
    op.add_column("comparison", sa.Column("request_id", sa.String()))
    op.add_column("comparison", sa.Column("gone", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("comparison", "gone")
    op.drop_column("comparison", "request_id")
    op.drop_column("comparison", "pair_id")
