"""Mending repairs each piece once, loses nothing, and lists the rest."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.errors import StoreError
from app.store.diagnosis.diagnosis import find_damage
from app.store.diagnosis.mending import mend
from tests.store.diagnosis import test_diagnosis
from tests.store.diagnosis.test_diagnosis import HELLO, SECRET, url
from tests.store.values import OWNER

filled, database = test_diagnosis.filled, test_diagnosis.database


def _execute(database: Path, *statements: str) -> list[Any]:
    """Execute these without triggers and foreign keys; the rows of the last one."""
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
    "draft": (
        f"INSERT INTO upload VALUES ('{OWNER}', 'a9', 'text', 'a.txt', 0, 0, 0, 0, '2026-01-01 00:00:00')",
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
def test_row_that_is_changed_is_kept_as_it_was_and_mended_once(database: Path, kind: str) -> None:
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
