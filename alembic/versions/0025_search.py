"""Search: the words of pairs and titles, a full-text index of them, and the triggers that keep both up to date.

All existing texts are indexed, in batches with a progress report if there are many. It is one transaction: if it is
interrupted, the database is unchanged, and the next start begins again.

Revision 0025, after 0024.
"""

from __future__ import annotations

import sys
import time

import sqlalchemy as sa

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

BATCH = 5_000
TELL_SECONDS = 5.0
RUNS = "lifecycle IN ('sending', 'awaiting')"
STANDS = "NEW.id IN (pair.request_id, pair.reply_id)"
REMOVED = "INSERT INTO search_index (search_index, rowid, words) VALUES ('delete', OLD.docid, OLD.words);"
ADDED = "INSERT INTO search_index (rowid, words) VALUES (NEW.docid, NEW.words);"
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


def _words_of(message_id: str) -> str:
    return (
        "coalesce((SELECT group_concat(json_extract(part.value, '$.text'), char(10)) "  # noqa: S608
        "FROM message, json_each(message.parts) AS part "
        f"WHERE message.id = {message_id} AND json_extract(part.value, '$.type') = 'text'), '')"
    )


REPLY = f"CASE WHEN pair.{RUNS} THEN '' ELSE {_words_of('pair.reply_id')} END"
OF_PAIR = f"SELECT pair.owner, pair.conversation_id, pair.id, {_words_of('pair.request_id')} || char(10) || {REPLY} "


def _enter_pair(where: str) -> str:
    return (
        "INSERT INTO search_text (owner, conversation_id, pair_id, words) "  # noqa: S608
        f"{OF_PAIR}FROM pair WHERE {where} AND pair.deleted_at IS NULL "
        "AND EXISTS (SELECT 1 FROM message WHERE message.id = pair.request_id) "
        "AND (pair.reply_id IS NULL OR EXISTS (SELECT 1 FROM message WHERE message.id = pair.reply_id)) "
        "ON CONFLICT (pair_id) DO UPDATE SET words = excluded.words;"
    )


TRIGGERS = (
    f"CREATE TRIGGER search_text_entered AFTER INSERT ON search_text BEGIN {ADDED} END",
    f"CREATE TRIGGER search_text_removed AFTER DELETE ON search_text BEGIN {REMOVED} END",
    (
        "CREATE TRIGGER search_text_changed AFTER UPDATE OF words ON search_text WHEN OLD.words <> NEW.words "
        f"BEGIN {REMOVED} {ADDED} END"
    ),
    (
        "CREATE TRIGGER message_is_searched AFTER INSERT ON message WHEN NEW.pair_id IS NOT NULL "
        f"BEGIN {_enter_pair(f'pair.id = NEW.pair_id AND {STANDS}')} END"
    ),
    (
        "CREATE TRIGGER changed_message_is_searched AFTER UPDATE OF parts ON message WHEN NEW.pair_id IS NOT NULL "
        f"BEGIN {_enter_pair(f'pair.id = NEW.pair_id AND {STANDS} AND NOT pair.{RUNS}')} END"
    ),
    (
        "CREATE TRIGGER changed_pair_is_searched AFTER UPDATE OF request_id, reply_id, lifecycle, deleted_at ON pair "
        "WHEN NEW.deleted_at IS NULL AND (OLD.deleted_at IS NOT NULL OR OLD.request_id <> NEW.request_id "
        f"OR OLD.reply_id IS NOT NEW.reply_id OR (OLD.{RUNS}) <> (NEW.{RUNS})) "
        f"BEGIN {_enter_pair('pair.id = NEW.id')} END"
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


def upgrade() -> None:
    op.create_table(
        "search_text",
        sa.Column("docid", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("conversation_id", sa.String(), nullable=False),
        sa.Column("pair_id", sa.String()),
        sa.Column("words", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("docid", name="pk_search_text"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_search_text_conversation_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name="fk_search_text_pair_id", ondelete="CASCADE"),
        sa.UniqueConstraint("pair_id", name="uq_search_text_pair_id"),
    )
    op.create_index("ix_search_text_conversation_id_pair_id", "search_text", ["conversation_id", "pair_id"])
    op.execute(
        "CREATE VIRTUAL TABLE search_index USING fts5(words, content='search_text', content_rowid='docid', "
        'tokenize="unicode61 remove_diacritics 2")'
    )
    _enter_all()
    for trigger in TRIGGERS:
        op.execute(trigger)


def downgrade() -> None:
    for name in NAMES:
        op.execute(f"DROP TRIGGER {name}")
    op.execute("DROP TABLE search_index")
    op.drop_table("search_text")


def _enter_all() -> None:
    """Insert all existing texts, the pairs in the order of their creation, so that the newest have the highest ids."""
    connection = op.get_bind()
    connection.execute(
        sa.text(
            "INSERT INTO search_text (owner, conversation_id, words) "
            "SELECT owner, id, title FROM conversation WHERE title <> ''"
        )
    )
    every = connection.execute(sa.text("SELECT count(*) FROM pair")).scalar_one()
    connection.execute(
        sa.text(
            "CREATE TEMP TABLE to_search AS SELECT rowid AS pair FROM pair WHERE deleted_at IS NULL "
            "ORDER BY created_at, position"
        )
    )
    told = time.monotonic()
    for first in range(0, every, BATCH):
        connection.execute(
            sa.text(
                f"INSERT INTO search_text (owner, conversation_id, pair_id, words) {OF_PAIR}"
                "FROM to_search CROSS JOIN pair ON pair.rowid = to_search.pair "
                "WHERE to_search.rowid > :first AND to_search.rowid <= :last ORDER BY to_search.rowid"
            ),
            {"first": first, "last": first + BATCH},
        )
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            print(f"Indexing for search: {first + BATCH:,} of {every:,} pairs …", file=sys.stderr, flush=True)  # noqa: T201
    connection.execute(sa.text("DROP TABLE to_search"))
    _index_all(connection, told)


def _index_all(connection: sa.Connection, told: float) -> None:
    last = connection.execute(sa.text("SELECT coalesce(max(docid), 0) FROM search_text")).scalar_one()
    for first in range(0, last, BATCH):
        connection.execute(
            sa.text(
                "INSERT INTO search_index (rowid, words) SELECT docid, words FROM search_text "
                "WHERE docid > :first AND docid <= :last"
            ),
            {"first": first, "last": first + BATCH},
        )
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            done = min(first + BATCH, last)
            print(f"Indexing for search: {done:,} of {last:,} texts in the index …", file=sys.stderr, flush=True)  # noqa: T201
