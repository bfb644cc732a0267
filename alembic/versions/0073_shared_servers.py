"""Tool servers that everybody of the installation may use.

Revision 0073, after 0065.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0073"
down_revision = "0065"
branch_labels = None
depends_on = None


def upgrade() -> None:
    timestamp = sa.DateTime(timezone=op.get_bind().dialect.name == "postgresql")
    op.add_column("mcp_server", sa.Column("shared_at", timestamp))


def downgrade() -> None:
    op.drop_column("mcp_server", "shared_at")
