"""Rules that allow calls of one agent, and the agent of each permission request.

Revision 0037, after 0035.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0037"
down_revision = "0035"
branch_labels = None
depends_on = None

TABLES = ("permission_request", "permission_rule")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("agent_id", sa.String(), nullable=True))
        op.add_column(table, sa.Column("agent", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    # A rule of one agent would hold for all of them.
    op.execute("DELETE FROM permission_rule WHERE agent_id IS NOT NULL")
    for table in TABLES:
        op.drop_column(table, "agent")
        op.drop_column(table, "agent_id")
