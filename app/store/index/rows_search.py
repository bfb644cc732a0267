"""The searchable words of pairs and titles, and their full-text index.

Triggers update both in the transaction that changes a pair, a message or a title. Code that writes rows need not update
them, as with the ledger (docs/decisions/0029).

- A pair's words are the texts of its current request and reply, without thinking and tools. The words of a reply
  are added when the reply has ended. A deleted pair has no row.
- A pair with more than `PIECE` characters has several rows, each with a piece of the words. The rows are small, because
  the full-text index takes up to 30 times the size of a row in memory until it has read the last word of the row. The
  pieces overlap, and are divided at blanks.
- A title has a row without a pair.
- Imports and copies insert messages before their pairs, so no trigger enters their words: `pair_records.py` does.

Not here: queries (`search.py`).
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Text, UniqueConstraint, text
from sqlmodel import Field

from app.store.conversation.rows import IS_RUNNING_PAIR
from app.store.database.row import Row

PIECE: Final = 128 * 1024
"""Maximum number of characters of one row, not counting the overlap."""
MARGIN: Final = 200
"""Number of characters before the end of a full row (`PIECE`). The row ends at the last blank among them.

The next row repeats these characters, so that a phrase across two rows is found.
"""
IS_SECOND_PIECE: Final = "piece = 1"
"""The SQL condition for a pair with several rows: every such pair has one row that meets it."""


class SearchTextRow(Row, table=True):
    """The words of a pair or, without a `pair_id`, of a title.

    `piece` counts the rows of a pair from 0. The words are the last column, because SQLite is slow to read a column
    after a long text.
    """

    __table_args__ = (
        Index(None, "conversation_id", "pair_id"),
        UniqueConstraint("pair_id", "piece"),
        Index("ix_search_text_long_pairs", "piece", "pair_id", sqlite_where=text(IS_SECOND_PIECE)),
    )

    docid: int | None = Field(default=None, primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    pair_id: str | None = Field(foreign_key="pair.id", ondelete="CASCADE")
    piece: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    words: str = Field(sa_type=Text)


SEARCH_TEXT = Row.metadata.tables["search_text"]
INDEX_NAME: Final = "search_index"


# SQLite makes a copy of a long text at each place of a statement that names it, so these statements name it rarely.
_REPLY = f"CASE WHEN pair.{IS_RUNNING_PAIR} THEN NULL ELSE pair.reply_id END"
_WORDS = (
    "(SELECT group_concat(coalesce((SELECT group_concat(json_extract(part.value, '$.text'), char(10)) "  # noqa: S608
    "FROM message, json_each(CASE WHEN json_valid(message.parts) THEN message.parts ELSE '[]' END) AS part "
    "WHERE message.id = which.value AND json_extract(part.value, '$.type') = 'text'), ''), char(10)) "
    f"FROM json_each(json_array(pair.request_id, {_REPLY})) AS which)"
)
"""The SQL expression for the words of a pair: those of the request, a line feed, and those of the reply."""


def divide_words(words: str) -> list[str]:
    """Divide the words of a pair into the pieces that `enter_words` stores, one in each row."""
    size = len(words)
    if size <= PIECE:
        return [words]
    words = words.replace("\0", " ")
    return [
        words[
            _cut(words, start - MARGIN) if start else 0 : _cut(words, start + PIECE) if start + PIECE < size else size
        ]
        for start in range(0, size, PIECE)
    ]


def _cut(words: str, place: int) -> int:
    """Return the index after the last blank in the `MARGIN` characters before `place`.

    Without a blank among them, return the index of the first of these characters.
    """
    return place - MARGIN + words[place - MARGIN : place].replace("\n", " ").rfind(" ") + 1


_LAST = f"(max(length(said.words), 1) - 1) / {PIECE}"
# The SQL table of the pieces of a pair's words. Each row has the number of a piece, from 0, as `key`; its `value` is 1
# for the last piece and 0 for the others. It uses json_each, because a trigger cannot have a common table expression.
_NUMBERS = f"json_each('[' || replace(hex(zeroblob({_LAST})), '00', '0,') || '1]') AS number"
_AROUND = (
    "CASE WHEN number.key = 0 AND number.value = 1 THEN said.words "
    f"ELSE substr(said.words, max(number.key * {PIECE} - {2 * MARGIN}, 0) + 1, "
    f"{PIECE} + CASE number.key WHEN 0 THEN 0 ELSE {2 * MARGIN} END) END"
)
"""The SQL expression for a piece of `said.words` and the characters before it that may belong to the piece."""


def _count_to_blank(margin: str) -> str:
    """Return the SQL expression for the number of characters of a text up to its last blank."""
    margin = f"replace({margin}, char(10), ' ')"
    return f"length(rtrim({margin}, replace({margin}, ' ', '')))"


_BEGIN = f"CASE piece WHEN 0 THEN 0 ELSE {_count_to_blank(f'substr(words, 1, {MARGIN})')} END"
_END = (
    "CASE WHEN is_last THEN length(words) "
    f"ELSE length(words) - {MARGIN} + {_count_to_blank(f'substr(words, -{MARGIN})')} END"
)
_PIECE_OF_WORDS = (
    f"CASE WHEN piece = 0 AND is_last THEN words ELSE substr(words, ({_BEGIN}) + 1, ({_END}) - ({_BEGIN})) END"
)


def _is_complete(where: str) -> str:
    """Return the SQL condition for pairs that meet the condition `where`, are not deleted, and have their messages."""
    return (
        f"{where} AND pair.deleted_at IS NULL "  # noqa: S608
        "AND EXISTS (SELECT 1 FROM message WHERE message.id = pair.request_id) "
        "AND (pair.reply_id IS NULL OR EXISTS (SELECT 1 FROM message WHERE message.id = pair.reply_id))"
    )


def _select_pieces(where: str) -> str:
    """Return the SQL query for the rows that pairs should have. `LIMIT -1` makes SQLite run each inner query once."""
    said = (
        f"SELECT pair.owner, pair.conversation_id, pair.id AS pair_id, {_WORDS} AS words "  # noqa: S608
        f"FROM pair WHERE {_is_complete(where)} LIMIT -1"
    )
    around = (
        "SELECT said.owner, said.conversation_id, said.pair_id, number.key AS piece, number.value AS is_last, "  # noqa: S608
        f"{_AROUND} AS words FROM ({said}) AS said CROSS JOIN {_NUMBERS} LIMIT -1"
    )
    return f"SELECT owner, conversation_id, pair_id, piece, {_PIECE_OF_WORDS} AS words FROM ({around})"  # noqa: S608


def enter_words(where: str) -> str:
    """Return the SQL statement that stores the current words of the pairs that meet the SQL condition `where`.

    Each row that it stores has one piece of the words. Deleted pairs, and pairs whose messages do not exist, are left
    out. The statement deletes nothing: if a pair had more pieces before, `LEFT_OVER` deletes the others.
    """
    return (
        f"INSERT INTO search_text (owner, conversation_id, pair_id, piece, words) {_select_pieces(where)} WHERE true "
        "ON CONFLICT (pair_id, piece) DO UPDATE SET words = excluded.words;"
    )


def _replace_words(where: str) -> str:
    """Return the SQL statements that store the current words of pairs instead of the earlier ones."""
    return (
        "DELETE FROM search_text WHERE piece > 0 "  # noqa: S608
        f"AND pair_id IN (SELECT pair.id FROM pair WHERE {_is_complete(where)}); {enter_words(where)}"
    )


_IS_LONG = f"pair.id IN (SELECT pair_id FROM search_text WHERE {IS_SECOND_PIECE})"  # noqa: S608
LEFT_OVER: Final = (
    "DELETE FROM search_text WHERE piece <> 0 "  # noqa: S608
    f"AND (pair_id, piece) NOT IN (SELECT pair_id, piece FROM ({_select_pieces(_IS_LONG)}))"
)
"""The SQL statement that deletes pieces beyond the current words of their pairs."""


_STANDS = "NEW.id IN (pair.request_id, pair.reply_id)"
_REMOVED = f"INSERT INTO {INDEX_NAME} ({INDEX_NAME}, rowid, words) VALUES ('delete', OLD.docid, OLD.words);"  # noqa: S608
_ADDED = f"INSERT INTO {INDEX_NAME} (rowid, words) VALUES (NEW.docid, NEW.words);"  # noqa: S608
_OLD_RUNS, _NEW_RUNS = (f"{row}.{IS_RUNNING_PAIR}" for row in ("OLD", "NEW"))

INDEX: Final = (
    f"CREATE VIRTUAL TABLE {INDEX_NAME} USING fts5(words, content='search_text', content_rowid='docid', "
    'tokenize="unicode61 remove_diacritics 2")'
)
TRIGGERS: Final = (
    f"CREATE TRIGGER search_text_entered AFTER INSERT ON search_text BEGIN {_ADDED} END",
    f"CREATE TRIGGER search_text_removed AFTER DELETE ON search_text BEGIN {_REMOVED} END",
    (
        "CREATE TRIGGER search_text_changed AFTER UPDATE OF words ON search_text WHEN OLD.words <> NEW.words "
        f"BEGIN {_REMOVED} {_ADDED} END"
    ),
    (
        "CREATE TRIGGER message_is_searched AFTER INSERT ON message WHEN NEW.pair_id IS NOT NULL "
        f"BEGIN {_replace_words(f'pair.id = NEW.pair_id AND {_STANDS}')} END"
    ),
    (
        "CREATE TRIGGER changed_message_is_searched AFTER UPDATE OF parts ON message WHEN NEW.pair_id IS NOT NULL "
        f"BEGIN {_replace_words(f'pair.id = NEW.pair_id AND {_STANDS} AND NOT pair.{IS_RUNNING_PAIR}')} END"
    ),
    (
        "CREATE TRIGGER changed_pair_is_searched AFTER UPDATE OF request_id, reply_id, lifecycle, deleted_at ON pair "
        "WHEN NEW.deleted_at IS NULL AND (OLD.deleted_at IS NOT NULL OR OLD.request_id <> NEW.request_id "
        f"OR OLD.reply_id IS NOT NEW.reply_id OR ({_OLD_RUNS}) <> ({_NEW_RUNS})) "
        f"BEGIN {_replace_words('pair.id = NEW.id')} END"
    ),
    (
        "CREATE TRIGGER deleted_pair_is_not_searched AFTER UPDATE OF deleted_at ON pair "
        "WHEN NEW.deleted_at IS NOT NULL "
        "BEGIN DELETE FROM search_text WHERE pair_id = NEW.id; END"
    ),
    (
        "CREATE TRIGGER title_is_searched AFTER INSERT ON conversation WHEN NEW.title <> '' "
        "BEGIN INSERT INTO search_text (owner, conversation_id, words) VALUES (NEW.owner, NEW.id, NEW.title); END"
    ),
    (
        "CREATE TRIGGER changed_title_is_searched AFTER UPDATE OF title ON conversation WHEN OLD.title <> NEW.title "
        "BEGIN DELETE FROM search_text WHERE conversation_id = NEW.id AND pair_id IS NULL; "
        "INSERT INTO search_text (owner, conversation_id, words) SELECT NEW.owner, NEW.id, NEW.title "
        "WHERE NEW.title <> ''; END"
    ),
)
