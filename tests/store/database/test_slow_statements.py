"""A statement that takes long is logged, without its values, and with the request it belongs to."""

from __future__ import annotations

from sqlalchemy import text
from structlog.contextvars import bound_contextvars, merge_contextvars
from structlog.testing import capture_logs

from app.store.database import slow_statements
from app.store.database.database import Store, open_store
from app.store.memory import open_memory

SECRET = "Xylophonquartett"
SAID = "a statement took long"


async def read_secret(store: Store) -> None:
    async with store.read() as session:
        found = await session.execute(text("SELECT\n  count(*) FROM pair WHERE topic = :topic"), {"topic": SECRET})
        assert found.scalar_one() == 0


async def test_statement_that_takes_long_is_logged_without_its_values(url: str) -> None:
    async with open_store(url, slow_seconds=0.0) as store:
        with capture_logs(processors=[merge_contextvars]) as logs, bound_contextvars(request_id="q1", run_id="r1"):
            await read_secret(store)

    (line,) = [one for one in logs if "topic" in one["statement"]]
    assert (line["event"], line["log_level"]) == (SAID, "warning")
    assert line["statement"].startswith("SELECT count(*) FROM pair WHERE topic = ")
    assert (line["request_id"], line["run_id"]) == ("q1", "r1")
    assert line["milliseconds"] >= 0
    assert SECRET not in str(logs)


async def test_statement_that_takes_less_is_not_logged(url: str) -> None:
    async with open_store(url, slow_seconds=60.0) as store, open_store(url) as silent:
        with capture_logs() as logs:
            await read_secret(store)
            await read_secret(silent)

    assert logs == []


async def test_long_statement_is_cut(url: str) -> None:
    async with open_store(url, slow_seconds=0.0) as store:
        with capture_logs() as logs:
            async with store.read() as session:
                await session.execute(text(f"SELECT 1 AS {'a' * 40}{', 1' * 1000}"))

    assert [len(one["statement"]) for one in logs if "aaaa" in one["statement"]] == [slow_statements.MAX_CHARACTERS + 2]


async def test_statements_on_temporary_conversations_are_logged_too(url: str) -> None:
    async with open_store(url, slow_seconds=0.0) as store, open_memory(store, "slow") as memory:
        with capture_logs() as logs:
            await read_secret(memory)

    assert [one["event"] for one in logs if "topic" in one["statement"]] == [SAID]
    assert SECRET not in str(logs)
