"""Structured replies: the schema is part of the request. The reply is checked during the stream and after."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from sqlalchemy import update

from app.domain.conversation.conversation import Parameters
from app.domain.errors import ConflictError, InputError
from app.domain.structured.partial_json import read_partial
from app.domain.structured.structured_replies import is_repair, is_strict, write_schema
from app.runs.app_context import AppContext
from app.runs.resend.resend import ResendOptions, resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send import structured_replies
from app.runs.send.commands import preview_send
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.send.structured_replies import judge, read_structured, require_schema
from app.runs.transfer.export_json import write_pair
from app.runs.transfer.importing import import_file
from app.store.conversation.pairs import load_pairs
from app.store.conversation.rows import PAIR
from app.store.transfer.pair_records import load_records
from tests.runs.steps import a_conversation, collect, pair_of, reply_to, send, wait_for_text
from tests.schema_check.attacks import ATTACKS

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
SCHEMA = write_schema(PERSON)
ASKED = Parameters(reply_schema=SCHEMA)


async def faults_of(text: str, schema: str = SCHEMA, *, final: bool = True) -> list[str]:
    judged = await judge(schema, read_partial(text, final=final), account="me")
    return [f"{list(fault.path)} {fault.message}" for fault in judged.faults]


async def test_a_value_that_fits_has_no_faults_and_one_that_does_not_says_where() -> None:
    assert await faults_of('{"name": "Ada", "age": 36}') == []
    assert await faults_of('{"name": 1}') == ["['name'] 1 is not of type 'string'", "[] 'age' is a required property"]
    assert await faults_of("Sorry.") == ["[] The reply has no JSON."]
    assert await faults_of('Here: {"name": "Ada", "age": 36}') == ["[] There is text outside the JSON."]


@pytest.mark.parametrize(
    ("beginning", "faults"),
    [
        ("", []),
        ('{"name": "A', []),
        ('{"name": "Ada"', []),
        ('{"name": "A",', ["['name'] 'A' is too short"]),
        ('{"age": 3', []),
        ('{"age": 3.5,', ["['age'] 3.5 is not of type 'integer'"]),
        ('{"nickname": "A', ["[] Additional properties are not allowed ('nickname' was unexpected)"]),
        ("[", ["[] [] is not of type 'object'"]),
        ('{"age": "', ["['age'] '' is not of type 'integer'"]),
    ],
)
async def test_while_a_reply_comes_only_what_nothing_can_mend_is_a_fault(beginning: str, faults: list[str]) -> None:
    assert await faults_of(beginning, final=False) == faults


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "nothing"}, "not valid"),
        ({"$ref": "https://example.com/schema"}, "Only references within the schema"),
        ({"$ref": "#/nowhere"}, "cannot be used"),
        ({"$ref": "#"}, "cannot be used"),
        ({"$defs": ATTACKS["references that multiply"][0]["$defs"], "$ref": "#/$defs/s0"}, "takes more than 2 seconds"),
        ([], "not a JSON object"),
        ({"a": "x" * 60_000}, "The maximum is"),
        ({"a": float("nan")}, "has NaN or a number beyond"),
        ({"a": "\ud800"}, "cannot be written"),
    ],
)
async def test_what_is_no_schema_or_leads_elsewhere_is_refused(schema: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        await require_schema(write_schema(schema))


async def test_reply_to_a_schema_that_takes_too_long_is_shown_and_no_repair_is_offered(ctx: AppContext) -> None:
    schema, value = ATTACKS["a pattern that backtracks"]
    conversation = await a_conversation(ctx, model="offline:demo")

    asked = Parameters(reply_schema=write_schema(schema))
    ended = await reply_to(ctx, conversation, f"/echo {json.dumps(value)}", parameters=asked)
    structured = await read_structured(ctx, LOCAL_OWNER, ended.pair.id)

    assert (structured.found, structured.value, structured.repair) == (True, value, None)
    assert [fault.message.partition("; ")[0] for fault in structured.faults] == [
        "The reply was not checked: its schema takes more than 2 seconds to check"
    ]


async def test_reply_that_is_too_long_is_not_read_as_json(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structured_replies, "MAX_CHARACTERS", 1_000)
    conversation = await a_conversation(ctx, model="offline:demo")

    ended = await reply_to(ctx, conversation, "/echo " + "[" * 1_001, parameters=ASKED)
    structured = await read_structured(ctx, LOCAL_OWNER, ended.pair.id)

    assert (structured.found, structured.repair) == (False, None)
    assert "has 1,001 characters. Inview reads at most 1,000 as JSON" in structured.faults[0].message


@pytest.mark.parametrize("stored", ["{", "[]", "[" * 9_999])
async def test_invalid_stored_schema_is_reported_and_its_reply_stays(ctx: AppContext, stored: str) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx, model="offline:demo"), "/echo 1", parameters=ASKED)
    async with ctx.store.write() as session:
        await session.execute(update(PAIR).values(parameters={"reply_schema": stored}))

    with pytest.raises(ConflictError, match="The schema of pair"):
        await read_structured(ctx, LOCAL_OWNER, ended.pair.id)
    with pytest.raises(InputError, match="schema"):
        await resend_pair(ctx, LOCAL_OWNER, ended.pair.id, ResendOptions(options=ViewOptions()), text="Again?")
    assert (await pair_of(ctx, ended.pair.id)).reply == ended.pair.reply


async def test_imported_pair_whose_schema_is_none_is_not_sent_again(ctx: AppContext) -> None:
    parameters = {"reply_schema": '{"type": 3}'}
    pair = {"user_text": "?", "reply_text": "1", "model": "offline:demo", "parameters": parameters}
    (imported,) = await import_file(ctx, LOCAL_OWNER, orjson.dumps({"title": "x", "pairs": [pair]}))
    async with ctx.store.read() as session:
        (stored,) = await load_pairs(session, LOCAL_OWNER, imported.id)

    with pytest.raises(InputError, match=r"schema\.type: 3 is not valid"):
        await resend_pair(ctx, LOCAL_OWNER, stored.id, ResendOptions(options=ViewOptions()), text="Again?")


async def test_an_invalid_pattern_is_reported_and_breaks_nothing() -> None:
    assert (
        "not a JSON schema: '(' is not a 'regex'"
        in (await faults_of('{"a": "x"}', write_schema({"properties": {"a": {"pattern": "("}}})))[0]
    )


def test_strict_mode_is_asked_for_only_where_every_object_is_closed_and_whole() -> None:
    assert is_strict(SCHEMA)
    assert not is_strict(write_schema(PERSON | {"required": ["name"]}))
    assert not is_strict(write_schema(PERSON | {"additionalProperties": True}))
    assert not is_strict(write_schema({"type": "array", "items": PERSON}))


async def test_the_schema_is_part_of_the_request_its_hash_and_its_estimate(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")

    plain = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Who?"))
    asked = await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest("Who?", parameters=ASKED))

    assert orjson.loads(asked.wire.body)["schema"] == PERSON
    assert plain.hashes != asked.hashes
    more = asked.composed.composition.estimate.tokens - plain.composed.composition.estimate.tokens
    assert len(SCHEMA) / 6 < more < len(SCHEMA)


async def test_a_model_that_takes_no_schema_is_refused_before_anything_is_stored(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:tiny")

    with pytest.raises(InputError, match="Choose a model that supports it"):
        await send(ctx, conversation, "Who?", parameters=ASKED)


async def test_a_reply_is_read_as_it_comes_and_one_repair_is_offered(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    started = await send(ctx, conversation, '/rate 30\n/echo {"name": 1, "nick": "' + "a " * 40, parameters=ASKED)
    await wait_for_text(ctx, started, 30)

    coming = await read_structured(ctx, LOCAL_OWNER, started.pair_id)
    await collect(ctx, started.run_id)
    over = await read_structured(ctx, LOCAL_OWNER, started.pair_id)
    again = await reply_to(ctx, conversation, f"{over.repair}\n/echo 1", parameters=ASKED)
    repaired = await read_structured(ctx, LOCAL_OWNER, again.pair.id)

    assert coming.running
    assert coming.repair is None
    assert [list(fault.path) for fault in coming.faults] == [["name"], []]
    assert not over.running
    assert over.repair is not None
    assert is_repair(over.repair)
    assert "$.name: 1 is not of type 'string'" in over.repair
    assert repaired.faults != ()
    assert repaired.repair is None


async def test_a_pair_keeps_its_schema_when_it_is_sent_again_and_when_it_is_exported(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    first = await reply_to(ctx, conversation, "Who is it?", parameters=ASKED)

    again = await resend_pair(ctx, LOCAL_OWNER, first.pair.id, ResendOptions(options=ViewOptions()), text="Who else?")
    await collect(ctx, again.started.run_id)
    async with ctx.store.read() as session:
        (record,) = await load_records(session, LOCAL_OWNER, [first.pair.id])

    assert json.loads(first.text) == {"name": "name 1", "age": 1}
    assert (await read_structured(ctx, LOCAL_OWNER, first.pair.id)).faults == ()
    assert (await pair_of(ctx, first.pair.id)).parameters == ASKED
    assert SCHEMA in json.loads(json.dumps(write_pair(record, {}), default=str))["parameters"]["reply_schema"]


async def test_a_reply_without_a_schema_is_not_read_as_json(ctx: AppContext) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx, model="offline:demo"), "/echo 1")

    with pytest.raises(ConflictError, match="has no schema"):
        await read_structured(ctx, LOCAL_OWNER, ended.pair.id)
