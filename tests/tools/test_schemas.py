from __future__ import annotations

import json
from typing import Any

import pytest

from app.tools.mcp.schemas import check_arguments
from tests.schema_check.attacks import ATTACKS

READ: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "head": {"type": "integer", "minimum": 1},
        "pattern": {"type": "string"},
        "edits": {"type": "array", "items": {"type": "object", "required": ["old"]}},
    },
    "required": ["path"],
    "additionalProperties": False,
}


CASES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"path": "/a"}, {}),
    ({"path": "/a", "head": 3, "pattern": "("}, {}),
    ({}, {"": "'path' is a required property"}),
    ({"path": 3}, {"path": "3 is not of type 'string'"}),
    ({"path": "/a", "head": 0}, {"head": "0 is less than the minimum of 1"}),
    ({"path": "/a", "edits": [{}]}, {"edits.0": "'old' is a required property"}),
    ({"path": "/a", "x": 1}, {"": "Additional properties are not allowed ('x' was unexpected)"}),
]


@pytest.mark.parametrize(("arguments", "wrong"), CASES)
async def test_arguments_are_checked_against_the_schema(arguments: dict[str, Any], wrong: dict[str, str]) -> None:
    assert dict(await check_arguments(json.dumps(READ), arguments, account="me")) == wrong


@pytest.mark.parametrize("schema", ["", "[]", "7", '{"type": "no such type"}', '{"$ref":"#"}', '{"$ref":"#/nowhere"}'])
async def test_a_schema_that_cannot_be_used_leaves_the_judgement_to_the_server(schema: str) -> None:
    assert await check_arguments(schema, {"a": 1}, account="me") == ()


async def test_nothing_is_fetched_for_a_schema() -> None:
    schema = {"$ref": "http://127.0.0.1:9/schema.json"}

    assert await check_arguments(json.dumps(schema), {"a": 1}, account="me") == ()


@pytest.mark.parametrize("name", ATTACKS)
async def test_schema_of_a_server_that_takes_too_long_leaves_the_judgement_to_the_server(name: str) -> None:
    schema, value = ATTACKS[name]

    assert await check_arguments(json.dumps(schema), value, account="me") == ()
    assert dict(await check_arguments(json.dumps(READ), {}, account="me")) == {"": "'path' is a required property"}


async def test_pattern_of_a_server_is_checked() -> None:
    schema = {"properties": {"a": {"pattern": "^[0-9]+$"}}}

    assert await check_arguments(json.dumps(schema), {"a": "12"}, account="me") == ()
    assert dict(await check_arguments(json.dumps(schema), {"a": "x"}, account="me")) == {
        "a": "'x' does not match '^[0-9]+$'"
    }


async def test_twenty_of_a_thousand_errors_are_reported() -> None:
    schema = {"items": {}, "additionalProperties": {"type": "string"}}

    assert len(await check_arguments(json.dumps(schema), {f"a{n}": n for n in range(1000)}, account="me")) == 20
