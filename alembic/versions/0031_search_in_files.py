"""Search: the texts of attached text files, and the names of attached files.

Pairs that have files are entered again, in one transaction with the triggers that do so from now on. A message that
holds no JSON has no words: otherwise the triggers would refuse every change of its pair.

Revision 0031, after 0030.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

RUNS = "lifecycle IN ('sending', 'awaiting')"
STANDS = "NEW.id IN (pair.request_id, pair.reply_id)"
NAME, TEXT = "json_extract(part.value, '$.name')", "json_extract(part.value, '$.text')"
TEXTS_ONLY = f"CASE json_extract(part.value, '$.type') WHEN 'text' THEN {TEXT} END"
WITH_FILES = (
    f"CASE json_extract(part.value, '$.type') WHEN 'text' THEN {TEXT} "
    f"WHEN 'text_file' THEN {NAME} || char(10) || {TEXT} WHEN 'file' THEN {NAME} END"
)
READABLE = f"CASE WHEN part.type = 'object' THEN {WITH_FILES} END"
PARTS = "CASE WHEN json_valid(message.parts) THEN message.parts ELSE '[]' END"
NAMES = ("message_is_searched", "changed_message_is_searched", "changed_pair_is_searched")


def upgrade() -> None:
    _enter_from_now_on(READABLE, PARTS)


def downgrade() -> None:
    _enter_from_now_on(TEXTS_ONLY, "message.parts")


def _enter_from_now_on(part_words: str, parts: str) -> None:
    for name in NAMES:
        op.execute(f"DROP TRIGGER {name}")
    for trigger in _triggers(part_words, parts):
        op.execute(trigger)
    # A type occurs as '"text_file"' or '"file"' in the JSON of a message; in a text its quotes are escaped.
    connection = op.get_bind()
    found = connection.execute(
        sa.text(
            "SELECT DISTINCT pair_id FROM message "
            "WHERE pair_id IS NOT NULL AND (instr(parts, '\"text_file\"') OR instr(parts, '\"file\"'))"
        )
    )
    for pair_id in found.scalars().all():
        connection.exec_driver_sql(_enter_pair("pair.id = ?", part_words, parts), (pair_id,))


def _words_of(message_id: str, part_words: str, parts: str) -> str:
    return (
        f"coalesce((SELECT group_concat({part_words}, char(10)) "  # noqa: S608
        f"FROM message, json_each({parts}) AS part WHERE message.id = {message_id}), '')"
    )


def _enter_pair(where: str, part_words: str, parts: str) -> str:
    reply = f"CASE WHEN pair.{RUNS} THEN '' ELSE {_words_of('pair.reply_id', part_words, parts)} END"
    request = _words_of("pair.request_id", part_words, parts)
    return (
        "INSERT INTO search_text (owner, conversation_id, pair_id, words) "  # noqa: S608
        f"SELECT pair.owner, pair.conversation_id, pair.id, {request} || char(10) || {reply} "
        f"FROM pair WHERE {where} AND pair.deleted_at IS NULL "
        "AND EXISTS (SELECT 1 FROM message WHERE message.id = pair.request_id) "
        "AND (pair.reply_id IS NULL OR EXISTS (SELECT 1 FROM message WHERE message.id = pair.reply_id)) "
        "ON CONFLICT (pair_id) DO UPDATE SET words = excluded.words;"
    )


def _triggers(part_words: str, parts: str) -> tuple[str, ...]:
    def entering(where: str) -> str:
        return f"BEGIN {_enter_pair(where, part_words, parts)} END"

    return (
        (
            "CREATE TRIGGER message_is_searched AFTER INSERT ON message WHEN NEW.pair_id IS NOT NULL "
            f"{entering(f'pair.id = NEW.pair_id AND {STANDS}')}"
        ),
        (
            "CREATE TRIGGER changed_message_is_searched AFTER UPDATE OF parts ON message WHEN NEW.pair_id IS NOT NULL "
            f"{entering(f'pair.id = NEW.pair_id AND {STANDS} AND NOT pair.{RUNS}')}"
        ),
        (
            "CREATE TRIGGER changed_pair_is_searched "
            "AFTER UPDATE OF request_id, reply_id, lifecycle, deleted_at ON pair "
            "WHEN NEW.deleted_at IS NULL AND (OLD.deleted_at IS NOT NULL OR OLD.request_id <> NEW.request_id "
            f"OR OLD.reply_id IS NOT NEW.reply_id OR (OLD.{RUNS}) <> (NEW.{RUNS})) {entering('pair.id = NEW.id')}"
        ),
    )
