from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from alembic import command
from app.domain.errors import StoreError
from app.store.database.migrations import HEAD, REVISIONS, ROOT, check, upgrade
from app.store.index.rows_search import INDEX, PIECE, TRIGGERS, divide_words
from app.store.tables import Row


def is_no_part_of_the_index(name: str | None, kind: str, _parents: object) -> bool:
    """SQLite creates additional tables for the full-text index."""
    return kind != "table" or not str(name).startswith("search_index")


def url_of(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


def test_the_migrations_make_exactly_the_tables_of_the_rows(database: Path) -> None:
    engine = create_engine(f"sqlite:///{database}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_no_part_of_the_index})
        difference = compare_metadata(context, Row.metadata)
    engine.dispose()

    assert difference == []


def test_every_row_names_its_owner_or_is_a_part_of_one_that_does() -> None:
    tables = Row.metadata.tables.values()
    owned = {table.name for table in tables if "owner" in table.c and not table.c.owner.nullable}

    parts = {
        table.name
        for table in tables
        for key in table.foreign_keys
        if key.parent.primary_key and key.ondelete == "CASCADE" and key.column.table.name in owned
    }
    assert {table.name for table in tables} == owned | parts
    assert parts - owned == {"pair_size", "pair_text", "tool_call"}


def test_every_migration_is_listed_in_order() -> None:
    script = ScriptDirectory(str(ROOT / "alembic"))

    revisions = [revision.revision for revision in script.walk_revisions()]

    assert tuple(reversed(revisions)) == REVISIONS


def test_a_new_database_is_created_and_then_fits(tmp_path: Path) -> None:
    url = url_of(tmp_path / "new.db")

    upgrade(url)
    upgrade(url)

    check(url)


def test_two_processes_that_start_at_once_migrate_once(tmp_path: Path) -> None:
    url = url_of(tmp_path / "new.db")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(upgrade, [url] * 4))

    check(url)


def test_a_new_file_is_opened_by_one_process_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, lock = threading.Event(), fcntl.flock

    def note(descriptor: int, operation: int) -> None:
        asked.set()
        lock(descriptor, operation)

    other = os.open(tmp_path, os.O_RDONLY)
    lock(other, fcntl.LOCK_EX)
    monkeypatch.setattr(fcntl, "flock", note)
    with ThreadPoolExecutor(1) as pool:
        upgraded = pool.submit(upgrade, url_of(path := tmp_path / "new.db"))
        assert asked.wait(20)
        assert not path.exists()
        os.close(other)
        upgraded.result()

    check(url_of(path))


def test_a_database_newer_than_the_code_is_refused_in_one_sentence_and_left_alone(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = database.read_bytes()

    for ask in (upgrade, check):
        with pytest.raises(StoreError, match=r"was made by a newer Inview \(revision 9999; .*\)\. Start that version"):
            ask(url_of(database))

    assert database.read_bytes() == before


def test_a_database_without_tables_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=f"is at revision None, not {HEAD}. Run `inview migrate`"):
        check(url_of(tmp_path / "empty.db"))


@pytest.mark.parametrize("ask", [upgrade, check])
def test_a_file_that_is_no_database_is_named(tmp_path: Path, ask: object) -> None:
    path = tmp_path / "letter.db"
    path.write_text("Dear reader, " * 100)
    assert callable(ask)

    with pytest.raises(StoreError, match=r"letter\.db cannot be opened: file is not a database"):
        ask(url_of(path))

    assert path.read_text().startswith("Dear reader")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Check that its folder exists and is writable"):
        upgrade(url_of(tmp_path / "nowhere" / "inview.db"))


def test_the_newest_step_can_be_undone(database: Path) -> None:
    migrate_to(database, "-1", command.downgrade)

    upgrade(url_of(database))

    check(url_of(database))


def test_prompts_of_servers_that_were_known_before_are_known_after(database: Path) -> None:
    engine = create_engine(f"sqlite:///{database}")
    config = Config(str(ROOT / "alembic.ini"))
    config.set_main_option("script_location", str(ROOT / "alembic"))
    known = {"title": "Lab", "prompts": [{"name": "weather", "description": "Of a day", "arguments": ["city"]}]}
    rows = [("a", json.dumps(known)), ("b", None)]
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0021")
        for server_id, told in rows:
            connection.exec_driver_sql(
                "INSERT INTO mcp_server (id, owner, name, way, enabled, timeout, secret_names, known, created_at, "
                "updated_at) VALUES (?, 'local', ?, '{}', 1, 60, '[]', ?, '2026-01-01', '2026-01-01')",
                (server_id, server_id, told),
            )

    upgrade(url_of(database))

    with engine.begin() as connection:
        stored = connection.exec_driver_sql("SELECT known FROM mcp_server ORDER BY id").scalars().all()
    engine.dispose()
    argument = {"name": "city", "description": "", "required": False}
    prompt = {"name": "weather", "title": "weather", "description": "Of a day", "arguments": [argument]}
    assert [one and json.loads(one) for one in stored] == [{"title": "Lab", "prompts": [prompt]}, None]


def test_replies_without_words_are_looked_at_again(tmp_path: Path) -> None:
    database = tmp_path / "old.db"
    migrate_to(database, "0031")
    replies = {1: '[{"type": "text", "text": "words"}]', 2: '[{"type": "thinking", "text": "Hm."}]', 3: "[{"}
    with sqlite3.connect(database) as connection:
        enter_some(connection, 3)
        for position, parts in replies.items():
            connection.execute(
                "INSERT INTO message (id, owner, conversation_id, pair_id, role, parts, created_at) "
                "VALUES (?, 'ann', 'c1', ?, 'assistant', ?, '2026-01-01')",
                (f"r{position}", f"p{position}", parts),
            )
        connection.execute("UPDATE pair SET reply_id = 'r' || position")
        connection.execute(
            "INSERT INTO pair_text (pair_id, conversation_id, request_id, reply_id, attachment, blank, damaged, tools, "
            "searched_text) SELECT id, 'c1', request_id, reply_id, 0, 0, 0, '[]', 'words' FROM pair"
        )
    connection.close()

    upgrade(url_of(database))

    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT pair_id FROM pair_text").fetchall() == [("p1",)]
    connection.close()


def test_search_finds_what_was_there_before_it(tmp_path: Path) -> None:
    database = tmp_path / "old.db"
    migrate_to(database, "0024")
    with sqlite3.connect(database) as connection:
        enter_some(connection, 25)
        connection.execute("UPDATE conversation SET title = 'The Lighthouse'")
        connection.execute("UPDATE pair SET deleted_at = created_at WHERE position = 14")
    connection.close()

    upgrade(url_of(database))

    with sqlite3.connect(database) as connection:
        find = "SELECT count(*) FROM search_text WHERE docid IN (SELECT rowid FROM search_index WHERE words MATCH ?)"
        found = [connection.execute(find, (words,)).fetchone()[0] for words in ("garden", "lighthouse", "question")]
        connection.execute("INSERT INTO search_index (search_index) VALUES ('integrity-check')")
    connection.close()
    assert found == [2, 1, 24]


def test_words_of_long_pairs_are_divided_and_put_together_again(tmp_path: Path) -> None:
    database = tmp_path / "old.db"
    migrate_to(database, "0034")
    long = f"Lantern {'of a garden ' * (PIECE // 10)} lighthouse"
    with sqlite3.connect(database) as connection:
        enter_some(connection, 8)
        connection.execute("UPDATE conversation SET title = 'Plans'")
        parts = json.dumps([{"type": "text", "text": long}])
        connection.execute("UPDATE message SET parts = ? WHERE id = 'q3'", (parts,))
        before = connection.execute("SELECT docid, pair_id, words FROM search_text ORDER BY docid").fetchall()
    connection.close()
    assert before[2][1:] == ("p3", f"{long}\n")

    upgrade(url_of(database))

    find = "SELECT count(*) FROM search_text WHERE docid IN (SELECT rowid FROM search_index WHERE words MATCH ?)"
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT docid, pair_id, words FROM search_text ORDER BY docid").fetchall()
        found = [
            connection.execute(find, (words,)).fetchone()[0] for words in ("lantern", "lighthouse", "garden", "plans")
        ]
        connection.execute("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")
    connection.close()
    assert [row for row in rows if row[1] != "p3"] == [row for row in before if row[1] != "p3"]
    assert [words for _, pair_id, words in rows if pair_id == "p3"] == divide_words(f"{long}\n")
    assert found == [1, 1, 3, 1]

    migrate_to(database, "0034", command.downgrade)
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT pair_id, words FROM search_text").fetchall()
        connection.execute("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")
    connection.close()
    assert sorted(rows, key=str) == sorted((row[1:] for row in before), key=str)


def test_search_in_memory_is_kept_as_on_the_disk(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name LIKE '%search%' AND (type = 'trigger' OR name = 'search_index')"
        )
        on_disk = {sql for (sql,) in rows}
    connection.close()

    assert on_disk == {INDEX, *TRIGGERS}


@pytest.mark.parametrize(
    ("purpose", "ends", "status"),
    [
        ("comparison", ("succeeded",), "completed"),
        ("comparison", ("canceled",), "failed"),
        ("comparison", ("error", "running"), "active"),
        ("title", ("succeeded",), "active"),
    ],
)
def test_conversations_of_compared_replies_get_the_status_of_their_end(
    tmp_path: Path, purpose: str, ends: tuple[str, ...], status: str
) -> None:
    database = tmp_path / "old.db"
    migrate_to(database, "0036")
    at = "2026-01-01 00:00:00.000000"
    with sqlite3.connect(database) as connection:
        enter_some(connection, len(ends))
        connection.execute("UPDATE conversation SET kind = 'tool'")
        for position, end in enumerate(ends, 1):
            connection.execute(
                "INSERT INTO run (id, owner, conversation_id, pair_id, reply_id, model, request_hash, process_id, "
                "status, attempt, attempt_started_at, retries, started_at, heartbeat_at, purpose) "
                "VALUES (?, 'ann', 'c1', ?, '', 'offline:demo', '', '', ?, 1, ?, '[]', ?, ?, ?)",
                (f"r{position}", f"p{position}", end, at, at, at, purpose),
            )
    connection.close()

    upgrade(url_of(database))

    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT status, metadata_json FROM conversation").fetchall() == [(status, "")]
    connection.close()
    migrate_to(database, "0037", command.downgrade)
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT status FROM conversation").fetchall() == [(status,)]
        counts = connection.execute("SELECT (SELECT count(*) FROM message), (SELECT count(*) FROM run)").fetchone()
    connection.close()
    assert counts == (len(ends), len(ends))


def migrate_to(database: Path, revision: str, step: Callable[[Config, str], None] = command.upgrade) -> None:
    engine = create_engine(f"sqlite:///{database}")
    config = Config(str(ROOT / "alembic.ini"))
    config.set_main_option("script_location", str(ROOT / "alembic"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        step(config, revision)
    engine.dispose()


def enter_some(connection: sqlite3.Connection, count: int) -> None:
    """Insert a conversation with `count` pairs; every seventh contains "garden"."""
    at = "2026-01-01 00:00:00.000000"
    connection.execute(
        "INSERT INTO conversation (id, owner, created_at, updated_at, title, kind, status, system_prompt, filter, "
        "tool_mode, temporary, revision) VALUES ('c1', 'ann', ?, ?, '', 'agent', 'active', '', '', 'cached', 0, 1)",
        (at, at),
    )
    for position in range(1, count + 1):
        connection.execute(
            "INSERT INTO pair (id, owner, conversation_id, position, revision, request_id, reply_id, model, "
            "parameters, lifecycle, stars, flagged, created_at, updated_at) "
            "VALUES (?, 'ann', 'c1', ?, 1, ?, NULL, 'offline:demo', '{}', 'error', 0, 0, ?, ?)",
            (f"p{position}", position, f"q{position}", at, at),
        )
        words = f"Question {position} {'of a garden' if position % 7 == 0 else ''}"
        connection.execute(
            "INSERT INTO message (id, owner, conversation_id, pair_id, role, parts, created_at) "
            "VALUES (?, 'ann', 'c1', ?, 'user', ?, ?)",
            (f"q{position}", f"p{position}", json.dumps([{"type": "text", "text": words}]), at),
        )
