"""Parameters over HTTP: of a conversation, of one send, and of a stored pair."""

from __future__ import annotations

import pytest

from tests.api.served import Api

NOTHING = dict.fromkeys(("temperature", "top_p", "max_output_tokens", "seed", "effort", "thinking"))


async def test_a_conversation_is_created_read_and_changed_with_parameters(api: Api):
    made = await api.http.post("/conversations", json={"model": "offline:demo", "parameters": {"temperature": 0.2}})
    path = f"/conversations/{made.json()['id']}"

    assert made.json()["parameters"] == NOTHING | {"temperature": 0.2}
    changed = await api.http.patch(path, json={"parameters": {"seed": 7, "effort": "low"}})
    assert changed.json()["parameters"] == NOTHING | {"seed": 7, "effort": "low"}, "replaced as a whole"
    assert (await api.http.patch(path, json={"title": "x"})).json()["parameters"] == changed.json()["parameters"]
    assert (await api.http.get(path)).json()["parameters"] == changed.json()["parameters"]
    assert (await api.http.patch(path, json={"parameters": {}})).json()["parameters"] == NOTHING


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"temperature": 3}, "parameters.temperature"),
        ({"top_p": -1}, "parameters.top_p"),
        ({"max_output_tokens": 0}, "parameters.max_output_tokens"),
        ({"seed": 1.5}, "parameters.seed"),
        ({"effort": "very"}, "parameters.effort"),
        ({"warmth": 1}, "parameters.warmth"),
    ],
)
async def test_a_value_that_cannot_be_used_is_refused_by_its_field(
    api: Api, parameters: dict[str, object], field: str
) -> None:
    path = f"/conversations/{(await api.http.post('/conversations', json={})).json()['id']}"

    refused = await api.http.patch(path, json={"parameters": parameters})

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field)


async def test_what_was_sent_is_in_the_preview_the_pair_and_its_versions(api: Api):
    made = await api.http.post("/conversations", json={"model": "offline:demo", "parameters": {"temperature": 0.2}})
    path = f"/conversations/{made.json()['id']}"
    body = {"text": "/echo Hello", "parameters": {"seed": 7}}

    shown = (await api.http.post(f"{path}/preview", json=body)).json()
    sent = await api.http.post(f"{path}/send", json=body, headers={"Accept": "application/json"})
    await api.http.get(f"/runs/{sent.json()['run_id']}/events")

    asked = {"temperature": 0.2, "seed": 7}
    assert shown["parameters"] == asked
    assert shown["body"].items() >= asked.items()
    (pair,) = (await api.http.get(f"{path}/pairs")).json()["items"]
    assert pair["parameters"] == NOTHING | asked
    await api.http.patch(path, json={"parameters": {"temperature": 0.9}})
    again = await api.http.post(
        f"/pairs/{pair['id']}/resend", json={"parameters": {}}, headers={"Accept": "application/json"}
    )
    await api.http.get(f"/runs/{again.json()['run_id']}/events")
    versions = (await api.http.get(f"/pairs/{pair['id']}/versions")).json()["items"]
    assert [one["parameters"] for one in versions] == [NOTHING | asked, NOTHING | {"temperature": 0.9}]


async def test_a_send_that_the_model_does_not_take_names_the_parameter(api: Api):
    path = f"/conversations/{(await api.http.post('/conversations', json={})).json()['id']}"
    body = {"text": "Hello", "model": "anthropic:claude-sonnet-4-5", "parameters": {"seed": 7}}

    refused = await api.http.post(f"{path}/preview", json=body)

    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "parameters.seed")
    assert "Anthropic does not support a seed" in refused.json()["errors"][0]["reason"]


async def test_parameters_survive_export_and_import(api: Api):
    made = await api.http.post("/conversations", json={"title": "Asked", "parameters": {"temperature": 0.2, "seed": 7}})
    file = (await api.http.get(f"/conversations/{made.json()['id']}/export")).json()
    assert file["conversations"][0]["parameters"] == {"temperature": 0.2, "seed": 7}

    await api.http.post("/import", json=file)
    items = (await api.http.get("/conversations")).json()["items"]
    assert [one["parameters"] for one in items] == [NOTHING | {"temperature": 0.2, "seed": 7}] * 2

    file["conversations"][0]["parameters"]["temperature"] = 5
    refused = await api.http.post("/import", json=file)
    assert refused.status_code == 422
    assert "parameters.temperature" in refused.text


async def test_a_conversation_says_when_its_failed_calls_are_made_again(api: Api):
    made = await api.http.post("/conversations", json={"model": "offline:demo", "retry_policy": "none"})
    path = f"/conversations/{made.json()['id']}"
    assert made.json()["retry_policy"] == "none"

    sent = await api.http.post(
        f"{path}/send", json={"text": "/fail overloaded"}, headers={"Accept": "application/json"}
    )
    log = (await api.http.get(f"/runs/{sent.json()['run_id']}/events")).text
    assert "event: retry" not in log

    changed = await api.http.patch(path, json={"retry_policy": "linear"})
    assert changed.json()["retry_policy"] == "linear"
    file = (await api.http.get(f"{path}/export")).json()
    assert file["conversations"][0]["retry_policy"] == "linear"
    assert (await api.http.patch(path, json={"retry_policy": "often"})).status_code == 422


async def test_a_conversation_says_how_often_and_how_late_failed_calls_are_made_again(api: Api):
    limits = {"max_retries": 5, "max_backoff_seconds": 0.1}
    made = await api.http.post("/conversations", json={"model": "offline:demo", "retry_limits": limits})
    path = f"/conversations/{made.json()['id']}"
    assert made.json()["retry_limits"] == limits

    sent = await api.http.post(
        f"{path}/send", json={"text": "/fail overloaded"}, headers={"Accept": "application/json"}
    )
    log = (await api.http.get(f"/runs/{sent.json()['run_id']}/events")).text
    assert log.count("event: retry") == 5

    file = (await api.http.get(f"{path}/export")).json()
    assert file["conversations"][0]["retry_limits"] == limits
    imported = (await api.http.post("/import", json=file)).json()["conversations"][0]["id"]
    assert (await api.http.get(f"/conversations/{imported}")).json()["retry_limits"] == limits

    usual = (await api.http.patch(path, json={"retry_limits": {}})).json()["retry_limits"]
    assert usual == {"max_retries": None, "max_backoff_seconds": None}
    refused = await api.http.patch(path, json={"retry_limits": {"max_retries": 11}})
    assert [error["field"] for error in refused.json()["errors"]] == ["retry_limits.max_retries"]


async def test_a_conversation_chooses_its_middleware(api: Api):
    own = {"user_context": False, "redaction": True}
    made = await api.http.post("/conversations", json={"model": "offline:demo", "middleware": own})
    path = f"/conversations/{made.json()['id']}"
    assert made.json()["middleware"] == own

    file = (await api.http.get(f"{path}/export")).json()
    assert file["conversations"][0]["middleware"] == own
    imported = (await api.http.post("/import", json=file)).json()["conversations"][0]["id"]
    assert (await api.http.get(f"/conversations/{imported}")).json()["middleware"] == own

    usual = (await api.http.patch(path, json={"middleware": {}})).json()["middleware"]
    assert usual == {"user_context": True, "redaction": None}
    for wrong in ({"user_context": None}, {"redaction": "on"}, {"clock": True}):
        refused = await api.http.patch(path, json={"middleware": wrong})
        assert refused.status_code == 422, wrong
    assert (await api.http.get(path)).json()["middleware"] == usual
