"""Structured replies over HTTP: a schema on a send, the checked reply, and requests that are refused."""

from __future__ import annotations

import json

from tests.api.served import Api
from tests.api.talk import create_conversation, follow, send

JSON = {"Content-Type": "application/json"}
SCHEMA = {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "integer"}}}}


async def test_a_reply_is_returned_as_json_with_its_faults_and_a_repair(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    started = await send(api, conversation, '/echo {"items": [1, "two"]}', schema=SCHEMA)
    await follow(api, started["run_id"])

    told = (await api.http.get(f"/pairs/{started['pair_id']}/structured")).json()
    (pair,) = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]
    repair = await send(api, conversation, told["repair"], schema=SCHEMA)
    await follow(api, repair["run_id"])
    repaired = (await api.http.get(f"/pairs/{repair['pair_id']}/structured")).json()

    assert told["value"] == {"items": [1, "two"]}
    assert told["errors"] == [
        {"path": ["items", 1], "place": "$.items[1]", "message": "'two' is not of type 'integer'"}
    ]
    assert (told["schema"], told["valid"], pair["structured"]) == (SCHEMA, False, True)
    assert (repaired["valid"], repaired["value"]) == (True, {"items": [1, 2, 3]})


async def test_the_preview_shows_the_schema_as_it_is_sent(api: Api) -> None:
    conversation = await create_conversation(api, model="anthropic:claude-sonnet-4-5")

    shown = (await api.http.post(f"/conversations/{conversation}/preview", json={"text": "?", "schema": SCHEMA})).json()

    assert shown["body"]["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert '"items"' in shown["parameters"]["reply_schema"]


async def test_what_is_no_schema_is_refused_with_its_place(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")

    bad = {"type": "object", "properties": {"a": {"type": "nothing"}}}
    refused = await api.http.post(f"/conversations/{conversation}/send", json={"text": "?", "schema": bad})
    checked = await api.http.post("/schemas/check", json={"schema": bad})
    fine = await api.http.post("/schemas/check", json={"schema": SCHEMA})

    assert refused.status_code == checked.status_code == 422
    assert refused.json()["errors"][0]["field"] == "schema.properties.a.type"
    assert (fine.status_code, fine.json()["strict"]) == (200, False)


async def test_a_pair_without_a_schema_has_nothing_structured(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    started = await send(api, conversation, "/echo 1")
    await follow(api, started["run_id"])

    assert (await api.http.get(f"/pairs/{started['pair_id']}/structured")).status_code == 409
    assert (await api.http.get("/pairs/nobody/structured")).status_code == 404


async def test_a_schema_with_a_number_beyond_a_double_is_refused_wherever_it_comes_from(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    big = {"type": "object", "properties": {"a": {"maximum": 10**400}}}
    pair = {"user_text": "?", "reply_text": "{}", "model": "offline:demo"}

    refused = [
        await api.http.post(f"/conversations/{conversation}/send", json={"text": "?", "schema": big}),
        await api.http.post("/schemas/check", content=b'{"schema": {"maximum": 1e400}}', headers=JSON),
        await api.http.post("/import", json={"pairs": [{**pair, "parameters": {"reply_schema": json.dumps(big)}}]}),
    ]

    for one in refused:
        assert one.status_code == 422
        assert "has NaN or a number beyond ±1.8e308" in one.json()["errors"][0]["reason"]


async def test_a_reply_with_a_number_beyond_a_double_says_where(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    started = await send(api, conversation, f'/echo {{"items": [1, {10**400}]}}', schema=SCHEMA)
    await follow(api, started["run_id"])

    told = await api.http.get(f"/pairs/{started['pair_id']}/structured")

    assert told.status_code == 200
    assert told.json()["errors"][0]["message"] == "A number is too large at character 14."


async def test_whole_numbers_of_more_than_64_bits_are_returned_exactly(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    schema = {"type": "object", "properties": {"items": {"items": {"maximum": 10**30}}}}
    started = await send(api, conversation, f'/echo {{"items": [{10**29}, {10**31}]}}', schema=schema)
    await follow(api, started["run_id"])

    told = (await api.http.get(f"/pairs/{started['pair_id']}/structured")).json()

    assert (told["value"], told["schema"]) == ({"items": [10**29, 10**31]}, schema)
    assert [error["path"] for error in told["errors"]] == [["items", 1]]
