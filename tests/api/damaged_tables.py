"""A database with a row in every table and one damaged value: its conversation reports it, all others work.

database, ids = await build_every_table(folder)
for done in list_table_harms(): ...
await check_rest(folder, ids, done)
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from sqlalchemy import JSON, Column, LargeBinary, Table, TypeDecorator

from app.domain.agents.agents import Agent
from app.domain.attachments.attachments import Attachment
from app.domain.cache.plan import CachePlan, Prediction
from app.domain.cache.prefix import Prefix
from app.domain.cache.warmth import Breakpoint
from app.domain.child_calls.child_calls import ChildCall
from app.domain.compare.comparisons import ComparedRun, Comparison
from app.domain.conversation.conversation import Parameters, Role
from app.domain.conversation.damage import Damage
from app.domain.costs.budgets import BudgetPeriod, BudgetScope, SpendingBudget
from app.domain.models.model_profile import Prices
from app.domain.request.request import ToolDefinition
from app.domain.run.queue import Hold, HoldReason, QueuedText
from app.domain.settings.preferences import Theme
from app.domain.tools.permission_requests import PermissionRequest
from app.domain.tools.permissions import AllowedTool, ArgumentPattern, Rule
from app.domain.tools.tool_servers import Listing, OverHttp, ToolServer
from app.domain.topics.topics import UNKNOWN_TOPIC
from app.runs.app_context import AppContext
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.settings.preference_commands import change_preferences
from app.runs.watch.screen import Screen
from app.runs.watch.watcher import Watcher
from app.store.agents.agents import insert_agents
from app.store.attachments.attachments import keep_attachments
from app.store.audit.audit import AuditEntry, insert_entries
from app.store.cache.keep_warm import Keeping, put_keeping
from app.store.cache.prompt_caches import CacheUse, RunCall, insert_cache_use
from app.store.compare.comparisons import insert_comparison
from app.store.conversation.child_calls import insert_child_call
from app.store.diagnosis.diagnosis import find_damage
from app.store.filters.filters import keep_applied
from app.store.ledger.budgets import save_budget
from app.store.ledger.prices import OwnPrice, save_own_price
from app.store.run.queues import insert_queued, write_hold
from app.store.run.toolsets import save_sent_tools
from app.store.settings.provider_settings import ProviderSetting, save_provider_setting
from app.store.tables import Row
from app.store.tools.mcp_servers import StoredServer, insert_server
from app.store.tools.permissions import StoredRule, insert_request, insert_rule
from tests.api.damaged import SHAPES, Harm, build, harm
from tests.api.served import Api, serve_api, the_api
from tests.api.talk import answered, create_conversation, follow
from tests.runs.steps import until_quiet

DOCTOR: Final = "`inview doctor"
MODEL: Final = "offline:demo"
GUARDS: Final = frozenset({"budget", "preference", "price", "provider_setting", "usage_day", "usage_account"})
"""Tables of settings that guard privacy or money: while one cannot be read, nothing is sent."""
GONE: Final = frozenset({("conversation", "id"), ("conversation", "deleted_at")})
"""With other values in these columns, the conversation has another address, or is in the trash."""
READABLE: Final = frozenset({("run", "usage", "other JSON"), ("audit", "data", "other JSON")})
"""Values that are not damage: these columns accept any object."""
TEXT_SHAPES: Final = ("bytes", "not UTF-8")
JSON_SHAPES: Final = ("bytes", "not UTF-8", "broken JSON", "other JSON", "strange list")
OTHER_SHAPES: Final = ("bytes", "not UTF-8", "text")


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of the objects: conversations, a pair and a run of the first one, the rest by parameter name.

    Damaged rows belong to `whole`, `running`, `compared` or to none; `other` is never damaged.
    """

    whole: str
    other: str
    running: str
    compared: str
    named: Mapping[str, str]


def list_table_harms() -> Iterator[Harm]:
    """Yield each column of each table with invalid values."""
    for table in Row.metadata.sorted_tables:
        keys = ", ".join(f'"{column.name}"' for column in table.primary_key)
        row = f"({keys}) = (SELECT {keys} FROM {table.name} ORDER BY {_first(table)} LIMIT 1)"
        for column in table.c:
            for shape in _shapes(column):
                statement = f'UPDATE {table.name} SET "{column.name}" = {SHAPES[shape]} WHERE {row}'
                yield Harm(table.name, column.name, shape, statement)
    yield Harm("saved_filter", "filter", "no filter", "UPDATE saved_filter SET filter = '(('")
    yield Harm("topic", "id", "missing", "DELETE FROM topic")


