"""How the database finds what the page asks for, among many rows: by which indexes, and never by reading a large table.

The golden files `plans-sqlite.txt` and `plans-postgresql.txt` have the growing tables, and the indexes by which all
that the page asks for is found. What a single question reads differs, as some of it is in memory by then.
`make test-postgres` compares the second.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import orjson
from sqlalchemy import event

from app.domain.conversation.conversation import ConversationKind
from app.runs.caller import act_as
from app.runs.send.commands import LOCAL_OWNER
from app.runs.watch.watcher import Watcher
from app.state.conversation_rows import read_counts, read_rows, search_rows
from app.store.conversation.wanted import Wanted
from app.store.tables import Row
from tests.api.many_rows import FIRST, PAIRS, PAIRS_EACH, enter_many
from tests.api.served import Api, serve_api
from tests.conftest import Golden
from tests.databases import SERVER, lay_url

LARGE: Final = frozenset({"pair", "message", "run", "search_text", "pair_text", "pair_size", "ledger", "sent_call"})
"""And the audit trail, which SQLite reads from its end without an index, as it is in that order."""
GROWING: Final = LARGE | {"conversation", "audit"}
"""The tables that the golden files have. What is in the others fits into a page of the database, or two."""
SOUGHT_IN_ALL: Final = frozenset({"pairs with a star"})
"""What has no index yet: among a million pairs it is found by looking at each."""
BACKGROUND: Final = ("keep_", "_keep_", "run_upkeep")
"""How the names of tasks begin that are at work all along."""
CHATS: Final = Wanted(kind=ConversationKind.AGENT, archived=False, folder_id="")
PAIR: Final = "p1000001"
Ask = Callable[[Api], Awaitable[object]]


def over_http(address: str) -> Ask:
    async def get(api: Api) -> None:
        answer = await api.http.get(address)
        assert answer.status_code == 200, (address, answer.text)

    return get


async def open_page(api: Api) -> None:
    """Until all pairs of the conversation and what would be sent are shown."""
    async with Watcher(api.wb, LOCAL_OWNER, FIRST) as watcher, asyncio.timeout(20):
        while (screen := await watcher.next_screen()) is not None:
            if screen.context is not None and len(screen.pairs) == PAIRS_EACH:
                return
    raise AssertionError("the conversation is gone")


ASKED: Final[Mapping[str, Ask]] = {
    "the page of a conversation": open_page,
    "the list": lambda api: read_rows(api.wb, CHATS, limit=50),
    "the list, unread": lambda api: read_rows(api.wb, Wanted(kind=ConversationKind.AGENT, unread=True), limit=50),
    "the list, failed": lambda api: read_rows(api.wb, Wanted(kind=ConversationKind.AGENT, failed=True), limit=50),
    "the list, running": lambda api: read_rows(api.wb, Wanted(kind=ConversationKind.AGENT, running=True), limit=50),
    "the list, archived": lambda api: read_rows(api.wb, Wanted(kind=ConversationKind.AGENT, archived=True), limit=50),
    "the list, imported": lambda api: read_rows(api.wb, Wanted(kind=ConversationKind.AGENT, imported=True), limit=50),
    "counts of the lists": lambda api: read_counts(api.wb),
    "search": lambda api: search_rows(api.wb, CHATS, f"word {PAIRS // 2}", limit=50),
    "search by the beginning": lambda api: search_rows(api.wb, CHATS, f"{PAIRS // 2}*", limit=50),
    "pairs of all conversations": over_http("/pairs"),
    "pairs of all conversations with words": over_http(f"/pairs?filter=c'word {PAIRS // 2}'"),
    "pairs with a star": over_http("/pairs?filter=s>=1"),
    "pairs that failed": over_http("/pairs?filter=e"),
    **{
        name: over_http(f"/conversations/{FIRST}/{name}")
        for name in ("pairs", "history", "nodes", "queue", "lineage", "tools", "branches", "calls", "usage")
    },
    "all of a pair": over_http(f"/pairs/{PAIR}/raw"),
    "versions": over_http(f"/pairs/{PAIR}/versions"),
    **{
        name: over_http(f"/{name}")
        for name in ("filters", "trash", "usage", "budgets", "topics", "prompts", "folders", "agents")
    },
    "audit": over_http("/audit"),
}


async def test_what_the_page_asks_for_is_found_by_an_index(tmp_path: Path, golden: Golden) -> None:
    lay_url(tmp_path)
    await asyncio.to_thread(enter_many, tmp_path)
    found, whole = set[str](), list[str]()
    large = LARGE if SERVER is None else {*LARGE, "audit"}
    async with serve_api(tmp_path) as api:
        act_as(LOCAL_OWNER)
        for name, asks in ASKED.items():
            statements = await record(api, asks)
            plan = await explain(api, statements)
            found |= plan
            if name not in SOUGHT_IN_ALL:
                whole += [f"{name}: {line}" for line in sorted(plan) if line in {f"{one}: all rows" for one in large}]

    golden.check(
        f"plans-{'sqlite' if SERVER is None else 'postgresql'}.txt", "".join(f"{line}\n" for line in sorted(found))
    )
    assert whole == []


async def record(api: Api, asks: Ask) -> dict[tuple[str, str], Any]:
    """The queries that are asked meanwhile, each with values of one time that it was."""
    asked: dict[tuple[str, str], Any] = {}

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, *_more: Any) -> None:
        task = asyncio.current_task()
        if task is not None and task.get_name().startswith(BACKGROUND):
            return
        if statement.startswith(("SELECT", "WITH")) and "pg_advisory" not in statement:
            asked[statement, repr(values)] = values

    engine = api.wb.store.engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        await asks(api)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    return asked


async def explain(api: Api, asked: Mapping[tuple[str, str], Any]) -> set[str]:
    """The tables that the queries look at, each with the index, as lines."""
    found: set[str] = set()
    async with api.wb.store.engine.connect() as connection:
        for (statement, _), values in asked.items():
            how = "EXPLAIN QUERY PLAN" if SERVER is None else "EXPLAIN (FORMAT JSON)"
            rows = (await connection.exec_driver_sql(f"{how} {statement}", values)).all()
            if SERVER is None:
                found |= set(_read_sqlite(statement, [str(row[-1]) for row in rows]))
            else:
                told = rows[0][0]
                found |= set(_read_postgresql((orjson.loads(told) if isinstance(told, str) else told)[0]["Plan"]))
    return {line for line in found if line.partition(":")[0] in GROWING}


def _read_sqlite(statement: str, steps: Iterable[str]) -> Iterable[str]:
    for step in steps:
        if (read := re.match(r"(SCAN|SEARCH) (\w+)(?: USING (.*?)(?: \(.*\))?)?(?: LEFT-JOIN)?$", step)) is None:
            continue
        how, alias, by = read.groups()
        table = alias
        if alias not in Row.metadata.tables and (named := re.search(rf"(\w+) AS \"?{alias}\"?\b", statement)):
            table = named[1]
        if table in Row.metadata.tables:
            index = (by or "").removeprefix("COVERING ").removeprefix("INDEX ")
            yield f"{table}: {index or 'all rows'}{', all of it' if how == 'SCAN' and index else ''}"


def _read_postgresql(node: Mapping[str, Any], table: str = "") -> Iterable[str]:
    table = node.get("Relation Name", table)
    if "Index Name" in node:
        yield f"{table}: {node['Index Name']}"
    elif node["Node Type"] == "Seq Scan":
        yield f"{table}: all rows"
    for below in node.get("Plans", ()):
        yield from _read_postgresql(below, table if "Bitmap" in node["Node Type"] else "")
