"""Which pieces of recorded calls were deleted for good with the words in them; the others are not deleted.

Revision 0062, after 0061. What is missing by now was forgotten: up to here nothing else was known to delete pieces.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None

HASH = 32
TRIGGER = """CREATE TRIGGER sent_piece_is_not_deleted BEFORE DELETE ON sent_piece
WHEN EXISTS (SELECT 1 FROM conversation WHERE id = OLD.conversation_id)
AND NOT EXISTS (SELECT 1 FROM forgotten_piece WHERE conversation_id = OLD.conversation_id AND sha256 = OLD.sha256)
AND EXISTS (SELECT 1 FROM sent_call WHERE conversation_id = OLD.conversation_id AND instr(pieces, OLD.sha256) > 0)
BEGIN SELECT RAISE(ABORT, 'a piece that a recorded call has is never deleted, but with its words for good'); END"""


def upgrade() -> None:
    op.create_table(
        "forgotten_piece",
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversation.id"],
            ondelete="CASCADE",
            name="fk_forgotten_piece_conversation_id_conversation",
        ),
        sa.PrimaryKeyConstraint("conversation_id", "sha256", name="pk_forgotten_piece"),
    )
    _note_missing()
    op.execute(TRIGGER)


def downgrade() -> None:
    op.execute("DROP TRIGGER sent_piece_is_not_deleted")
    op.drop_table("forgotten_piece")


def _note_missing() -> None:
    connection = op.get_bind()
    of_stored = "SELECT DISTINCT conversation_id FROM sent_call WHERE conversation_id IN (SELECT id FROM conversation)"
    for (conversation_id,) in connection.execute(sa.text(of_stored)).all():
        of_it = {"id": conversation_id}
        stored = sa.text("SELECT sha256 FROM sent_piece WHERE conversation_id = :id")
        kept = {bytes(row[0]) for row in connection.execute(stored, of_it)}
        named = set[bytes]()
        for (pieces,) in connection.execute(sa.text("SELECT pieces FROM sent_call WHERE conversation_id = :id"), of_it):
            named.update(pieces[place : place + HASH] for place in range(0, len(pieces), HASH))
        rows = [of_it | {"sha256": digest} for digest in sorted(named - kept)]
        if rows:
            connection.execute(sa.text("INSERT INTO forgotten_piece VALUES (:id, :sha256)"), rows)
