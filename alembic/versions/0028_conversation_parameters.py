"""Parameters of a conversation for all its sends, such as the temperature.

Revision 0028, after 0026.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0028"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversation", sa.Column("parameters", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("conversation", "parameters")
