"""A mark for pairs with unreadable parts; the search treats a message without JSON as one without words.

Revision 0031, after 0030.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

TRIGGERS = ("message_is_searched", "changed_message_is_searched", "changed_pair_is_searched")
STRICT = "json_each(message.parts)"
LENIENT = "json_each(CASE WHEN json_valid(message.parts) THEN message.parts ELSE '[]' END)"


def upgrade() -> None:
    op.add_column("pair_text", sa.Column("damaged", sa.Boolean(), nullable=False, server_default="0"))
    _rewrite(STRICT, LENIENT)


def downgrade() -> None:
    _rewrite(LENIENT, STRICT)
    op.drop_column("pair_text", "damaged")


def _rewrite(before: str, after: str) -> None:
    """Replace the expression in the triggers that reads a message's parts."""
    triggers = sa.text("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = :name")
    for name in TRIGGERS:
        written: str = op.get_bind().execute(triggers, {"name": name}).scalar_one()
        op.execute(f"DROP TRIGGER {name}")
        op.get_bind().exec_driver_sql(written.replace(before, after))
