"""Repairs fix each damaged value once, lose nothing, and list the rest."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.errors import StoreError
from app.store.database.presence import claim
from app.store.diagnosis.diagnosis import find_damage
from app.store.diagnosis.mending import mend
from app.store.index.rows_search import PIECE
from tests.store.diagnosis import test_diagnosis
from tests.store.diagnosis.test_diagnosis import HELLO, SECRET, url
from tests.store.values import OWNER

filled, database = test_diagnosis.filled, test_diagnosis.database


def _execute(database: Path, *statements: str) -> list[Any]:
    """Execute these statements without triggers and foreign keys. Return the rows of the last one."""
    with sqlite3.connect(database) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        rows = [connection.execute(statement).fetchall() for statement in statements]
        for _, sql in triggers:
            connection.execute(sql)
    connection.close()
    return rows[-1]


def test_nothing_is_mended_in_a_database_that_is_whole(database: Path) -> None:
    before = database.read_bytes()

    done = mend(url(database), database.parent)

    assert (done.sentences, done.kept) == ([], None)
    assert database.read_bytes() == before


AT = "2026-01-01 00:00:00"
MENDED = {
    "setting": ("UPDATE conversation SET parameters = x'00ff'", "conversation", {"parameters": {"base64": "AP8="}}),
    "checkpoint": ("UPDATE conversation SET summary = x'00ff'", "conversation", {"summary": {"base64": "AP8="}}),
    "revision": ("UPDATE conversation SET revision = 'x'", "conversation", {"revision": "x"}),
    "preference": (
        f"INSERT INTO preference VALUES ('{OWNER}', 'titles', '{SECRET}', '2026-01-01 00:00:00')",
        "preference",
        {"value": SECRET},
    ),
    "preference of another type": (
        f"INSERT INTO preference VALUES ('{OWNER}', 'titles', '[7]', '2026-01-01 00:00:00')",
        "preference",
        {"value": "[7]"},
    ),
    "agent": (
        f"INSERT INTO agent VALUES ('a1', '{OWNER}', 'R', '', '', NULL, '', '{{}}', '[7]', NULL, '{AT}', '{AT}', NULL)",
        "agent",
        {"server_ids": "[7]"},
    ),
    "name of a topic": (
        f"INSERT INTO topic VALUES ('t1', '{OWNER}', x'00ff', NULL, 0, '{AT}', '{AT}')",
        "topic",
        {"name": {"base64": "AP8="}},
    ),
    "folder": (
        f"INSERT INTO folder VALUES ('f1', '{OWNER}', 'Work', '[7]', '{AT}', '{AT}', NULL)",
        "folder",
        {"metadata_json": "[7]"},
    ),
    "budget": (
        f"INSERT INTO budget VALUES ('{OWNER}', 'all', '', 'month', '{SECRET}', '0.8', 1, '{AT}')",
        "budget",
        {"amount": SECRET},
    ),
    "price": (
        f"INSERT INTO price VALUES ('{OWNER}', 'x:y', '2026-01-01', '{SECRET}', '1', NULL, NULL, NULL)",
        "price",
        {"input": SECRET},
    ),
    "provider": (
        f"INSERT INTO provider_setting VALUES ('{OWNER}', 'home', x'00ff', NULL, '{AT}')",
        "provider_setting",
        {"base_url": {"base64": "AP8="}},
    ),
    "permission": (
        f"INSERT INTO permission_rule VALUES ('r1', '{OWNER}', 's', 's', 't', 't', 'f', '[7]', '{AT}', NULL)",
        "permission_rule",
        {"arguments": "[7]"},
    ),
    "saved filter": (
        f"INSERT INTO saved_filter VALUES ('{OWNER}', x'00ff', 'r20', '{AT}')",
        "saved_filter",
        {"name": {"base64": "AP8="}},
    ),
    "words of a saved filter": (
        f"INSERT INTO saved_filter VALUES ('{OWNER}', 'mine', '((', '{AT}')",
        "saved_filter",
        {"name": "mine", "filter": "(("},
    ),
    "filter of the history": (
        f"INSERT INTO applied_filter VALUES ('{OWNER}', '((', '{AT}')",
        "applied_filter",
        {"filter": "(("},
    ),
    "filter of a conversation": ("UPDATE conversation SET filter = '(('", "conversation", {"filter": "(("}),
    "kept warm": (
        f"INSERT INTO keep_warm VALUES ('c1', '{OWNER}', '{{}}', '{AT}', '{AT}', NULL, NULL, NULL)",
        "keep_warm",
        {"look": "{}"},
    ),
    "draft": (
        f"INSERT INTO upload VALUES ('{OWNER}', 'u9', 'a9', 'text', 'a.txt', 0, 0, 0, 0, '2026-01-01 00:00:00', NULL)",
        "upload",
        {"name": "a.txt"},
    ),
    "orphan": ("UPDATE message SET pair_id = 'p9' WHERE id = 'c1-1-asked'", "message", {"pair_id": "p9"}),
    "topic": (
        (
            "INSERT INTO topic (id, owner, name, parent_id, place, created_at, used_at) "
            f"VALUES ('t1', '{OWNER}', 'T', 't9', 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00')"
        ),
        "topic",
        {"parent_id": "t9"},
    ),
}


@pytest.mark.parametrize("kind", MENDED)
def test_repaired_row_keeps_its_original_and_is_repaired_once(database: Path, kind: str) -> None:
    statement, table, expected = MENDED[kind]
    _execute(database, statement)

    done = mend(url(database), database.parent)

    assert len(done.sentences) == 1
    assert SECRET not in done.sentences[0]
    assert done.kept is not None
    assert done.kept.stat().st_mode & 0o777 == 0o600
    (kept,) = map(orjson.loads, done.kept.read_bytes().splitlines())
    assert kept["table"] == table
    assert {name: kept["row"][name] for name in expected} == expected
    again = mend(url(database), database.parent)
    assert (again.sentences, again.kept) == ([], None)


def test_accounting_entry_of_a_conversation_that_is_not_there_stays_and_is_listed(database: Path) -> None:
    _execute(database, f"INSERT INTO node VALUES ('n1', '{OWNER}', 'gone', 0, 'accounting', '{{}}', '{AT}')")

    done = mend(url(database), database.parent)

    assert (done.sentences, done.kept) == ([], None)
    assert _execute(database, "SELECT id FROM node") == [("n1",)]
    assert ("node", "conversation_id") in [(one.damage.table, one.damage.column) for one in find_damage(url(database))]


def test_text_file_that_was_sent_is_no_file_of_a_draft(database: Path) -> None:
    sent = f"INSERT INTO upload VALUES ('{OWNER}', 'u9', 'a9', 'text', 'a', 0, 0, 0, 0, '{AT}', 'c1')"
    _execute(database, sent)

    done = mend(url(database), database.parent)

    assert (done.sentences, done.kept) == ([], None)
    assert _execute(database, "SELECT id FROM upload") == [("u9",)]


def test_no_statement_of_mending_deletes_a_cost(database: Path) -> None:
    insert = (
        "INSERT INTO ledger (id, owner, conversation_id, account_id, pair_id, run_id, attempt, purpose, model, "
        "outcome, started_at, ended_at, input_tokens) "
        f"VALUES ('l1', '{OWNER}', 'gone', x'00ff', 'gone', 'gone', 1, 'reply', "
        f"x'00ff', 'succeeded', '{AT}', '{AT}', 7)"
    )
    _execute(database, insert)

    mend(url(database), database.parent)

    assert _execute(database, "SELECT id, input_tokens FROM ledger") == [("l1", 7)]


def test_sums_of_the_ledger_are_added_up_again(database: Path) -> None:
    insert = (
        "INSERT INTO ledger (id, owner, conversation_id, account_id, pair_id, run_id, attempt, purpose, model, "
        "outcome, started_at, ended_at, input_tokens) "
        f"VALUES ('l1', '{OWNER}', 'c1', 'c1', 'c1-1', 'r1', 1, 'reply', 'x:y', "
        f"'succeeded', '{AT}', '{AT}', 7)"
    )
    with sqlite3.connect(database) as connection:
        connection.execute(insert)  # its trigger adds it to the sums
        connection.execute("UPDATE usage_day SET input_tokens = 'many'")
        connection.execute("DELETE FROM usage_account")
    connection.close()

    done = mend(url(database), database.parent)

    assert len(done.sentences) == 2
    assert _execute(database, "SELECT input_tokens FROM usage_day") == [(7,)]
    assert _execute(database, "SELECT input_tokens FROM usage_account") == [(7,)]
    assert mend(url(database), database.parent).sentences == []


def test_nothing_is_mended_while_a_server_runs_on_the_database(database: Path) -> None:
    _execute(database, "UPDATE conversation SET parameters = x'00ff'")
    before = database.read_bytes()

    with claim(url(database)), pytest.raises(StoreError, match="Inview is running on the database") as refused:
        mend(url(database), database.parent)

    assert "Stop it" in str(refused.value)
    assert database.read_bytes() == before
    assert mend(url(database), database.parent).sentences != []


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM search_text",
        "UPDATE search_text SET words = 'other words' WHERE pair_id = 'c1-1'",
        "UPDATE search_text SET words = x'00ff' WHERE pair_id = 'c1-1'",
        "INSERT INTO search_index (search_index) VALUES ('delete-all')",
    ],
)
def test_search_is_built_again(database: Path, statement: str) -> None:
    found = "SELECT count(*) FROM search_index WHERE search_index MATCH 'look'"
    assert _execute(database, found) == [(1,)]
    _execute(database, statement)

    done = mend(url(database), database.parent)

    assert done.sentences != []
    assert done.kept is None
    assert _execute(database, found) == [(1,)]
    assert mend(url(database), database.parent).sentences == []


LONG = "lantern " * (PIECE // 6)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM search_text WHERE piece = 0",
        pytest.param("DELETE FROM search_text WHERE piece = 1", marks=pytest.mark.exhaustive),
        "UPDATE search_text SET words = 'other words' WHERE piece = 1",
        pytest.param("UPDATE search_text SET piece = 7 WHERE piece = 1", marks=pytest.mark.exhaustive),
        "UPDATE search_text SET piece = 'x' WHERE piece = 1",
        f'UPDATE message SET parts = \'[{{"type":"text","text":"lantern"}}]\' WHERE length(parts) > {PIECE}',
    ],
)
def test_search_of_a_long_pair_is_built_again(database: Path, statement: str) -> None:
    parts = orjson.dumps([{"type": "text", "text": LONG}]).decode()
    _execute(database, f"UPDATE message SET parts = '{parts}' WHERE id = 'c1-1-asked'")
    mend(url(database), database.parent)
    assert mend(url(database), database.parent).sentences == []
    rows = "SELECT docid FROM search_text WHERE pair_id = 'c1-1'"
    assert len(_execute(database, rows)) == 2
    _execute(database, statement)

    done = mend(url(database), database.parent)

    assert done.sentences != []
    assert done.kept is None
    count = 1 if statement.startswith("UPDATE message") else 2
    assert len(_execute(database, rows)) == count
    assert _execute(database, "SELECT count(*) FROM search_index WHERE search_index MATCH 'lantern'") == [(count,)]
    assert mend(url(database), database.parent).sentences == []


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM search_text WHERE pair_id IS NULL",
        "UPDATE search_text SET words = 'other words' WHERE pair_id IS NULL",
        "UPDATE search_text SET words = CAST(x'ff41' AS TEXT) WHERE pair_id IS NULL",
    ],
)
def test_titles_are_entered_into_the_search_again(database: Path, statement: str) -> None:
    found = "SELECT count(*) FROM search_index WHERE search_index MATCH 'plans'"
    assert _execute(database, found) == [(1,)]
    _execute(database, statement)

    done = mend(url(database), database.parent)

    assert done.sentences != []
    assert done.kept is None
    assert _execute(database, found) == [(1,)]
    assert list(find_damage(url(database))) == []
    assert mend(url(database), database.parent).sentences == []


def test_title_that_cannot_be_read_is_listed_once_after_mending(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE conversation SET title = CAST(x'fffe41' AS TEXT)")
    connection.close()

    mend(url(database), database.parent)

    assert [(one.damage.table, one.damage.column) for one in find_damage(url(database))] == [("conversation", "title")]
    assert mend(url(database), database.parent).sentences == []


def test_size_of_an_attachment_is_computed_again_only_of_the_bytes_that_were_stored(database: Path) -> None:
    _execute(database, "UPDATE attachment SET size = 'gone'")
    done = mend(url(database), database.parent)
    assert done.sentences == [f"The size of attachment {HELLO.id} was computed again."]
    assert list(find_damage(url(database))) == []

    _execute(database, "UPDATE attachment SET data = x'48'")
    assert mend(url(database), database.parent).sentences == []
    assert len(list(find_damage(url(database)))) == 1


def test_nothing_is_changed_where_the_rows_cannot_be_kept(database: Path) -> None:
    _execute(database, "UPDATE conversation SET parameters = x'00ff'")

    with pytest.raises(StoreError, match="Nothing was changed"):
        mend(url(database), database.parent / "missing")

    assert _execute(database, "SELECT parameters FROM conversation") == [(b"\x00\xff",)]


def test_missing_topic_of_pairs_is_listed_and_made_again(database: Path) -> None:
    _execute(database, "UPDATE pair SET topic = 'gone'")
    assert {(one.damage.table, one.damage.column) for one in find_damage(url(database))} == {("pair", "topic")}

    done = mend(url(database), database.parent)

    assert done.sentences == ["A topic of some pairs was missing. It was created again as “Missing topic 1”."]
    assert list(find_damage(url(database))) == []
    assert _execute(database, "SELECT id, name FROM topic") == [("gone", "Missing topic 1")]


def test_saved_filter_whose_text_can_be_read_keeps_it(database: Path) -> None:
    _execute(database, f"INSERT INTO saved_filter VALUES ('{OWNER}', x'00ff', 'r20', 'lately')")

    mend(url(database), database.parent)

    assert _execute(database, "SELECT name, filter FROM saved_filter") == [("filter-1", "r20")]
    assert list(find_damage(url(database))) == []
