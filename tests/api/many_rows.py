"""A database with many pairs, made by a few statements: as few as let the planner choose as it does at a million.

    enter_many(folder)

SQLite's planner does not know how many rows there are: a few will do. PostgreSQL's does, after `ANALYZE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from sqlalchemy import JSON, Boolean, Connection, DateTime, Integer, LargeBinary, Table, text

from app.runs.send.commands import LOCAL_OWNER
from app.store.tables import Row
from tests.databases import SERVER, past_rules, tidy_up

PAIRS_EACH: Final = 3
CONVERSATIONS: Final = 20 if SERVER is None else 20_000
PAIRS: Final = CONVERSATIONS * PAIRS_EACH
FIRST: Final = "c1000001"
"""The id of the first conversation."""

_AT: Final = (
    "strftime('%Y-%m-%d %H:%M:%S.000000', '2026-01-01', '+' || i || ' seconds')"
    if SERVER is None
    else "timestamptz '2026-01-01' + i * interval '1 second'"
)
_EMPTY: Final = "x''" if SERVER is None else "''::bytea"
_OF_PAIR: Final = f"'c' || (1000000 + (i + {PAIRS_EACH - 1}) / {PAIRS_EACH})"
_IN_IT: Final[Mapping[str, str]] = MappingProxyType({"conversation_id": _OF_PAIR, "pair_id": "'p' || (1000000 + i)"})
_NUMBERED: Final[Mapping[str, str]] = MappingProxyType({} if SERVER is None else {"rowid": "i"})
_HOLDING: Final = '\'[{"type": "text", "text": "word \' || i || \'"}]\''


def enter_many(folder: Path) -> None:
    """Put conversations with pairs into the empty database of a folder, with what hangs on them."""
    with past_rules(folder) as connection:
        _enter(
            connection,
            "conversation",
            CONVERSATIONS,
            id="'c' || (1000000 + i)",
            kind="'agent'",
            status="'active'",
            title="'Title ' || i",
            tool_mode="'cached'",
            retry_policy="'exponential'",
        )
        for role, name in (("user", "q"), ("assistant", "a")):
            _enter(
                connection,
                "message",
                PAIRS,
                **_IN_IT,
                id=f"'{name}' || (1000000 + i)",
                role=f"'{role}'",
                parts=_HOLDING,
            )
        of_messages = {"request_id": "'q' || (1000000 + i)", "reply_id": "'a' || (1000000 + i)"}
        in_run = {"conversation_id": _OF_PAIR, "run_id": "'r' || (1000000 + i)"}
        _enter(
            connection,
            "pair",
            PAIRS,
            **of_messages,
            **in_run,
            id=_IN_IT["pair_id"],
            lifecycle="'succeeded'",
            position=f"(i + {PAIRS_EACH - 1}) % {PAIRS_EACH} + 1",
            model="'offline:demo'",
            version="1",
            versions="1",
        )
        _enter(
            connection,
            "run",
            PAIRS,
            **_IN_IT,
            id="'r' || (1000000 + i)",
            reply_id=of_messages["reply_id"],
            status="'succeeded'",
            purpose="'reply'",
            ended_at=_AT,
        )
        _enter(connection, "search_text", PAIRS, **_IN_IT, docid="i", words="'word ' || i")
        in_pair = of_messages | _IN_IT
        _enter(connection, "pair_text", PAIRS, **in_pair)
        _enter(connection, "pair_size", PAIRS, **in_pair, vocabulary="'o200k_base'")
        _enter(
            connection,
            "ledger",
            PAIRS,
            **in_run,
            id="'l' || (1000000 + i)",
            pair_id=_IN_IT["pair_id"],
            account_id=_OF_PAIR,
            **_NUMBERED,
            purpose="'reply'",
            outcome="'succeeded'",
            model="'offline:demo'",
            attempt="1",
            counted_text="1",
        )
        _enter(connection, "sent_call", PAIRS, **_IN_IT, run_id="'r' || (1000000 + i)", number="1", purpose="'reply'")
        _enter(
            connection,
            "audit",
            PAIRS,
            id="i",
            kind="'conversation'",
            action="'conversation.read'",
            conversation_id=_OF_PAIR,
        )
    if SERVER is not None:
        tidy_up(folder)


def _enter(connection: Connection, name: str, count: int, **values: str) -> None:
    """Fill a table with rows by these expressions of a number `i`; what they do not give is as empty as it may be."""
    table = Row.metadata.tables[name]
    columns = {
        column.name: values.get(column.name) or _make_empty(table, column.name)
        for column in table.c
        if column.name in values or not column.nullable
    } | values
    numbers = f"WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {count})"
    into = f"INSERT INTO {name} ({', '.join(columns)})"
    connection.execute(text(f"{into} {numbers} SELECT {', '.join(columns.values())} FROM numbers"))


def _make_empty(table: Table, name: str) -> str:
    if name == "owner":
        return f"'{LOCAL_OWNER}'"
    match getattr(table.c[name].type, "impl", table.c[name].type):
        case DateTime():
            return _AT
        case Boolean():
            return "false"
        case Integer():
            return "0"
        case JSON():
            return "'{}'" if name in {"parameters", "data"} else "'[]'"
        case LargeBinary():
            return _EMPTY
        case _:
            return "''"
