"""Agents and prompts that everybody of the installation may use.

Revision 0061, after 0060.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("agent", "prompt"):
        op.add_column(table, sa.Column("shared_at", sa.DateTime()))


def downgrade() -> None:
    for table in ("prompt", "agent"):
        op.drop_column(table, "shared_at")