def _first(table: Table) -> str:
    return "rowid" if table.dialect_options["sqlite"]["with_rowid"] else "1"


def _shapes(column: Column[Any]) -> tuple[str, ...]:
    kind = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    if isinstance(kind, JSON):
        return JSON_SHAPES
    if isinstance(kind, LargeBinary):
        return ("text",)
    if kind.python_type is int and column.primary_key and len(column.table.primary_key) == 1:
        return ()  # the number of the row itself: SQLite stores only integers there
    return TEXT_SHAPES if kind.python_type is str else OTHER_SHAPES


async def build_every_table(folder: Path) -> tuple[Path, Ids]:
    """Create a database with a row in every table."""
    database, whole = await build(folder)
    async with serve_api(folder) as api:
        ids = await _fill(api, whole)
        await until_quiet(api.ctx)
    with sqlite3.connect(database) as connection:
        pair_id, run_id = connection.execute(
            "SELECT id, run_id FROM pair WHERE conversation_id = ?", (ids.running,)
        ).fetchone()
        connection.execute("UPDATE pair SET lifecycle = 'awaiting' WHERE id = ?", (pair_id,))
        connection.execute("UPDATE run SET status = 'running', ended_at = NULL WHERE id = ?", (run_id,))
        growth = '{"kept": 1, "text": " more", "parts": []}'
        connection.execute("INSERT INTO reply_journal VALUES (NULL, 'local', ?, ?)", (run_id, growth))
        connection.execute(
            "INSERT INTO delivery SELECT owner, 'tab', 'abc-1', id, created_at FROM conversation LIMIT 1"
        )
        connection.execute("DELETE FROM applied_filter WHERE filter = ''")
        for table in Row.metadata.sorted_tables:
            count = connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0]
            assert count, f"{table.name} has no row"
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return database, ids


