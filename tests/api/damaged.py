"""Conversations with one damaged value: the test makes one, copies its database, and damages the copy.

for harm in list_harms(database): ...
await check_conversation(tmp_path, harm)
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.domain.conversation.damage import SETTINGS
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.watch.screen import Screen
from app.runs.watch.watcher import Watcher
from app.store.tables import Row
from tests.api.served import Api, serve_api
from tests.api.talk import answered, create_conversation, follow, send
from tests.runs.steps import until_quiet

TABLES: Final = ("conversation", "message", "pair", "version", "node", "run", "snapshot", "tool_call")
"""The tables of a conversation, without its attachments."""
PLACES: Final = frozenset({"id", "owner", "conversation_id", "pair_id", "run_id", "number"})
"""Columns that say where a row belongs: another value moves the row to another conversation."""
ORDER: Final = frozenset({("pair", "position"), ("pair", "revision"), ("conversation", "revision")})
"""Whole numbers by which the database sorts."""
KEPT: Final = frozenset({("pair", "deleted_at"), ("conversation", "deleted_at"), ("conversation", "model")})
"""Columns that accept the other values: `deleted_at` puts the row into the trash, and any text with a colon is a
model. A model that cannot be used is refused with its reason, as if a person had written it.
"""
SHAPES: Final = {
    "text": "'damaged'",
    "bytes": "x'00ff'",
    "broken JSON": '\'[{"type": "te\'',
    "other JSON": "'{\"type\": 7}'",
    "strange list": '\'[7, {"type": "unheard"}]\'',
    "not UTF-8": "CAST(x'5bff' AS TEXT)",
    "NULL": "NULL",
}


@dataclass(frozen=True)
class Harm:
    """A statement that damages a database. `table` and `column` are for the test's name."""

    table: str
    column: str
    shape: str
    sql: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column} {self.shape}".replace(".*", " *")


def list_harms() -> Iterator[Harm]:
    """Yield every column of every table of a conversation with invalid values, and every missing row."""
    for name in TABLES:
        table = Row.metadata.tables[name]
        row = f"rowid = (SELECT min(rowid) FROM {name})"
        for column in table.c:
            if column.name in PLACES or (name, column.name) in ORDER | KEPT:
                continue
            for shape, value in SHAPES.items():
                if value != "NULL" or column.nullable:
                    statement = f'UPDATE {name} SET "{column.name}" = {value} WHERE {row}'
                    yield Harm(name, column.name, shape, statement)
        if name == "pair":
            yield Harm(name, "stars", "too many", f"UPDATE pair SET stars = 9223372036854775807 WHERE {row}")
        if name not in {"conversation", "pair"}:  # without these rows nothing could be shown
            yield Harm(name, "*", "missing", f"DELETE FROM {name} WHERE {row}")


async def build(folder: Path) -> tuple[Path, str]:
    """Create a database with a conversation that has a row in each of these tables. Return both."""
    async with serve_api(folder) as api:
        conversation_id = await create_conversation(api, model="offline:demo", title="Whole")
        first = await answered(api, conversation_id, "/echo one")
        again = await api.http.post(
            f"/pairs/{first['id']}/resend",
            json={"text": "/echo first", "standing": 1},
            headers={"Accept": "application/json"},
        )
        await follow(api, again.json()["run_id"])
        await answered(api, conversation_id, "/tool clock")
        await answered(api, conversation_id, "/fail auth")
        await answered(api, conversation_id, "/echo last")
        await api.http.get(f"/conversations/{conversation_id}/pairs")  # loads the undamaged data into the indexes
        await until_quiet(api.ctx)
    database = folder / "inview.db"
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return database, conversation_id


def harm(database: Path, done: Harm) -> None:
    """Damage a database. Its triggers are dropped first: they refuse a message without JSON."""
    with sqlite3.connect(database) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        changed = connection.execute(done.sql).rowcount
        for _, sql in triggers:
            connection.execute(sql)
    assert changed == 1, f"{done} did nothing"


async def screen_of(ctx: AppContext, conversation_id: str, pairs: int = 4) -> Screen:
    """Return the first screen of a page of the conversation that has its context and this number of pairs."""
    async with Watcher(ctx, LOCAL_OWNER, conversation_id, ViewOptions(), "") as watcher, asyncio.timeout(10):
        while (screen := await watcher.next_screen()) is not None:
            if screen.refusal is not None or (screen.context is not None and len(screen.pairs) >= pairs):
                return screen
    raise AssertionError("the conversation is gone")


async def check_conversation(folder: Path, conversation_id: str) -> list[dict[str, object]]:
    """Show, list, export and continue the conversation. Return its pairs as the API lists them."""
    async with serve_api(folder) as api:
        screen = await screen_of(api.ctx, conversation_id)
        assert screen.refusal is None
        assert len(screen.pairs) == 4

        items = await _list(api, conversation_id)
        assert {one["position"]: one["out"] for one in items} == {one.position: one.out for one in screen.pairs}
        for format_ in ("json", "md", "html"):
            exported = await api.http.get(f"/conversations/{conversation_id}/export", params={"format": format_})
            assert exported.status_code == 200, exported.text
        listed = await api.http.get("/conversations")
        assert listed.status_code == 200, listed.text

        await _reset_settings(api, conversation_id, [one.column for one in screen.damaged])
        started = await send(api, conversation_id, "/echo goes on")
        await follow(api, started["run_id"])
        now = await _list(api, conversation_id)
        assert now[-1]["reply_text"] == "goes on"
        await until_quiet(api.ctx)
        return items


async def _reset_settings(api: Api, conversation_id: str, columns: list[str]) -> None:
    """Reset the damaged settings of the conversation. Until then it sends nothing."""
    for column in columns:
        refused = await api.http.post(f"/conversations/{conversation_id}/send", json={"text": "/echo x"})
        assert refused.status_code == 409, refused.text
        reset = await api.http.delete(f"/conversations/{conversation_id}/damage/{column}")
        assert reset.status_code in {200, 409}, reset.text  # two columns are one checkpoint
    now = (await api.http.get(f"/conversations/{conversation_id}")).json()["damage"]
    assert not {one["column"] for one in now} & SETTINGS.keys()


async def _list(api: Api, conversation_id: str) -> list[dict[str, object]]:
    answer = await api.http.get(f"/conversations/{conversation_id}/pairs")
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]
