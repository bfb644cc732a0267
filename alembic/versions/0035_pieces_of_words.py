"""Search: the words of a long pair are in several rows, so that indexing them takes little memory.

The table is copied, because SQLite cannot remove its constraint that a pair has one row. The ids of the rows, and so
the full-text index, remain. If there are many rows, a message tells the progress. It is one transaction: if it is
interrupted, the database is unchanged, and the next start begins again.

Revision 0035, after 0034.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import sqlalchemy as sa

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

BATCH = 5_000
TELL_SECONDS = 5.0
PIECE = 131_072
MARGIN = 200
RUNS = "lifecycle IN ('sending', 'awaiting')"
STANDS = "NEW.id IN (pair.request_id, pair.reply_id)"
NAMES = (
    "search_text_entered",
    "search_text_removed",
    "search_text_changed",
    "message_is_searched",
    "changed_message_is_searched",
    "changed_pair_is_searched",
    "deleted_pair_is_not_searched",
    "title_is_searched",
    "changed_title_is_searched",
)
ENTERING = {
    "message_is_searched": f"pair.id = NEW.pair_id AND {STANDS}",
    "changed_message_is_searched": f"pair.id = NEW.pair_id AND {STANDS} AND NOT pair.{RUNS}",
    "changed_pair_is_searched": "pair.id = NEW.id",
}
"""The triggers that enter the words of pairs, and the condition for these pairs."""


def upgrade() -> None:
    _rebuild(
        (sa.Column("piece", sa.Integer(), nullable=False, server_default="0"),),
        sa.UniqueConstraint("pair_id", "piece", name="uq_search_text_pair_id_piece"),
        _replace_words,
    )
    op.create_index("ix_search_text_long_pairs", "search_text", ["piece", "pair_id"], sqlite_where=sa.text("piece = 1"))
    connection = op.get_bind()
    long_pairs = sa.text("SELECT pair_id FROM search_text WHERE pair_id IS NOT NULL AND length(words) > :piece")
    for pair_id in connection.execute(long_pairs, {"piece": PIECE}).scalars().all():
        connection.exec_driver_sql(_enter_pieces("pair.id = ?"), (pair_id,))


def downgrade() -> None:
    connection = op.get_bind()
    long_pairs = connection.exec_driver_sql("SELECT pair_id FROM search_text WHERE piece = 1").scalars().all()
    for pair_id in long_pairs:
        connection.exec_driver_sql("DELETE FROM search_text WHERE pair_id = ?", (pair_id,))
    op.drop_index("ix_search_text_long_pairs", "search_text")
    _rebuild((), sa.UniqueConstraint("pair_id", name="uq_search_text_pair_id"), _enter_whole)
    for pair_id in long_pairs:
        connection.exec_driver_sql(_enter_whole("pair.id = ?"), (pair_id,))


def _rebuild(added: tuple[sa.Column[int], ...], unique: sa.UniqueConstraint, enter: Callable[[str], str]) -> None:
    """Copy the table, with these columns in addition to the others, and let the triggers enter words by `enter`."""
    connection = op.get_bind()
    of_trigger = sa.text("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = :name")
    triggers: dict[str, str] = {name: connection.execute(of_trigger, {"name": name}).scalar_one() for name in NAMES}
    for name in triggers:
        op.execute(f"DROP TRIGGER {name}")
    op.drop_index("ix_search_text_conversation_id_pair_id", "search_text")
    op.rename_table("search_text", "search_text_before")
    op.create_table(
        "search_text",
        sa.Column("docid", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("pair_id", sa.String()),
        *added,
        sa.Column("words", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("docid", name="pk_search_text"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_search_text_conversation_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_search_text_pair_id", ondelete="CASCADE"),
        unique,
    )
    op.create_index("ix_search_text_conversation_id_pair_id", "search_text", ["conversation_id", "pair_id"])
    _copy(connection)
    op.drop_table("search_text_before")
    for name, written in triggers.items():
        head = written.partition("BEGIN ")[0]
        body = f"{head}BEGIN {enter(ENTERING[name])} END" if name in ENTERING else written
        connection.exec_driver_sql(body)


def _copy(connection: sa.Connection) -> None:
    last = connection.exec_driver_sql("SELECT coalesce(max(docid), 0) FROM search_text_before").scalar_one()
    told = time.monotonic()
    columns = "docid, owner, conversation_id, pair_id, words"
    for first in range(0, last, BATCH):
        connection.exec_driver_sql(
            f"INSERT INTO search_text ({columns}) SELECT {columns} FROM search_text_before "  # noqa: S608
            "WHERE docid > ? AND docid <= ?",
            (first, first + BATCH),
        )
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            done = min(first + BATCH, last)
            print(f"Copying texts of the search: {done:,} of {last:,} …", file=sys.stderr, flush=True)  # noqa: T201


def _words_of(message_id: str) -> str:
    return (
        "coalesce((SELECT group_concat(json_extract(part.value, '$.text'), char(10)) "  # noqa: S608
        "FROM message, json_each(CASE WHEN json_valid(message.parts) THEN message.parts ELSE '[]' END) AS part "
        f"WHERE message.id = {message_id} AND json_extract(part.value, '$.type') = 'text'), '')"
    )


REPLY = f"CASE WHEN pair.{RUNS} THEN '' ELSE {_words_of('pair.reply_id')} END"


def _is_complete(where: str) -> str:
    return (
        f"{where} AND pair.deleted_at IS NULL "  # noqa: S608
        "AND EXISTS (SELECT 1 FROM message WHERE message.id = pair.request_id) "
        "AND (pair.reply_id IS NULL OR EXISTS (SELECT 1 FROM message WHERE message.id = pair.reply_id))"
    )


def _enter_whole(where: str) -> str:
    return (
        "INSERT INTO search_text (owner, conversation_id, pair_id, words) "  # noqa: S608
        f"SELECT pair.owner, pair.conversation_id, pair.id, {_words_of('pair.request_id')} || char(10) || {REPLY} "
        f"FROM pair WHERE {_is_complete(where)} "
        "ON CONFLICT (pair_id) DO UPDATE SET words = excluded.words;"
    )


TO_REPLY = f"CASE WHEN pair.{RUNS} THEN NULL ELSE pair.reply_id END"
WORDS = (
    "(SELECT group_concat(coalesce((SELECT group_concat(json_extract(part.value, '$.text'), char(10)) "  # noqa: S608
    "FROM message, json_each(CASE WHEN json_valid(message.parts) THEN message.parts ELSE '[]' END) AS part "
    "WHERE message.id = which.value AND json_extract(part.value, '$.type') = 'text'), ''), char(10)) "
    f"FROM json_each(json_array(pair.request_id, {TO_REPLY})) AS which)"
)
LAST = f"(max(length(said.words), 1) - 1) / {PIECE}"
NUMBERS = f"json_each('[' || replace(hex(zeroblob({LAST})), '00', '0,') || '1]') AS number"
AROUND = (
    "CASE WHEN number.key = 0 AND number.value = 1 THEN said.words "
    f"ELSE substr(said.words, max(number.key * {PIECE} - {2 * MARGIN}, 0) + 1, "
    f"{PIECE} + CASE number.key WHEN 0 THEN 0 ELSE {2 * MARGIN} END) END"
)


def _count_to_blank(margin: str) -> str:
    margin = f"replace({margin}, char(10), ' ')"
    return f"length(rtrim({margin}, replace({margin}, ' ', '')))"


BEGIN = f"CASE piece WHEN 0 THEN 0 ELSE {_count_to_blank(f'substr(words, 1, {MARGIN})')} END"
END = (
    "CASE WHEN is_last THEN length(words) "
    f"ELSE length(words) - {MARGIN} + {_count_to_blank(f'substr(words, -{MARGIN})')} END"
)
PIECE_OF_WORDS = (
    f"CASE WHEN piece = 0 AND is_last THEN words ELSE substr(words, ({BEGIN}) + 1, ({END}) - ({BEGIN})) END"
)


def _enter_pieces(where: str) -> str:
    said = (
        f"SELECT pair.owner, pair.conversation_id, pair.id AS pair_id, {WORDS} AS words "  # noqa: S608
        f"FROM pair WHERE {_is_complete(where)} LIMIT -1"
    )
    around = (
        "SELECT said.owner, said.conversation_id, said.pair_id, number.key AS piece, number.value AS is_last, "  # noqa: S608
        f"{AROUND} AS words FROM ({said}) AS said CROSS JOIN {NUMBERS} LIMIT -1"
    )
    return (
        "INSERT INTO search_text (owner, conversation_id, pair_id, piece, words) "  # noqa: S608
        f"SELECT owner, conversation_id, pair_id, piece, {PIECE_OF_WORDS} AS words FROM ({around}) WHERE true "
        "ON CONFLICT (pair_id, piece) DO UPDATE SET words = excluded.words;"
    )


def _replace_words(where: str) -> str:
    return (
        "DELETE FROM search_text WHERE piece > 0 "  # noqa: S608
        f"AND pair_id IN (SELECT pair.id FROM pair WHERE {_is_complete(where)}); {_enter_pieces(where)}"
    )
