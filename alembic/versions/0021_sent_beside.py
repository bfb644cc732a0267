"""The extras of a run's request: the text about the user, and the values that marks replaced.

Revision 0021, after 0020.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("prelude", sa.Text()))
    op.add_column("run", sa.Column("redacted", sa.JSON()))


def downgrade() -> None:
    op.drop_column("run", "redacted")
    op.drop_column("run", "prelude")
