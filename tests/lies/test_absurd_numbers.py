"""Numbers that JSON can write and most readers cannot store: every reader of JSON from outside accepts or refuses them,
and writes valid JSON.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import InputError
from app.domain.structured.partial_json import read_partial
from app.domain.structured.structured_replies import read_schema, write_schema
from app.domain.tools.arguments import read_arguments, write_arguments
from app.providers.vendors.anthropic import parse_models as parse_anthropic_models
from app.providers.vendors.openai import parse_usage as parse_responses_usage
from app.providers.vendors.openai_compatible import parse_models as parse_chat_models
from app.providers.vendors.openai_compatible import parse_usage as parse_chat_usage
from app.providers.wire.json_values import load_json
from app.runs.transfer.import_file import read_file
from app.runs.transfer.import_scan import FaultError
from app.tools.mcp.json_text import write_json

ABSURD: Final = (
    "1" + "0" * 400, "-1" + "0" * 400, "9" * 5_000, "1e400", "-1e400", "1e309", "1.8e308", "1.7e308", "1e-400",
    str(2**63), str(2**64), str(-(2**63) - 1), str(2**80), "1" + "0" * 308,
    "NaN", "Infinity", "-Infinity", "-0", "-0.0",
)  # fmt: skip
numbers = st.sampled_from(ABSURD) | st.integers().map(str) | st.floats().map(json.dumps)
texts = st.sampled_from(('{"a":%s}', '{"a":[1,%s]}', '{"a":{"default":%s}}', '{"context_length":%s}')).flatmap(
    lambda shape: numbers.map(lambda number: shape % number)
)


def _read_schema(text: str) -> str:
    with suppress(InputError):
        return write_schema(read_schema(text))
    return "{}"


def _read_reply(text: str) -> str:
    return json.dumps(read_partial(text, final=True).value)


def _read_arguments(text: str) -> str:
    with suppress(InputError):
        return write_arguments(read_arguments(text))
    return "{}"


def _read_content(text: str) -> str:
    try:
        content = json.loads(text)
    except ValueError:  # the SDK of the servers refuses it as well
        return "{}"
    with suppress(ValueError):
        return write_json(content)
    return "{}"


def _read_usage(text: str) -> str:
    said = load_json(text.encode())
    (told,) = said.values()
    counted = [
        parse_chat_usage(said),
        parse_chat_usage(told),
        parse_chat_usage({"prompt_tokens": told, "completion_tokens": told, "prompt_tokens_details": said}),
        parse_responses_usage(said),
        parse_responses_usage({"input_tokens": 1, "output_tokens": told, "output_tokens_details": told}),
    ]
    return orjson.dumps([(one.usage, one.fault) for one in counted]).decode()


def _read_list(text: str) -> str:
    listed = f'{{"data":[{{"id":"m","context_length":1,"more":{text}}},{{"id":"n",{text[1:]}]}}'.encode()
    return orjson.dumps([parse_chat_models(listed).skipped, parse_anthropic_models(listed).skipped]).decode()


def _read_file(text: str) -> str:
    with suppress(FaultError):
        read = read_file(f'{{"title": "", "parameters": {text}, "pairs": []}}'.encode(), lambda: None)
        return read.shape.model_dump_json()
    return "{}"


READERS: Final[dict[str, Callable[[str], str]]] = {
    "schema": _read_schema,
    "structured reply": _read_reply,
    "arguments of a tool": _read_arguments,
    "content from a tool": _read_content,
    "usage": _read_usage,
    "list of models": _read_list,
    "import": _read_file,
}


@pytest.mark.parametrize("reader", READERS)
@given(text=texts)
def test_number_of_any_size_is_taken_or_refused_and_never_a_fault(reader: str, text: str) -> None:
    written = READERS[reader](text)

    orjson.loads(written)  # refuses NaN and numbers that no double can store


@pytest.mark.parametrize("number", ["1" + "0" * 400, "9" * 5_000, "1e400", "NaN"])
def test_schema_with_a_number_that_no_reader_can_store_is_reported(number: str) -> None:
    with pytest.raises(InputError, match=r"beyond ±1\.8e308"):
        read_schema(f'{{"type":"integer","maximum":{number}}}')


def test_whole_number_within_a_double_stays_exact() -> None:
    assert _read_schema(f'{{"maximum":{10**300}}}') == f'{{"maximum":{10**300}}}'
    assert read_partial(f'{{"a":{10**300}}}').value == {"a": 10**300}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400], ids=reprlib.repr)
def test_content_with_a_number_that_no_reader_can_store_is_refused_and_not_made_null(number: float) -> None:
    with pytest.raises(ValueError, match="number"):
        write_json({"a": number, "b": None})


def test_event_that_is_nested_beyond_any_stack_is_no_json() -> None:
    with pytest.raises(ValueError, match="depth limit"):
        load_json(b'{"a":"\\u0041","b":' + b"[" * 100_000)