async def _fill(api: Api, whole: str) -> Ids:
    http = api.http
    conversations = [await create_conversation(api, model=MODEL, title=name) for name in ("Other", "Runs", "Compared")]
    other, running, compared = conversations
    for conversation in conversations:
        await answered(api, conversation, "/echo here")
    gone = await create_conversation(api, model=MODEL, title="Gone")
    await answered(api, gone, "/echo gone")
    assert (await http.delete(f"/conversations/{gone}")).status_code < 300
    pair = (await http.get(f"/conversations/{whole}/pairs")).json()["items"][0]
    topic_id, folder_id = await _file(api, whole, pair["id"])
    photo = b"Hello"
    uploaded = await http.post(
        "/attachments", content=photo, params={"name": "a.txt"}, headers={"Content-Type": "application/octet-stream"}
    )
    assert uploaded.status_code == 201, uploaded.text
    assert (await http.put("/filters/starred", json={"filter": "r20"})).status_code in {200, 201}
    await change_preferences(api.ctx, LOCAL_OWNER, lambda known: replace(known, theme=Theme.DARK))
    running_pair = (await http.get(f"/conversations/{running}/pairs")).json()["items"][0]
    compared_pair = (await http.get(f"/conversations/{compared}/pairs")).json()["items"][0]
    at = now()
    agent = Agent(
        "a1", LOCAL_OWNER, "Reviewer", at, at, server_ids=("s1",), allowed_tools=(AllowedTool("s1", "read", ()),)
    )
    server = ToolServer(
        "s1", "files", OverHttp("http://127.0.0.1:9/mcp", True, None), False, 5.0, (), at, at, known=Listing()
    )
    patterns = (ArgumentPattern("path", "/notes/*"),)
    request = PermissionRequest(
        id="q1", conversation_id=running, shown_in=running, run_id=running_pair["run_id"], pair_id=running_pair["id"],
        tool_call_id="t1", server_id="s1", server_name="files", tool_name="read", name="files_read", title="Read",
        description="", input_schema_json="{}", fingerprint="f", input_json="{}", asked_at=at,
        expires_at=at + timedelta(minutes=5),
    )  # fmt: skip
    options = {"filter": "", "model": MODEL, "topic": None, "zone": "UTC", "tool_mode": None, "agent": None}
    prefix = Prefix(b"", b"s" * 16, b"c" * 16)
    sent = ((1, 1),)
    async with api.ctx.store.write() as session:
        await save_budget(
            session, LOCAL_OWNER, SpendingBudget(BudgetScope.ALL, "", BudgetPeriod.MONTH, Decimal(1000), stops=True), at
        )
        await save_own_price(session, LOCAL_OWNER, OwnPrice("openai:gpt-x", at.date(), Prices(Decimal(1), Decimal(2))))
        await save_provider_setting(session, LOCAL_OWNER, ProviderSetting("home", "http://127.0.0.1:9/v1", None, at))
        await insert_agents(session, [agent])
        await insert_server(session, StoredServer(LOCAL_OWNER, server, None))
        await insert_request(session, LOCAL_OWNER, request)
        for conversation_id, rule_id in ((None, "r1"), (whole, "r2")):
            rule = Rule(rule_id, "s1", "read", "f", patterns, conversation_id)
            await insert_rule(session, LOCAL_OWNER, StoredRule(rule, "files", "Read", at))
        await insert_entries(session, [AuditEntry(LOCAL_OWNER, at, "permission.asked", "q1", whole, {"tool": "read"})])
        keeping = Keeping(whole, LOCAL_OWNER, options, at + timedelta(hours=1), at, ended_at=None)
        await put_keeping(session, keeping)
        use = CacheUse(prefix, CachePlan((Breakpoint(0, 300),), Prediction(None, 0)))
        await insert_cache_use(session, RunCall(LOCAL_OWNER, whole, pair["run_id"], MODEL), at, use)
        await save_sent_tools(session, LOCAL_OWNER, running_pair["run_id"], [ToolDefinition("clock", "", "{}")], at)
        waiting = QueuedText("w1", whole, "later", "", MODEL, None, None, "UTC", Parameters(), None, at)
        await insert_queued(session, LOCAL_OWNER, waiting)
        await write_hold(session, LOCAL_OWNER, whole, Hold(HoldReason.PAUSED), at)
        runs = (ComparedRun(compared, compared_pair["id"], compared_pair["run_id"], MODEL, sent),)
        await insert_comparison(session, LOCAL_OWNER, Comparison("k1", compared, "Why?", None, Parameters(), runs, at))
        await keep_attachments(session, LOCAL_OWNER, whole, [Attachment("text/plain", photo, "a.txt")], at)
        derived = ChildCall("n1", Role.SYSTEM_TITLE, 1, at)
        await insert_child_call(session, LOCAL_OWNER, whole, derived, other)
        await keep_applied(session, LOCAL_OWNER, "r20", at)
    named = {
        "conversation_id": whole, "pair_id": pair["id"], "run_id": pair["run_id"], "agent_id": "a1", "server_id": "s1",
        "request_id": "q1", "permission_id": "q1", "topic_id": topic_id, "name": "starred", "number": "1",
        "queued_id": "w1", "folder_id": folder_id, "attachment_id": uploaded.json()["id"], "entry_id": gone,
        "call_id": (await http.get(f"/conversations/{whole}/calls")).json()["items"][-1]["id"],
    }  # fmt: skip
    return Ids(whole, other, running, compared, named)


async def _file(api: Api, conversation_id: str, pair_id: str) -> tuple[str, str]:
    """Create a topic with this pair and a folder with this conversation. Return their ids."""
    topic = (await api.http.post("/topics", json={"path": "Work"})).json()
    await api.http.patch(f"/pairs/{pair_id}", json={"topic_id": topic["id"]})
    folder = (await api.http.post("/folders", json={"name": "Work", "metadata": {"team": 7}})).json()
    filed = await api.http.patch(f"/conversations/{conversation_id}", json={"folder_id": folder["id"]})
    assert filed.status_code == 200, filed.text
    return topic["id"], folder["id"]


