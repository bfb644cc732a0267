"""A server may answer in a protocol that no adapter supports. The error names it, and received text is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from typing import Any, cast

import orjson
import pytest

from app.domain.conversation.parts import Text, Thinking, ToolCall, plain_text
from app.domain.errors import ErrorClass, Failure, ProviderError
from app.providers.models.models import ModelLists
from app.providers.wire.transport import Transport
from tests.dialects.corpus import CASES, SPEAKERS, Json, read_foreign, write_stream
from tests.dialects.shapes import change_foreign
from tests.effort import EFFORT
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import Told, a_provider, play

CHAT_ADDRESS = "https://generativelanguage.googleapis.com/v1beta/openai"
LISTED = {"name": "models/gemini-3-flash-preview", "displayName": "Gemini 3 Flash", "inputTokenLimit": 1_048_576}


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


def assert_names_the_protocol(fault: Failure | None) -> None:
    assert fault is not None
    assert fault.error_class is ErrorClass.STREAM
    assert "Google's own protocol" in fault.message
    assert CHAT_ADDRESS in fault.next_step


def test_every_case_of_the_protocol_is_there() -> None:
    dialect = read_foreign("google", "openai")

    assert set(dialect.cases) == set(CASES)
    assert all(source.startswith("https://") for source in dialect.sources)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("speaker", SPEAKERS)
async def test_a_reply_in_googles_own_protocol_is_kept_and_named(speaker: str, case: str) -> None:
    dialect = read_foreign("google", speaker)
    stream = dialect.cases[case]

    told = await play(dialect.provider, write_stream(stream.events))

    stream.expected.check(told)
    assert_names_the_protocol(told.fault)


@pytest.mark.parametrize("speaker", SPEAKERS)
async def test_a_reply_in_googles_own_protocol_that_is_cut_is_kept_and_named(speaker: str) -> None:
    dialect = read_foreign("google", speaker)

    told = await play(dialect.provider, write_stream(dialect.cases["plain"].events)[:1])

    assert plain_text(told.parts) == "Hello"
    assert_names_the_protocol(told.fault)


@pytest.mark.parametrize("as_list", [False, True])
@pytest.mark.parametrize("speaker", SPEAKERS)
async def test_a_whole_body_in_googles_own_protocol_is_kept_and_named(speaker: str, as_list: bool) -> None:
    dialect = read_foreign("google", speaker)
    events = dialect.cases["plain"].events
    body = orjson.dumps(events if as_list else events[0])

    told = await play(dialect.provider, [body], "application/json")

    assert plain_text(told.parts) == ("Hello there." if as_list else "Hello")
    assert told.usage is None
    assert_names_the_protocol(told.fault)


@pytest.mark.parametrize("speaker", SPEAKERS)
async def test_a_long_body_in_googles_own_protocol_is_named_and_its_beginning_quoted(speaker: str) -> None:
    dialect = read_foreign("google", speaker)
    body = orjson.dumps({"candidates": [{"content": {"parts": [{"text": "word " * 10_000}], "role": "model"}}]})

    told = await play(dialect.provider, [body], "application/json")

    assert_names_the_protocol(told.fault)
    assert told.fault is not None
    assert "word word" in told.fault.message


@pytest.mark.parametrize("speaker", SPEAKERS)
async def test_every_shape_of_googles_own_protocol_ends_in_an_error_and_keeps_its_words(speaker: str) -> None:
    for seed in range(EFFORT.shapes):
        shape = change_foreign("google", speaker, seed)
        told = await play(shape.dialect.provider, shape.pieces)
        try:
            assert told.stopped is None
            assert told.usage is None
            assert told.fault is not None
            first = next(event for event in shape.events if isinstance(event, dict))
            if "error" in first and "candidates" not in first:
                continue  # an error before anything else, which ends a reply in any protocol
            assert_names_the_protocol(told.fault)
            if shape.change in {"none", "split", "fields in another order"}:
                shape.case.expected.check(told)
            sent, kept = _letters_sent(shape.events), _letters_kept(told)
            assert not kept - sent, "nothing is told twice"
            if "cannot be read" not in told.fault.message and "It failed" not in told.fault.message:
                assert not sent - kept, "nothing is lost"
        except AssertionError as error:
            where = f"{speaker}, seed {seed}: {shape.change} at {shape.place}"
            raise AssertionError(f"{where}\n{told.fault}\n{shape.events}\n{error}") from error


@pytest.mark.parametrize("name", ["anthropic", "openai", "groq"])
async def test_a_list_of_models_in_googles_own_protocol_is_named(transport: Transport, name: str) -> None:
    answer = Answer((orjson.dumps({"models": [LISTED]}),), headers=(("Content-Type", "application/json"),))
    async with a_peer(answer) as peer:
        with pytest.raises(ProviderError) as raised:
            await ModelLists(transport).load(a_provider(name, peer.url))

    assert_names_the_protocol(raised.value.failure)


def _letters_sent(events: list[Json | str]) -> Counter[str]:
    """Count the letters of all words and arguments, without using the reader."""
    said: list[object] = []
    for event in events:
        for part in _list(_at(_at(_first(_at(event, "candidates")), "content"), "parts")):
            arguments = _at(_at(part, "functionCall"), "args")
            said += [_at(part, "text"), orjson.dumps(arguments).decode() if isinstance(arguments, dict) else arguments]
    return _letters("".join(words for words in said if isinstance(words, str)))


def _letters_kept(told: Told) -> Counter[str]:
    said = [part.text for part in told.parts if isinstance(part, Text | Thinking)]
    return _letters("".join([*said, *(part.input_json for part in told.parts if isinstance(part, ToolCall))]))


def _letters(text: str) -> Counter[str]:
    return Counter(letter for letter in text if letter not in "{} ")


def _at(value: object, field: str) -> Any:
    return cast("Json", value).get(field) if isinstance(value, dict) else None


def _first(value: object) -> object:
    return next(iter(_list(value)), None)


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
