"""Every damaged value of a real database is found, with its place, and no stored text is quoted."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from app.domain.attachments.attachments import Attachment
from app.domain.conversation.damage import Damage
from app.domain.conversation.parts import Text
from app.domain.errors import StoreError
from app.store.attachments.attachments import keep_attachments
from app.store.database.damage import NO_UTF8
from app.store.database.database import make_reading_engine, open_store
from app.store.diagnosis.diagnosis import MALFORMED, UNKNOWN_FORM, find_damage
from app.store.diagnosis.places import NOWHERE, DamagePlace
from tests.api.damaged import Harm, build, harm, list_harms
from tests.databases import lay_database
from tests.store.values import OWNER, START, a_conversation, a_pair_of, save_conversation

HELLO = Attachment("text/plain", b"Hello", "hello.txt")
SECRET = "my-secret-words"


def url(database: Path) -> str:
    return f"sqlite+aiosqlite:///{database}"


async def _fill(database: Path) -> None:
    pair = a_pair_of("c1", 1)
    second = a_pair_of("c1", 2)
    with_file = replace(second.request, parts=(Text("Look"), HELLO.part()))
    async with open_store(url(database)) as store:
        await save_conversation(store, a_conversation(title="Plans"), pair, replace(second, request=with_file))
        async with store.write() as session:
            await keep_attachments(session, OWNER, "c1", [HELLO], START)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    database = lay_database(tmp_path_factory.mktemp("filled"))
    asyncio.run(_fill(database))
    return database.read_bytes()


@pytest.fixture
def database(tmp_path: Path, filled: bytes) -> Path:
    path = tmp_path / "inview.db"
    path.write_bytes(filled)
    return path


def damage(database: Path, *statements: str) -> list[tuple[Damage, DamagePlace]]:
    """Execute these statements, and return the damage that is found."""
    with sqlite3.connect(database) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            assert connection.execute(statement).rowcount == 1, statement
    connection.close()
    return [(one.damage, one.place) for one in find_damage(url(database))]


def test_nothing_is_found_in_a_database_that_is_whole(database: Path) -> None:
    assert damage(database) == []


def test_text_file_that_was_sent_needs_no_bytes(database: Path) -> None:
    sent = f"INSERT INTO upload VALUES ('{OWNER}', 'u9', 'a9', 'text', 'a', 0, 0, 0, 0, '2026-01-01 00:00:00', 'c1')"

    assert damage(database, sent) == []


PAIR_1 = DamagePlace("c1", "Plans", 1)
PAIR_2 = DamagePlace("c1", "Plans", 2)
C1 = DamagePlace("c1", "Plans")


@pytest.mark.parametrize(
    ("statement", "expected", "place"),
    [
        (
            "UPDATE message SET parts = x'00ff' WHERE id = 'c1-1-asked'",
            Damage("message", "c1-1-asked", "parts", "it is not valid JSON", 2),
            PAIR_1,
        ),
        (
            f'UPDATE message SET parts = \'[{{"type": "text", "{SECRET}": 1}}]\' WHERE id = \'c1-1-asked\'',
            Damage("message", "c1-1-asked", "parts[0]", UNKNOWN_FORM, 35),
            PAIR_1,
        ),
        (
            "UPDATE conversation SET filter = '{{{' WHERE id = 'c1'",
            Damage("conversation", "c1", "filter", "it is not a filter", 3),
            C1,
        ),
        (
            "INSERT INTO saved_filter VALUES ('local', 'mine', '{{{', '2026-01-01 00:00:00')",
            Damage("saved_filter", "number 1", "filter", "it is not a filter", 3),
            NOWHERE,
        ),
        (
            "UPDATE message SET created_at = 'yesterday' WHERE id = 'c1-1-answered'",
            Damage("message", "c1-1-answered", "created_at", "it is not a time", 9),
            PAIR_1,
        ),
        (
            f"UPDATE pair SET lifecycle = '{SECRET}' WHERE id = 'c1-1'",
            Damage("pair", "c1-1", "lifecycle", UNKNOWN_FORM, len(SECRET)),
            PAIR_1,
        ),
        (
            "UPDATE pair SET topic = CAST(x'ff' AS TEXT), deleted_at = '2026-01-01 00:00:00' WHERE id = 'c1-1'",
            Damage("pair", "c1-1", "topic", NO_UTF8, 1),
            replace(PAIR_1, in_trash=True),
        ),
        (
            "UPDATE message SET parts = CAST(x'5bff' AS TEXT) WHERE id = 'c1-1-asked'",
            Damage("message", "c1-1-asked", "parts", NO_UTF8, 2),
            PAIR_1,
        ),
        (
            "UPDATE message SET created_at = CAST(x'ff' AS TEXT) WHERE id = 'c1-1-asked'",
            Damage("message", "c1-1-asked", "created_at", NO_UTF8, 1),
            PAIR_1,
        ),
        (
            "UPDATE conversation SET parameters = '{' WHERE id = 'c1'",
            Damage("conversation", "c1", "parameters", "it is not valid JSON", 1),
            C1,
        ),
        (
            "UPDATE conversation SET title = x'00ff'",
            Damage("conversation", "c1", "title", "it is bytes, not str", 2),
            DamagePlace("c1"),
        ),
        (
            f"INSERT INTO preference VALUES ('{OWNER}', '{SECRET}', '{{', '2026-01-01 00:00:00')",
            Damage("preference", "number 1", "value", "it is not valid JSON", 1),
            NOWHERE,
        ),
        (
            "UPDATE attachment SET data = x'48'",
            Damage("attachment", HELLO.id, "data", "it has 1 of 5 bytes", 1),
            C1,
        ),
        (
            "UPDATE attachment SET data = CAST('HELLO' AS BLOB)",
            Damage("attachment", HELLO.id, "data", "its bytes are not those that were stored", 5),
            C1,
        ),
        (
            "DELETE FROM attachment",
            Damage("attachment", HELLO.id, "data", "its message refers to it, but it is missing", None),
            PAIR_2,
        ),
        (
            "DELETE FROM message WHERE id = 'c1-1-answered'",
            Damage("message", "c1-1-answered", "id", "its pair refers to it, but it is missing", None),
            PAIR_1,
        ),
        (
            "UPDATE pair SET run_id = 'r1' WHERE id = 'c1-1'",
            Damage("run", "r1", "id", "its pair refers to it, but it is missing", None),
            PAIR_1,
        ),
        (
            "UPDATE message SET pair_id = 'p9' WHERE id = 'c1-1-asked'",
            Damage("message", "c1-1-asked", "pair_id", "it refers to a pair that does not exist", 2),
            C1,
        ),
        (
            f"INSERT INTO upload VALUES ('{OWNER}', 'u9', 'a9', 'text', 'a', 0, 0, 0, 0, '2026-01-01 00:00:00', NULL)",
            Damage("attachment", "a9", "data", "its draft refers to it, but it is missing", None),
            NOWHERE,
        ),
    ],
)
def test_damaged_piece_is_found_with_its_place(
    database: Path, statement: str, expected: Damage, place: DamagePlace
) -> None:
    ((found, where),) = damage(database, statement)

    shown = (
        replace(found, reason="it is not valid JSON") if found.reason.startswith("it is not valid JSON (") else found
    )
    assert (shown, where) == (expected, place)
    assert SECRET not in str(found)


def test_several_damaged_columns_of_a_row_are_all_found(database: Path) -> None:
    found = damage(
        database, "UPDATE pair SET stars = x'00', model = 'none', parameters = '[', mark = 7 WHERE id = 'c1-1'"
    )

    assert [one.column for one, _ in found] == ["parameters", "stars", "model", "mark"]


def test_rest_is_read_where_sqlite_meets_a_damaged_page(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'message'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("UPDATE conversation SET parameters = '{'")
    connection.close()  # writes all of it into the file
    with database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)

    found = [one.damage for one in find_damage(url(database))]

    assert ("conversation", "parameters") in [(one.table, one.column) for one in found]
    assert Damage("message", "*", "*", MALFORMED, None) in found


def test_database_is_only_read(database: Path) -> None:
    engine = make_reading_engine(url(database))

    with engine.connect() as connection, pytest.raises(OperationalError, match="readonly"):
        connection.exec_driver_sql("DELETE FROM pair")

    engine.dispose()


def test_file_that_is_no_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "inview.db").write_text("Something else. " * 99)

    with pytest.raises(StoreError, match="could not be read"):
        list(find_damage(url(tmp_path / "inview.db")))


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    database, _ = asyncio.run(build(tmp_path_factory.mktemp("talked")))
    return database.read_bytes()


def test_nothing_is_found_after_a_conversation_with_versions_tools_and_failures(talked: bytes, tmp_path: Path) -> None:
    (tmp_path / "inview.db").write_bytes(talked)

    assert list(find_damage(url(tmp_path / "inview.db"))) == []


def _list_certain_harms() -> list[Harm]:
    """Return harms that no column can store, whatever its type: bytes in a text or a time, and incomplete JSON."""
    return [one for one in list_harms() if one.shape == "bytes" and one.column not in BYTES_ARE_KEPT]


BYTES_ARE_KEPT = {"body"}
"""Columns that store bytes."""


@pytest.mark.parametrize("done", _list_certain_harms(), ids=str)
def test_bytes_in_any_column_of_a_conversation_are_found(talked: bytes, tmp_path: Path, done: Harm) -> None:
    database = tmp_path / "inview.db"
    database.write_bytes(talked)
    harm(database, done)

    found = [one.damage for one in find_damage(url(database))]

    assert (done.table, done.column) in [(one.table, one.column) for one in found]
