"""The audit trail records access to conversations: by which way, and from which address.

Revision 0039, after 0038.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in ("via", "address"):
        op.add_column("audit", sa.Column(column, sa.String(), nullable=False, server_default=""))
    op.create_index("ix_audit_owner_conversation_id_id", "audit", ["owner", "conversation_id", "id"])


def downgrade() -> None:
    op.drop_index("ix_audit_owner_conversation_id_id", "audit")
    for column in ("address", "via"):
        op.drop_column("audit", column)
