"""Conditions as SQL, and pairs in a real SQLite: the database selects the same pairs as the code in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import assert_never

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, ToolCall
from app.domain.filters.evaluation.condition import (
    AllOf,
    AnyOf,
    CalledOneOf,
    CompareNumber,
    CompareTime,
    Condition,
    ContainsText,
    Has,
    Negated,
    Newest,
    OneOf,
    searched_text,
)

Value = str | int | None


def open_with(pairs: Sequence[Pair], estimate: Callable[[Pair], int]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE pair (id TEXT PRIMARY KEY, position INTEGER UNIQUE, topic TEXT, model TEXT, agent TEXT,"
        " mark TEXT, stars INTEGER, tokens INTEGER, created INTEGER, flag BOOLEAN, attachment BOOLEAN, error BOOLEAN,"
        " tool_call BOOLEAN, searched TEXT)"
    )
    connection.execute("CREATE TABLE called (pair_id TEXT, name TEXT)")
    for pair in pairs:
        parts = pair.request.parts + (pair.reply.parts if pair.reply else ())
        tools = [part.name for part in parts if isinstance(part, ToolCall)]
        row: tuple[Value, ...] = (
            *(pair.id, pair.position, pair.topic, pair.model, pair.agent_id, pair.mark),
            *(pair.stars, estimate(pair), microseconds(pair.created_at), pair.flagged),
            any(isinstance(part, Image | File) for part in parts),
            pair.lifecycle is Lifecycle.ERROR or pair.failure is not None,
            bool(tools),
            searched_text(pair),
        )
        connection.execute(f"INSERT INTO pair VALUES ({', '.join('?' * len(row))})", row)
        connection.executemany("INSERT INTO called VALUES (?, ?)", [(pair.id, tool) for tool in tools])
    return connection


def ids(connection: sqlite3.Connection, condition: Condition) -> list[str]:
    values: list[Value] = []
    where = to_sql(condition, values)
    return [row[0] for row in connection.execute(f"SELECT id FROM pair WHERE {where} ORDER BY position", values)]


def to_sql(condition: Condition, values: list[Value]) -> str:
    match condition:
        case AllOf(conditions):
            return "(" + " AND ".join(to_sql(each, values) for each in conditions) + ")" if conditions else "TRUE"
        case AnyOf(conditions):
            return "(" + " OR ".join(to_sql(each, values) for each in conditions) + ")" if conditions else "FALSE"
        case Negated(inner):
            return f"NOT {to_sql(inner, values)}"
        case CompareNumber(number, op, value):
            values.append(value)
            return f"({number} {op} ?)"
        case CompareTime(op, instant):
            values.append(microseconds(instant))
            return f"(created {op} ?)"
        case OneOf(key, wanted):
            values.extend(wanted)
            return f"({key} IS NOT NULL AND {key} IN ({', '.join('?' * len(wanted))}))"
        case Has(fact):
            return f"({fact})"
        case CalledOneOf(names):
            values.extend(names)
            return f"(id IN (SELECT pair_id FROM called WHERE name IN ({', '.join('?' * len(names))})))"
        case ContainsText(pieces):
            values.append("%".join(["", *map(escape, pieces), ""]))
            return r"(searched LIKE ? ESCAPE '\')"
        case Newest(count, among):
            where = to_sql(among, values)
            values.append(count)
            return f"(id IN (SELECT id FROM pair WHERE {where} ORDER BY position DESC LIMIT ?))"
        case _:
            assert_never(condition)


def escape(piece: str) -> str:
    return piece.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def microseconds(instant: datetime) -> int:
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
