"""Event streams: the log of a run, complete from any position, while it runs and at any time later."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from app.api.http import event_stream
from app.api.http.event_stream import EVENT_KINDS, KEEPALIVE, answer_events
from app.domain.run.run_log import LogEvent
from app.domain.structured.partial_json import JsonChange, read_partial
from tests.api.served import Api, serve_api
from tests.api.talk import Event, answered, create_conversation, follow, log_of, read_events, send, words_of
from tests.domain.structured.test_partial_json import apply_change

ENDS = {"done", "error", "cancelled"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def api(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path_factory.mktemp("data")) as served:
        yield served


pytestmark = pytest.mark.asyncio(loop_scope="module")


def assert_one_end(events: list[Event]) -> None:
    assert [event.kind for event in events if event.kind in ENDS] == [events[-1].kind]


def assert_in_order(events: list[Event], after: int = 0) -> None:
    positions = [after, *(event.id for event in events)]
    assert positions == sorted(set(positions))
    assert {event.kind for event in events} <= EVENT_KINDS


async def test_send_streams_the_reply_that_is_stored(api: Api):
    conversation_id = await create_conversation(api)

    async with api.http.stream(
        "POST", f"/conversations/{conversation_id}/send", json={"text": "/think 9 /long 30"}
    ) as answer:
        events = [event async for event in read_events(answer.aiter_bytes())]

    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert answer.headers["cache-control"] == "no-store"
    (pair,) = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    texts = {kind: "".join(e.data["text"] for e in events if e.kind == kind) for kind in ("text", "thinking")}
    assert [part["text"] for part in pair["parts"]] == [texts["thinking"], texts["text"]]
    assert events[0].data["pair_id"] == pair["id"]
    assert_one_end(events)
    assert_in_order(events)


async def test_stream_begins_with_the_run_and_the_hash_of_what_was_previewed(api: Api):
    conversation_id = await create_conversation(api)
    parameters = {"max_output_tokens": 50}
    draft = {"text": "/echo Hi", "parameters": parameters}
    preview = (await api.http.post(f"/conversations/{conversation_id}/preview", json=draft)).json()

    started = await send(api, conversation_id, "/echo Hi", parameters=parameters)
    events = await follow(api, started["run_id"])

    assert events[0].kind == "run"
    assert events[0].data["content_hash"] == started["content_hash"] == preview["content_hash"]


async def test_first_and_last_event_have_the_conversation(api: Api):
    conversation_id = await create_conversation(api)
    run_id = (await send(api, conversation_id, "/echo Hi"))["run_id"]

    events = await follow(api, run_id)
    later = await follow(api, run_id)

    assert events[0].data["conversation_id"] == conversation_id
    assert events[-1].data == {"stop_reason": "end", "conversation_id": conversation_id}
    assert log_of(later) == log_of(events)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("/echo done", "done"),
        ("/fail auth", "error"),
        ("/cut after 3", "error"),
        ("/long 10 /fail overloaded times 1", "done"),
        ("/think 5 /long 5 /fail server after 3", "error"),
    ],
)
async def test_reattaching_at_every_position_gives_the_rest_of_the_same_log(api: Api, text: str, end: str):
    conversation_id = await create_conversation(api)
    run_id = (await send(api, conversation_id, text))["run_id"]
    whole = await follow(api, run_id)
    log = log_of(whole)

    assert whole[-1].kind == end
    assert [position for position, _, _ in log] == list(range(1, whole[-1].id + 1))
    for after in range(whole[-1].id):
        rest = await follow(api, run_id, after)
        assert log_of(rest) == log[after:]
        assert_one_end(rest)


async def test_reader_that_disconnects_after_every_event_sees_each_character_once(api: Api):
    conversation_id = await create_conversation(api)
    run_id = (await send(api, conversation_id, "/think 20 /long 80 /rate 200"))["run_id"]
    seen: list[Event] = []

    while not seen or seen[-1].kind not in ENDS:
        after = seen[-1].id if seen else 0
        async with api.http.stream("GET", f"/runs/{run_id}/events", params={"after": after}) as answer:
            seen.append(await anext(read_events(answer.aiter_bytes())))

    assert_in_order(seen)
    assert log_of(seen) == log_of(await follow(api, run_id))
    assert len(seen) > 10


async def test_value_events_lead_to_the_value_of_the_text_from_any_position(api: Api):
    conversation_id = await create_conversation(api)
    schema = {"type": "object", "properties": {"names": {"type": "array"}, "text": {"type": "string"}}}
    reply = '{"names": [{"first": "Ada"}, {"first": "Alan"}], "text": "one two three four", "n": 100000000000000000000}'
    run_id = (await send(api, conversation_id, f"/rate 25 /echo {reply}", schema=schema))["run_id"]

    seen = await follow(api, run_id, values="true")
    log = [event for event in seen if event.kind != "value"]

    assert log_of(log) == log_of(await follow(api, run_id))
    assert len(log) < len(seen) - 2, "the value arrives in pieces"
    value, text = None, ""
    for event in seen:
        if event.kind == "value":
            for change in event.data["changes"]:
                appended = "append" in change
                changed = JsonChange(tuple(change["path"]), change["append" if appended else "value"], appended)
                value = apply_change(value, changed)
            assert value == read_partial(text).value
        text += event.data.get("text", "")
    assert value == json.loads(reply)
    assert_one_end(seen)
    for after in (*range(0, seen[-1].id, 9), seen[-1].id - 1):
        rest = await follow(api, run_id, after, values="true")
        (whole,) = [event for event in rest if event.kind == "value"]
        assert whole.data == {"changes": [{"path": [], "value": value}]}
        assert log_of([event for event in rest if event.kind != "value"]) == log_of(log)[after:]
        assert [event.id for event in rest] == sorted(event.id for event in rest)
        assert_one_end(rest)


async def test_reply_without_json_has_no_value_events(api: Api):
    run_id = (await send(api, await create_conversation(api), "/echo Hello"))["run_id"]

    assert await follow(api, run_id, values="true") == await follow(api, run_id)


async def test_last_event_id_means_the_same_as_after(api: Api):
    conversation_id = await create_conversation(api)
    pair = await answered(api, conversation_id, "/echo Hello")

    by_header = await follow(api, pair["run_id"], last_event_id=5)

    assert by_header == await follow(api, pair["run_id"], 5)
    assert by_header == await follow(api, pair["run_id"], 2, last_event_id=5)


async def test_position_beyond_the_end_gets_the_end(api: Api):
    conversation_id = await create_conversation(api)
    pair = await answered(api, conversation_id, "/echo Hello")

    (event,) = await follow(api, pair["run_id"], 10**9)

    assert event.kind == "done"


async def test_leaving_the_stream_does_not_stop_the_reply(api: Api):
    conversation_id = await create_conversation(api)
    async with api.http.stream(
        "POST", f"/conversations/{conversation_id}/send", json={"text": "/long 40 /rate 100"}
    ) as answer:
        first = await anext(read_events(answer.aiter_bytes()))

    events = await follow(api, first.data["run_id"], first.id)

    assert events[-1].kind == "done"


async def test_cancelled_reply_keeps_what_was_streamed(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/long 500 /rate 100")
    events = list[Event]()
    async with api.http.stream("GET", f"/runs/{started['run_id']}/events") as answer:
        async for event in read_events(answer.aiter_bytes()):
            if event.kind == "text" and not words_of(events):
                await api.http.post(f"/runs/{started['run_id']}/cancel")
            events.append(event)

    (pair,) = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    assert events[-1].kind == "cancelled"
    assert pair["reply_text"] == words_of(events) != ""
    assert_one_end(events)


async def test_retries_are_reported_with_their_countdown(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/fail overloaded times 1")

    events = await follow(api, started["run_id"])

    (retry,) = [event for event in events if event.kind == "retry"]
    assert (retry.data["attempt"], retry.data["class"]) == (1, "overloaded")
    assert retry.data["seconds"] > 0


async def test_many_followers_of_one_run_get_the_same_log(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/long 60 /rate 200")

    logs = await asyncio.gather(*(follow(api, started["run_id"]) for _ in range(8)))

    assert all(log_of(events) == log_of(logs[0]) for events in logs)


async def test_idle_stream_is_kept_open_by_comments(monkeypatch: pytest.MonkeyPatch):
    assert event_stream.KEEPALIVE_SECONDS == 15.0
    monkeypatch.setattr(event_stream, "KEEPALIVE_SECONDS", 0.02)

    chunks: list[bytes] = []
    waited = asyncio.Event()

    async def slowly() -> AsyncGenerator[tuple[LogEvent, ...]]:
        await waited.wait()
        yield (LogEvent(1, "done", {}),)

    async for chunk in answer_events(slowly()).body_iterator:
        assert isinstance(chunk, bytes)
        chunks.append(chunk)
        if len(chunks) == 3:
            waited.set()

    assert set(chunks[:-1]) == {KEEPALIVE}
    assert re.fullmatch(rb"id: 1\nevent: done\ndata: \{\}\n\n", chunks[-1])


async def test_reader_that_disconnects_ends_the_following():
    began, ended = asyncio.Event(), asyncio.Event()

    async def endlessly() -> AsyncGenerator[tuple[LogEvent, ...]]:
        try:
            yield (LogEvent(1, "run", {}),)
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def read() -> None:
        async for _ in answer_events(endlessly()).body_iterator:
            began.set()

    reading = asyncio.create_task(read())
    await began.wait()
    reading.cancel()

    await ended.wait()
