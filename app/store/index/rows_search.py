"""The searchable words of pairs and titles, and their full-text index.

Triggers update both in the transaction that changes a pair, a message or a title. So code that writes rows cannot
forget the update, as with the ledger (docs/decisions/0029).

- A pair's words are the texts of its current request and reply, without thinking and tools. The words of a reply
  are added when the reply has ended. A deleted pair has no row.
- A title has a row without a pair.
- Imports and copies insert messages before their pairs, so no trigger enters their words: `pair_records.py` does.

Not here: queries (`search.py`).
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Index, Text
from sqlmodel import Field

from app.store.conversation.rows import IS_RUNNING_PAIR
from app.store.database.row import Row


class SearchTextRow(Row, table=True):
    """The words of a pair or, without a `pair_id`, of a title.

    The words are the last column, because SQLite is slow to read a column after a long text.
    """

    __table_args__ = (Index(None, "conversation_id", "pair_id"),)

    docid: int | None = Field(default=None, primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    pair_id: str | None = Field(foreign_key="pair.id", ondelete="CASCADE", unique=True)
    words: str = Field(sa_type=Text)


SEARCH_TEXT = Row.metadata.tables["search_text"]
INDEX_NAME: Final = "search_index"


def _words_of(message_id: str) -> str:
    return (
        "coalesce((SELECT group_concat(json_extract(part.value, '$.text'), char(10)) "  # noqa: S608
        "FROM message, json_each(CASE WHEN json_valid(message.parts) THEN message.parts ELSE '[]' END) AS part "
        f"WHERE message.id = {message_id} AND json_extract(part.value, '$.type') = 'text'), '')"
    )


def enter_words(where: str) -> str:
    """Return the SQL statement that stores the current words of the pairs that meet the SQL condition `where`.

    Deleted pairs, and pairs whose messages do not exist, are left out.
    """
    reply = f"CASE WHEN pair.{IS_RUNNING_PAIR} THEN '' ELSE {_words_of('pair.reply_id')} END"
    return (
        "INSERT INTO search_text (owner, conversation_id, pair_id, words) "  # noqa: S608
        f"SELECT pair.owner, pair.conversation_id, pair.id, {_words_of('pair.request_id')} || char(10) || {reply} "
        f"FROM pair WHERE {where} AND pair.deleted_at IS NULL "
        "AND EXISTS (SELECT 1 FROM message WHERE message.id = pair.request_id) "
        "AND (pair.reply_id IS NULL OR EXISTS (SELECT 1 FROM message WHERE message.id = pair.reply_id)) "
        "ON CONFLICT (pair_id) DO UPDATE SET words = excluded.words;"
    )


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
        f"BEGIN {enter_words(f'pair.id = NEW.pair_id AND {_STANDS}')} END"
    ),
    (
        "CREATE TRIGGER changed_message_is_searched AFTER UPDATE OF parts ON message WHEN NEW.pair_id IS NOT NULL "
        f"BEGIN {enter_words(f'pair.id = NEW.pair_id AND {_STANDS} AND NOT pair.{IS_RUNNING_PAIR}')} END"
    ),
    (
        "CREATE TRIGGER changed_pair_is_searched AFTER UPDATE OF request_id, reply_id, lifecycle, deleted_at ON pair "
        "WHEN NEW.deleted_at IS NULL AND (OLD.deleted_at IS NOT NULL OR OLD.request_id <> NEW.request_id "
        f"OR OLD.reply_id IS NOT NEW.reply_id OR ({_OLD_RUNS}) <> ({_NEW_RUNS})) "
        f"BEGIN {enter_words('pair.id = NEW.id')} END"
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
