from __future__ import annotations

import json
import time
from typing import Any

import pytest

from app.tools.schemas import check_arguments

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
def test_arguments_are_checked_against_the_schema(arguments: dict[str, Any], wrong: dict[str, str]) -> None:
    assert dict(check_arguments(json.dumps(READ), arguments)) == wrong


@pytest.mark.parametrize("schema", ["", "[]", "7", '{"type": "no such type"}', '{"$ref":"#"}', '{"$ref":"#/nowhere"}'])
def test_a_schema_that_cannot_be_used_leaves_the_judgement_to_the_server(schema: str) -> None:
    assert check_arguments(schema, {"a": 1}) == ()


def test_nothing_is_fetched_for_a_schema() -> None:
    schema = {"$ref": "http://127.0.0.1:9/schema.json"}

    assert check_arguments(json.dumps(schema), {"a": 1}) == ()


def test_a_regular_expression_of_a_server_stops_nobody() -> None:
    slow = "^(a+)+$"
    schema: dict[str, Any] = {
        "properties": {"a": {"pattern": slow}},
        "patternProperties": {slow: {}},
        "additionalProperties": False,
    }
    began = time.perf_counter()

    assert check_arguments(json.dumps(schema), {"a": "a" * 40 + "!", "a" * 40 + "!": 1}) == ()
    assert time.perf_counter() - began < 5


def test_a_thousand_faults_are_told_as_twenty() -> None:
    schema = {"items": {}, "additionalProperties": {"type": "string"}}

    assert len(check_arguments(json.dumps(schema), {f"a{n}": n for n in range(1000)})) == 20


def test_schema_whose_references_multiply_is_given_up_and_says_nothing() -> None:
    steps = {f"s{n}": {"anyOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 3} for n in range(40)}
    schema = json.dumps({"$defs": {**steps, "s40": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/s0"}}})

    assert check_arguments(schema, {"a": 1}) == ()
    assert check_arguments(schema, {"b": 1}) == ()
