"""Permission rules of an agent, and the agent that makes the call of a permission request.

Revision 0040, after 0038.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0040"
down_revision = "0038"
branch_labels = None
depends_on = None

ADDED = (("permission_rule", "agent_id"), ("permission_request", "agent_id"), ("permission_request", "agent_name"))


def upgrade() -> None:
    for table, column in ADDED:
        op.add_column(table, sa.Column(column, sa.String()))


def downgrade() -> None:
    for table, column in reversed(ADDED):
        op.drop_column(table, column)
