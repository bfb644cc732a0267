"""Uploads of documents: how many pages they have, and the id of the same document in its other form.

Revision 0046, after 0044.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0046"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("pages", "textless", "characters"):
        op.add_column("upload", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.add_column("upload", sa.Column("other_id", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for name in ("other_id", "characters", "textless", "pages"):
        op.drop_column("upload", name)
