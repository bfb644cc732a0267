"""After how many days conversations of a folder go to the trash.

Revision 0065, after 0064. Null: as conversations outside; 0: never.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("folder", sa.Column("retention_days", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("folder", "retention_days")
