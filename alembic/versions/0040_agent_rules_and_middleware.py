"""Permission rules of an agent, the agent of a permission request, and the middleware of a conversation.

Revision 0040, after 0039.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

ADDED = (("permission_rule", "agent_id"), ("permission_request", "agent_id"), ("permission_request", "agent_name"))


def upgrade() -> None:
    for table, column in ADDED:
        op.add_column(table, sa.Column(column, sa.String()))
    op.add_column("conversation", sa.Column("middleware", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("conversation", "middleware")
    for table, column in reversed(ADDED):
        op.drop_column(table, column)
