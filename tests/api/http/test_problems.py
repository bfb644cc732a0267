"""Every error is a problem document: its content, and that nothing else leaks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
import structlog

from app.api.http import health
from app.api.http.bodies import MAX_BODY
from app.api.resources.conversation import conversations
from app.domain.errors import StoreError
from app.store.database.migrations import HEAD
from tests.api.served import Api, serve_api
from tests.api.talk import create_conversation

JSON = {"Content-Type": "application/json"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def api(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path_factory.mktemp("data")) as served:
        yield served


pytestmark = pytest.mark.asyncio(loop_scope="module")


def problem(answer: httpx2.Response, status: int, name: str) -> dict[str, Any]:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    shown = answer.json()
    assert (shown["type"], shown["status"]) == (f"urn:inview:problem:{name}", status)
    assert shown["title"]
    assert shown["detail"]
    return shown


async def test_unknown_address_is_a_problem_too(api: Api):
    problem(await api.http.get("/nothing/here"), 404, "no-such-route")
    problem(await api.http.get("/conversations/"), 404, "no-such-route")


async def test_wrong_method_names_all_that_the_address_takes(api: Api):
    for path, allowed in (("/conversations", "GET, POST"), ("/conversations/x", "GET, PATCH, DELETE")):
        answer = await api.http.put(path)

        problem(answer, 405, "method-not-allowed")
        assert sorted(answer.headers["allow"].split(", ")) == sorted(allowed.split(", "))


@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", "application/xml, image/*"])
async def test_unacceptable_media_type_is_refused(api: Api, accept: str):
    problem(await api.http.get("/conversations", headers={"Accept": accept}), 406, "not-acceptable")


@pytest.mark.parametrize(
    "accept", ["", "*/*", "application/*", "text/html, */*;q=0.1", "application/json; charset=utf-8"]
)
async def test_every_way_to_accept_json_works(api: Api, accept: str):
    assert (await api.http.get("/conversations", headers={"Accept": accept})).status_code == 200


@pytest.mark.parametrize(
    "content_type", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
async def test_body_that_does_not_say_it_is_json_is_refused(api: Api, content_type: str | None):
    headers = {"Content-Type": content_type} if content_type else {}

    problem(await api.http.post("/conversations", content=b"{}", headers=headers), 415, "unsupported-media-type")


@pytest.mark.parametrize("body", [b"{", b"{'title': 1}", b"\xff\xfe", b"[" * 100_000, b'{"title": "\x00"}'])
async def test_body_that_is_not_json_is_malformed(api: Api, body: bytes):
    problem(await api.http.post("/conversations", content=body, headers=JSON), 400, "malformed-body")


async def test_announced_body_over_the_limit_is_refused_unread(api: Api):
    answer = await api.http.post("/conversations", content=b" " * (MAX_BODY + 1), headers=JSON)

    problem(answer, 413, "body-too-large")


async def test_unannounced_body_is_refused_where_it_passes_the_limit(api: Api):
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(2 * MAX_BODY // 1_000_000):
            yield b" " * 1_000_000

    problem(await api.http.post("/conversations", content=endless(), headers=JSON), 413, "body-too-large")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"titel": "x"}', "titel"),
        (b'{"title": 1}', "title"),
        (b'{"title": null}', "title"),
        (b'{"title": "\\ud800"}', "title"),
        (b'{"\\ud800": 1}', "body"),
        (b'{"model": "gpt"}', "model"),
        (b'{"title": "' + b"x" * 301 + b'"}', "title"),
        (b"[]", "body"),
        (b"", "body"),
        (b"null", "body"),
    ],
)
async def test_input_that_cannot_be_used_names_the_field(api: Api, body: bytes, field: str):
    shown = problem(await api.http.post("/conversations", content=body, headers=JSON), 422, "invalid-input")

    assert [error["field"] for error in shown["errors"]] == [field]
    assert shown["errors"][0]["reason"]


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"temperature": 2.1}, "parameters.temperature"),
        ({"top_p": -0.1}, "parameters.top_p"),
        ({"max_output_tokens": 0}, "parameters.max_output_tokens"),
        ({"seed": 1.5}, "parameters.seed"),
        ({"effort": "some"}, "parameters.effort"),
        ({"thinking": "yes"}, "parameters.thinking"),
        ({"top_k": 1}, "parameters.top_k"),
    ],
)
async def test_parameter_of_a_model_out_of_range_names_its_path(api: Api, parameters: dict[str, Any], field: str):
    conversation_id = await create_conversation(api)

    answer = await api.http.post(
        f"/conversations/{conversation_id}/send", json={"text": "Hi", "parameters": parameters}
    )

    assert [error["field"] for error in problem(answer, 422, "invalid-input")["errors"]] == [field]
    assert (await api.http.get(f"/conversations/{conversation_id}")).json()["pair_count"] == 0


async def test_parameter_that_is_no_number_is_refused_though_python_reads_it(api: Api):
    conversation_id = await create_conversation(api)
    body = b'{"text": "Hi", "parameters": {"temperature": NaN}}'

    answer = await api.http.post(f"/conversations/{conversation_id}/send", content=body, headers=JSON)

    problem(answer, 422, "invalid-input")


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\x1c", "\x85", "\u2003", "\ufeff"])
async def test_blank_text_is_never_sent(api: Api, text: str):
    conversation_id = await create_conversation(api)

    answer = await api.http.post(f"/conversations/{conversation_id}/send", json={"text": text})

    assert problem(answer, 422, "invalid-input")["errors"] == [
        {"field": "text", "reason": "The text is blank. Write something to send."}
    ]


async def test_unknown_model_is_refused_before_anything_is_stored(api: Api):
    conversation_id = await create_conversation(api)

    answer = await api.http.post(f"/conversations/{conversation_id}/send", json={"text": "Hi", "model": "nobody:x"})

    assert problem(answer, 422, "invalid-input")["errors"][0]["field"] == "model"
    assert (await api.http.get(f"/conversations/{conversation_id}")).json()["pair_count"] == 0


async def test_provider_without_a_key_says_what_to_do(api: Api):
    conversation_id = await create_conversation(api)

    answer = await api.http.post(
        f"/conversations/{conversation_id}/send", json={"text": "Hi", "model": "anthropic:claude-sonnet-4-5"}
    )

    shown = problem(answer, 422, "provider-refused")
    assert (shown["error_class"], shown["next_step"]) == ("auth", "Add or correct the key in Settings → Providers.")


@pytest.mark.parametrize("path", ["/conversations", "/conversations/x", "/conversations/x/pairs", "/health"])
async def test_unknown_parameter_is_refused_rather_than_ignored(api: Api, path: str):
    answer = await api.http.get(path, params={"fliter": "s3"})

    assert problem(answer, 422, "invalid-input")["errors"][0]["field"] == "fliter"


@pytest.mark.parametrize("params", [{"limit": "0"}, {"limit": "x"}, {"cursor": "x"}, {"cursor": "after-1' OR 1=1"}])
async def test_page_that_cannot_be_is_refused(api: Api, params: dict[str, str]):
    shown = problem(await api.http.get("/conversations/x/pairs", params=params), 422, "invalid-input")

    assert [error["field"] for error in shown["errors"]] == list(params)


@pytest.mark.parametrize("path", ["/conversations/x", "/conversations/%00", "/conversations/%ff", "/runs/x/events"])
async def test_id_of_nothing_is_not_found(api: Api, path: str):
    problem(await api.http.get(path), 404, "not-found")


async def test_change_of_nothing_is_refused(api: Api):
    conversation_id = await create_conversation(api)

    answer = await api.http.patch(f"/conversations/{conversation_id}", json={})

    assert problem(answer, 422, "invalid-input")["errors"][0]["field"] == "body"


async def test_unexpected_error_is_logged_under_the_id_it_names_and_reveals_nothing_else(
    api: Api, monkeypatch: pytest.MonkeyPatch
):
    async def fail(*_: object, **__: object) -> None:
        raise KeyError("a secret of the house")

    monkeypatch.setattr(conversations, "describe_listed", fail)

    with structlog.testing.capture_logs() as logged:
        answer = await api.http.get("/conversations/x")

    shown = problem(answer, 500, "internal")
    assert "secret" not in answer.text
    assert [(entry["log_id"], entry["log_level"]) for entry in logged] == [(shown["log_id"], "error")]


async def test_database_that_cannot_be_used_makes_the_server_not_ready(api: Api, monkeypatch: pytest.MonkeyPatch):
    def fail(_url: str) -> None:
        raise StoreError(f"The database is at revision 0000, not {HEAD}.")

    monkeypatch.setattr(health, "check", fail)

    with structlog.testing.capture_logs() as logged:
        shown = problem(await api.http.get("/ready"), 503, "not-ready")

    assert shown["log_id"] == logged[0]["log_id"]
    assert "0000" not in shown["detail"]


def take_away_database(data_dir: Path) -> None:
    for file in data_dir.glob("inview.db*"):
        file.unlink()


async def test_database_that_was_taken_away_makes_the_server_not_ready(tmp_path: Path):
    async with serve_api(tmp_path) as api:
        assert (await api.http.get("/ready")).status_code == 200
        take_away_database(tmp_path)

        with structlog.testing.capture_logs():
            problem(await api.http.get("/ready"), 503, "not-ready")
