"""How often the provider sent something for a run, kept once the run is over.

Revision 0064, after 0072. Of runs before it nobody knows: null.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0064"
down_revision = "0072"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("chunks", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("run", "chunks")