async def check_rest(folder: Path, ids: Ids, done: Harm) -> None:
    """Start the server, read every page of the API, and show, list and continue the whole conversation."""
    found = [one.damage for one in find_damage(f"sqlite+aiosqlite:///{folder / 'inview.db'}")]
    assert found or (done.table, done.column, done.shape) in READABLE, f"the doctor does not list {done}"
    _require_listed(found, done)
    async with serve_api(folder) as api:
        await _check_lists(api, ids)
        await _check_saved_filters(api, done)
        await _check_topic(api, ids, done)
        whole = await first_screen(api.ctx, ids.other)
        assert whole is not None
        assert len(whole.pairs) == 1
        if whole.refusal is not None:
            assert done.table in GUARDS
            assert DOCTOR in whole.refusal.message, whole.refusal
        await _check_send(api, ids.other, refused=done.table in GUARDS)
        for conversation_id in (ids.whole, ids.running, ids.compared):
            screen = await first_screen(api.ctx, conversation_id)
            if screen is None:
                assert (done.table, done.column) in GONE
            elif screen.refusal is not None:
                assert DOCTOR in screen.refusal.message or screen.damaged, screen.refusal
        await until_quiet(api.ctx)


async def _check_saved_filters(api: Api, done: Harm) -> None:
    """Require that an unreadable saved filter is listed as such, exported raw and deleted."""
    listed = (await api.http.get("/filters")).json()["saved"]
    if (done.table, done.column) == ("saved_filter", "owner"):  # then no owner lists it
        return
    (one,) = listed
    harmed = done.table == "saved_filter" and done.column in {"name", "filter"}
    assert [found["column"] for found in one["damage"]] == ([done.column] if harmed else [])
    if harmed:
        raw = await api.http.get(f"/filters/rows/{one['number']}/raw")
        assert raw.status_code == 200, raw.text
        assert (await api.http.delete(f"/filters/rows/{one['number']}")).status_code == 204
        assert (await api.http.get("/filters")).json()["saved"] == []


async def _check_topic(api: Api, ids: Ids, done: Harm) -> None:
    """Require that the page names the missing topic of a pair, the pair is listed, and its topic can be changed."""
    lost = (done.table, done.column) in {("topic", "id"), ("topic", "owner")}
    if not lost:
        return
    pair_id = ids.named["pair_id"]
    screen = await first_screen(api.ctx, ids.whole)
    assert screen is not None
    shown = {one.id: one for one in screen.pairs}[pair_id]
    assert (shown.topic, shown.topic_is_missing, shown.out) == (UNKNOWN_TOPIC, True, None)
    assert (await api.http.get(f"/pairs/{pair_id}/raw")).status_code == 200
    assert (await api.http.patch(f"/pairs/{pair_id}", json={"topic_id": None})).status_code < 300


def _require_listed(found: list[Damage], done: Harm) -> None:
    column = Row.metadata.tables[done.table].c[done.column]
    if done.shape == "bytes" and not isinstance(column.type, JSON) and _is_certain(column):
        assert (done.table, done.column) in [(one.table, one.column) for one in found]


def _is_certain(column: Column[Any]) -> bool:
    return column.name != "body"


async def _check_lists(api: Api, ids: Ids) -> None:
    """Require that no address answers with an internal error of Inview, and that each refusal says what to do."""
    listed = await api.http.get("/conversations")
    assert listed.status_code == 200, listed.text
    assert ids.other in [one["id"] for one in listed.json()["items"]]
    for path, methods in the_api().openapi()["paths"].items():
        if "get" not in methods or path.endswith(("/events", "/models")):
            continue
        address = path.removeprefix("/api/v1").format_map(_Named(ids.named))
        answer = await api.http.get(address)
        assert answer.status_code < 500 or DOCTOR in answer.text, (address, answer.status_code, answer.text)


class _Named(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "none"


async def _check_send(api: Api, conversation_id: str, *, refused: bool) -> None:
    body = {"text": "/echo goes on"}
    started = await api.http.post(
        f"/conversations/{conversation_id}/send", json=body, headers={"Accept": "application/json"}
    )
    if refused and started.status_code != 202:
        assert DOCTOR in started.text, started.text
        return
    assert started.status_code == 202, started.text
    await follow(api, started.json()["run_id"])
    pairs = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    assert pairs[-1]["reply_text"] == "goes on"


async def first_screen(ctx: AppContext, conversation_id: str) -> Screen | None:
    """Return the first screen that shows what would be sent, or why nothing can be. None if no screen comes."""
    async with Watcher(ctx, LOCAL_OWNER, conversation_id, ViewOptions(), "") as watcher, asyncio.timeout(10):
        while (screen := await watcher.next_screen()) is not None:
            if screen.refusal is not None or screen.context is not None:
                return screen
    return None


__all__ = ["DOCTOR", "GUARDS", "Ids", "build_every_table", "check_rest", "first_screen", "harm", "list_table_harms"]
