"""A run stores the invalid counts of its provider's report, so that its pair shows "at least" as the ledger does.

Revision 0033, after 0032.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("report_fault", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("run", "report_fault")
