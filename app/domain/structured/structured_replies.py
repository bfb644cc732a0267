"""Structured replies: the JSON schema that a reply must match, and the text that asks a model to repair a reply.

The schema is one of the parameters of a send. It is stored as a text in a fixed form, so equal schemas give equal
requests, hashes, previews and exports. `runs/send/structured_replies.py` checks a reply against it.

    >>> write_schema({"type": "object", "properties": {}})
    '{"type":"object","properties":{}}'
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from app.domain.errors import InputError
from app.domain.structured.partial_json import JsonPath, name_path

FIELD: Final = "schema"
MAX_CHARACTERS: Final = 50_000
MAX_DEPTH: Final = 60
NAME: Final = "reply"
"""The name of the schema in a request. OpenAI's protocols require a name."""

_REPAIR: Final = "Your last reply does not match the required JSON schema:"
_NO_NUMBER: Final = "has NaN or a number beyond ±1.8e308, which JSON parsers do not support. Write a smaller one."
_AGAIN: Final = "Answer again with the complete corrected JSON. Do not change correct parts, and write nothing else."
MAX_TOLD: Final = 20


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """A place where a value does not match its schema, and the reason.

    `path` is the path from the root of the value.
    """

    path: JsonPath
    message: str


def write_schema(schema: object) -> str:
    """Write a schema as text, without blanks, with its fields in their order.

    Raises:
        InputError: the schema is not an object, is too large or too deeply nested, contains a number that other JSON
            readers cannot read, or refers to an external schema.
    """
    if not isinstance(schema, dict):
        raise InputError(FIELD, 'is not a JSON object. Write a schema such as {"type": "object"}.')
    too_deep = InputError(FIELD, f"is nested more than {MAX_DEPTH} levels deep.")
    try:
        text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(FIELD, f"cannot be written as JSON ({error}).") from error
    except ValueError as error:
        raise InputError(FIELD, _NO_NUMBER) from error
    except RecursionError as error:
        raise too_deep from error
    if len(text) > MAX_CHARACTERS:
        raise InputError(FIELD, f"has {len(text):,} characters. The maximum is {MAX_CHARACTERS:,}.")
    for depth, value in _walk(cast("object", schema), 0):
        if depth > MAX_DEPTH:
            raise too_deep
        if isinstance(value, int | float) and abs(value) > sys.float_info.max:
            raise InputError(FIELD, _NO_NUMBER)
        reference = cast("Mapping[str, object]", value).get("$ref") if isinstance(value, dict) else None
        if isinstance(reference, str) and not reference.startswith("#"):
            raise InputError(
                FIELD, f"refers to {reference[:80]!r}. Only references within the schema (#/…) are supported."
            )
    return text


def read_schema(schema_json: str) -> Mapping[str, Any]:
    """Read a schema from text, such as an imported file.

    Raises:
        InputError: the text is not JSON, or not a schema that can be sent.
    """
    if len(schema_json) > MAX_CHARACTERS:
        raise InputError(FIELD, f"has {len(schema_json):,} characters. The maximum is {MAX_CHARACTERS:,}.")
    try:
        schema = json.loads(schema_json)
    except json.JSONDecodeError as error:
        raise InputError(FIELD, f"is not valid JSON ({error}).") from error
    except ValueError as error:  # Python refuses to read integers of more than some thousand digits
        raise InputError(FIELD, _NO_NUMBER) from error
    except RecursionError as error:
        raise InputError(FIELD, f"is nested more than {MAX_DEPTH} levels deep.") from error
    write_schema(schema)
    return schema


def is_strict(schema_json: str) -> bool:
    """Return true if OpenAI's strict mode accepts a schema: its objects are closed, and all their fields are required.

    Source: https://developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas".
    """
    schema = json.loads(schema_json)
    if schema.get("type") != "object" or "anyOf" in schema:
        return False
    for _, value in _walk(schema, 0):
        if not isinstance(value, dict):
            continue
        fields = cast("Mapping[str, Any]", value)
        if _STRANGE & fields.keys():
            return False
        properties = fields.get("properties")
        if (fields.get("type") == "object" or isinstance(properties, dict)) and not _is_closed(fields):
            return False
    return True


_STRANGE: Final = frozenset(
    {"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"}
)


def _is_closed(fields: Mapping[str, Any]) -> bool:
    properties = fields.get("properties", {})
    return fields.get("additionalProperties") is False and set(fields.get("required", ())) == set(properties)


def write_repair(faults: Sequence[SchemaFault]) -> str:
    """Return the text that asks a model to repair a reply with these faults. A person can read it before it is sent."""
    lines = [f"- {name_path(fault.path)}: {fault.message}" for fault in faults[:MAX_TOLD]]
    if len(faults) > MAX_TOLD:
        lines.append(f"- and {len(faults) - MAX_TOLD} more")
    return "\n".join((_REPAIR, "", *lines, "", _AGAIN))


def is_repair(text: str) -> bool:
    """Return true if a request already asks for a repair. One attempt is enough, so no further repair is offered."""
    return text.startswith(_REPAIR)


def _walk(value: object, depth: int) -> Iterator[tuple[int, object]]:
    """Yield every value inside a JSON value with its depth, down to one level more than allowed."""
    yield depth, value
    if depth > MAX_DEPTH:
        return
    inner: Sequence[object] = ()
    if isinstance(value, dict):
        inner = tuple(cast("Mapping[str, object]", value).values())
    elif isinstance(value, list):
        inner = cast("list[object]", value)
    for one in inner:
        yield from _walk(one, depth + 1)
