"""Replies without words are indexed again: a reply of thinking alone, or of a call without a result, is not sent.

Revision 0032, after 0031.
"""

from __future__ import annotations

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _forget()


def downgrade() -> None:
    _forget()


def _forget() -> None:
    """Delete the rows of the index for such replies. The next read of a conversation creates them again."""
    has_words = (
        "json_valid(message.parts) AND EXISTS (SELECT 1 FROM json_each(message.parts) AS part "
        "WHERE json_extract(part.value, '$.type') = 'text' AND trim(json_extract(part.value, '$.text')) <> '')"
    )
    wordless = f"SELECT pair.id FROM pair JOIN message ON message.id = pair.reply_id WHERE NOT ({has_words})"  # noqa: S608
    op.execute(f"DELETE FROM pair_text WHERE pair_id IN ({wordless})")  # noqa: S608
