"""`/metrics`: what Prometheus' own parser reads of a server at work, who may, and what no label tells."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.people.people import Person, Role
from app.runs.measures.measures import MAX_MODELS, OTHER, Measures
from app.runs.people.tokens import NewToken, make_token
from app.runs.process.ids import new_id, now
from app.runs.send.commands import LOCAL_OWNER
from app.store.ledger.ledger import Call
from app.store.people.people import insert_person
from tests.api.served import Api, serve_api
from tests.api.talk import create_conversation, follow, send


@pytest.fixture
async def measured(tmp_path: Path) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, INVIEW_METRICS="on") as served:
        yield served


async def read(api: Api, **headers: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample by its name and labels."""
    async with httpx2.AsyncClient(base_url=f"http://{api.host}") as http:
        answer = await http.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    families = text_string_to_metric_families(answer.text)
    return {(s.name, frozenset(s.labels.items())): s.value for family in families for s in family.samples}


async def test_a_reply_is_counted_with_its_tokens_and_latencies(measured: Api) -> None:
    conversation_id = await create_conversation(measured, model="offline:demo")
    await follow(measured, (await send(measured, conversation_id, "/echo secret words"))["run_id"])

    samples = await read(measured)

    model = ("model", "offline:demo")
    assert samples["inview_runs_total", frozenset({("outcome", "succeeded")})] == 1
    assert samples["inview_calls_total", frozenset({model, ("outcome", "succeeded")})] == 1
    assert samples["inview_tokens_total", frozenset({model, ("kind", "output")})] > 0
    assert samples["inview_first_chunk_seconds_count", frozenset()] == 1
    assert samples["inview_call_seconds_bucket", frozenset({("le", "+Inf")})] == 1
    assert samples["inview_chunks_total", frozenset()] > 0
    assert samples["inview_runs_in_flight", frozenset()] == 0
    assert samples["inview_calls_on", frozenset()] == samples["inview_calls_waiting", frozenset()] == 0
    assert samples["inview_database_waits_total", frozenset()] > 0
    said = str(samples)
    assert "secret" not in said
    assert conversation_id not in said
    assert LOCAL_OWNER not in said


async def test_a_failed_call_is_counted_by_its_class(measured: Api) -> None:
    conversation_id = await create_conversation(measured, model="offline:demo")
    await follow(measured, (await send(measured, conversation_id, "/fail auth"))["run_id"])

    samples = await read(measured)

    assert samples["inview_call_errors_total", frozenset({("class", "auth")})] == 1
    assert measured.wb.measures.providers["offline"].error_class == "auth"


async def test_metrics_are_off_unless_they_are_asked_for(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api, httpx2.AsyncClient(base_url=f"http://{api.host}") as http:
        assert (await http.get("/metrics")).status_code == 404


async def test_with_accounts_only_tokens_of_admins_read_metrics(tmp_path: Path) -> None:
    async with serve_api(tmp_path, INVIEW_METRICS="on", INVIEW_ACCOUNTS="on") as api:
        tokens: dict[str, str] = {}
        for name, role in ((LOCAL_OWNER, Role.OWNER), ("ben", Role.MEMBER)):
            person = Person(name, name, f"{name}@example.org", role, disabled=False, created_at=now())
            async with api.wb.store.write() as session:
                await insert_person(session, person, "")
            tokens[name] = (await make_token(api.wb.store, name, NewToken("watch", ("read",), 1)))[1]
        writer = (await make_token(api.wb.store, LOCAL_OWNER, NewToken("write", ("write",), 1)))[1]
        async with httpx2.AsyncClient(base_url=f"http://{api.host}") as http:
            statuses = [
                (await http.get("/metrics", headers={"Authorization": f"Bearer {text}"} if text else {})).status_code
                for text in (None, tokens["ben"], writer)
            ]

        assert statuses == [401, 403, 403]
        assert await read(api, Authorization=f"Bearer {tokens[LOCAL_OWNER]}")


def test_only_so_many_models_get_names_of_their_own() -> None:
    seen = Measures()

    for number in range(MAX_MODELS + 5):
        seen.note_call(a_call(f"vendor:m{number}", Lifecycle.SUCCEEDED), 0.1)
    seen.note_call(a_call("vendor:never-answered", Lifecycle.ERROR), None)

    assert len({model for model, _ in seen.calls}) == MAX_MODELS + 1
    assert seen.calls[OTHER, "succeeded"] == 5
    assert seen.calls[OTHER, "error"] == 1


def a_call(model: str, outcome: Lifecycle) -> Call:
    return Call(new_id(), "o", "c", "p", new_id(), 1, model, outcome, now(), now())
