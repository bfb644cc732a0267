"""Real connections to a provider: every fault of the network, time-outs, cancelling, keys, reuse."""

from __future__ import annotations

import asyncio
import gc
import gzip
import logging
import socket
import traceback
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
import uvloop

from app.domain.conversation.parts import Text, plain_text
from app.domain.errors import RETRYABLE, ErrorClass, ProviderError
from app.domain.stream.stream_events import Stopped, StopReason, TextReceived
from app.providers.base import MASK, Adapter, CallTarget, Provider, ProviderClient, Timeouts, encode, load_adapter
from app.providers.wire.heads import _Handler  # pyright: ignore[reportPrivateUsage]
from app.providers.wire.time_limits import Patience
from app.providers.wire.transport import Transport
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import Told, a_profile, a_provider, a_request, ask, read_recording
from tests.runs.clock import LoopClock

KEY = "sk-test-1234567890"
GREETING = "Hello, world. Grüße aus\nOslo 🌍"
NAMES = ("anthropic", "openai", "groq")
PAGE = (("Content-Type", "text/html; charset=utf-8"),)
JSON = (("Content-Type", "application/json"),)
SECONDS = 4
"""A time-out that only the clock of a test reaches."""


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


def a_reply(provider_name: str, *, upto: bytes | None = None) -> bytes:
    """Return a recorded reply, whole or up to (and with) the event that contains `upto`."""
    protocol = a_provider(provider_name).row.protocol
    body = read_recording(protocol, "text")
    return body if upto is None else body[: body.index(b"\n\n", body.index(upto)) + 2]


async def ask_peer(transport: Transport, name: str, url: str, **timeouts: float) -> Told:
    return await ask(transport, a_provider(name, url, KEY), a_request(model=f"{name}:test"), **timeouts)


# --- what is sent ---


async def test_what_the_peer_gets_is_what_is_previewed(transport: Transport, name: str) -> None:
    async with a_peer(Answer((a_reply(name),))) as peer:
        provider = a_provider(name, peer.url, KEY)
        wire = encode(provider, a_request("Grüße 🌍", model=f"{name}:test", system="Be brief."), a_profile(), {})
        async with aclosing(transport.stream(provider, wire)) as batches:
            [_ async for _ in batches]

    (heard,) = peer.heard
    assert heard.body == wire.body
    assert peer.url + heard.path == wire.url
    of_http = {"host", "connection", "content-length"}
    sent = {header: value for header, value in heard.headers.items() if header not in of_http}
    assert sent == {header.lower(): value.replace(MASK, KEY) for header, value in wire.headers}


async def test_variables_of_one_vendor_do_not_reach_another(
    transport: Transport, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in (
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "OPENAI_ADMIN_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY",
    ):
        monkeypatch.setenv(variable, "not-for-you")

    async with a_peer(Answer((a_reply(name),))) as peer:
        await ask_peer(transport, name, peer.url)

    assert "not-for-you" not in str(peer.heard)


async def test_a_local_server_without_a_key_gets_the_word_none(transport: Transport) -> None:
    async with a_peer(Answer((a_reply("groq"),))) as peer:
        provider = a_provider("llamacpp", peer.url, key=None)
        told = await ask(transport, provider, a_request(model="llamacpp:test"))

    assert told.fault is None
    assert peer.heard[0].headers["authorization"] == "Bearer none"


async def test_without_a_key_nothing_is_sent(transport: Transport, name: str) -> None:
    async with a_peer(Answer((a_reply(name),))) as peer:
        told = await ask(transport, a_provider(name, peer.url, key=None), a_request(model=f"{name}:test"))

    assert peer.heard == []
    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.AUTH
    assert f'There is no key for provider "{name}"' in told.fault.message
    assert "Settings → Providers" in told.fault.next_step


async def test_a_key_is_never_sent_to_another_address(transport: Transport) -> None:
    wire = encode(a_provider("groq"), a_request(model="groq:test"), a_profile(), {})

    with pytest.raises(ValueError, match="must not be sent"):
        async for _ in transport.stream(a_provider("groq", "http://127.0.0.1:1"), wire):
            pass


async def test_two_replies_use_one_connection(transport: Transport, name: str) -> None:
    async with a_peer(Answer((a_reply(name),))) as peer:
        for _ in range(3):
            assert (await ask_peer(transport, name, peer.url)).fault is None

    assert len(peer.heard) == 3
    assert peer.connections == 1


async def test_unrequested_answers_end_the_connection(transport: Transport, name: str) -> None:
    body = a_reply(name)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body)
    sent: list[bytes] = []
    read: list[bool] = []

    def raw() -> Iterator[bytes | float]:
        yield head + body
        while not read:
            yield 0.0
        while len(sent) < 1_500:  # 57 MB; sockets hold a few
            sent.append(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" * 1_000)
            yield sent[-1]
            yield 0.0

    async with a_peer(Answer(before=raw())) as peer:
        assert (await ask_peer(transport, name, peer.url)).fault is None
        read.append(True)
        await peer.until_left()

    assert len(sent) < 50


# --- what comes back ---


async def test_a_cookie_of_a_provider_is_not_sent_back(transport: Transport, name: str) -> None:
    body = a_reply(name)
    cookie = ("Set-Cookie", "person=1; Path=/")
    async with a_peer(Answer((body,), headers=(("Content-Type", "text/event-stream"), cookie))) as peer:
        for _ in range(2):
            await ask_peer(transport, name, peer.url)

    assert "cookie" not in peer.heard[1].headers


async def test_the_first_piece_comes_before_the_second_was_sent(transport: Transport, name: str) -> None:
    half = a_reply(name, upto=b"Hello")
    rest = a_reply(name)[len(half) :]

    async with a_peer(Answer((half, 3600.0, rest))) as peer:
        provider = a_provider(name, peer.url)
        wire = encode(provider, a_request(model=f"{name}:test"), a_profile(), {})
        async with asyncio.timeout(10), aclosing(transport.stream(provider, wire)) as batches:
            texts = (event async for batch in batches for event in batch if isinstance(event, TextReceived))
            assert await anext(texts) == TextReceived("Hello")


@pytest.mark.parametrize(
    "content_type", ["text/event-stream", "text/event-stream; charset=utf-8", "Text/Event-Stream", None]
)
async def test_a_stream_is_known_by_its_type_or_by_none(transport: Transport, content_type: str | None) -> None:
    headers = (("Content-Type", content_type),) if content_type else ()

    async with a_peer(Answer((a_reply("groq"),), headers=headers)) as peer:
        told = await ask_peer(transport, "groq", peer.url)

    assert told.fault is None


async def test_a_stream_compressed_unasked_is_unpacked(transport: Transport, name: str) -> None:
    packed = gzip.compress(a_reply(name))
    headers = (("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip"))

    async with a_peer(Answer((packed[:40], packed[40:]), headers=headers)) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.fault is None
    assert plain_text(told.parts) == GREETING


async def test_a_stream_that_cannot_be_unpacked_is_a_stream_fault(transport: Transport, name: str) -> None:
    headers = (("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip"))

    async with a_peer(Answer((a_reply(name),), headers=headers)) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert "decompressed" in told.fault.message


async def test_a_body_without_length_or_chunks_is_read_to_the_end_of_the_connection(transport: Transport) -> None:
    async with a_peer(Answer((a_reply("groq"),), then="unframed")) as peer:
        told = await ask_peer(transport, "groq", peer.url)

    assert told.stopped == Stopped(StopReason.END)


async def test_a_reply_ends_though_its_connection_stays_open(transport: Transport, name: str) -> None:
    async with a_peer(Answer((a_reply(name),), then="stall")) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.stopped == Stopped(StopReason.END)
    assert told.fault is None


# --- faults ---


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        (400, ErrorClass.MODEL),
        (401, ErrorClass.AUTH),
        (403, ErrorClass.AUTH),
        (413, ErrorClass.CONTEXT_LENGTH),
        (429, ErrorClass.RATE),
        (500, ErrorClass.SERVER),
        (502, ErrorClass.SERVER),
        (503, ErrorClass.OVERLOADED),
        (529, ErrorClass.OVERLOADED),
    ],
)
async def test_every_status_is_a_typed_fault(
    transport: Transport, name: str, status: int, error_class: ErrorClass
) -> None:
    body = b'{"type":"error","error":{"message":"No, thank you"}}'

    async with a_peer(Answer((body,), status, (*JSON, ("Retry-After", "7")))) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.fault is not None
    assert told.fault.error_class is error_class
    assert told.fault.retry_after == 7
    assert "No, thank you" in told.fault.message
    assert len(peer.heard) == 1, "the SDK must not retry by itself"


@pytest.mark.parametrize("is_packed", [True, False])
async def test_an_error_that_is_too_long_is_cut_and_says_so(
    transport: Transport, name: str, *, is_packed: bool
) -> None:
    short = b'{"type":"error","error":{"message":"No, thank you"}}'
    long = b"No, thank you. " + b"x" * 200_000
    packed = (("Content-Encoding", "gzip"),) if is_packed else ()
    bodies = [gzip.compress(body) if is_packed else body for body in (short, long)]

    async with a_peer(*(Answer((body,), 500, (*JSON, *packed)) for body in bodies)) as peer:
        whole, cut = [await ask_peer(transport, name, peer.url) for _ in bodies]

    assert whole.fault is not None
    assert "cut" not in whole.fault.message
    assert cut.fault is not None
    assert cut.fault.message.endswith(" (The response was cut: it is too long or cannot be read.)")
    assert len(cut.fault.message) < 5_000


async def test_a_redirect_is_not_followed(transport: Transport, name: str) -> None:
    async with a_peer(Answer((a_reply(name),))) as elsewhere:
        answer = Answer(status=307, headers=(("Location", f"{elsewhere.url}/v1/stolen"),))
        async with a_peer(answer) as peer:
            told = await ask_peer(transport, name, peer.url)

    assert elsewhere.heard == []
    assert told.fault is not None
    assert "redirect" in told.fault.message


async def test_a_page_instead_of_a_stream_is_reported_as_such(transport: Transport, name: str) -> None:
    async with a_peer(Answer((b"<!doctype html><h1>Welcome</h1>",), headers=PAGE)) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert "text/html" in told.fault.message
    assert "base URL" in told.fault.next_step


async def test_an_endless_page_instead_of_a_stream_is_left(transport: Transport, name: str) -> None:
    async with a_peer(Answer((b"<p>" * 1_000,) * 1_000, headers=PAGE, then="stall")) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM


async def test_an_error_with_status_200_is_that_error(transport: Transport, name: str) -> None:
    body = b'{"error":{"type":"overloaded_error","message":"Busy"}}'

    async with a_peer(Answer((body,), headers=JSON)) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.OVERLOADED


async def test_an_empty_stream_is_a_truncated_one(transport: Transport, name: str) -> None:
    async with a_peer(Answer()) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM


async def test_a_connection_cut_in_the_middle_keeps_the_received_text(transport: Transport, name: str) -> None:
    async with a_peer(Answer((a_reply(name, upto=b"world"),), then="cut")) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert plain_text(told.parts) == "Hello, world"
    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert "in the middle" in told.fault.message


async def test_a_connection_cut_before_the_first_byte_of_the_reply_may_be_retried(
    transport: Transport, name: str
) -> None:
    async with a_peer(Answer(then="cut")) as peer:
        told = await ask_peer(transport, name, peer.url)

    assert told.fault is not None
    assert told.fault.error_class in RETRYABLE


async def test_a_port_without_a_server_is_a_network_error(transport: Transport, name: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        told = await ask_peer(transport, name, url)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK
    assert "it refused the connection" in told.fault.message


async def test_an_unknown_host_is_a_network_fault(transport: Transport, name: str) -> None:
    told = await ask_peer(transport, name, "http://nobody.invalid")

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK
    assert "host name" in told.fault.message


async def test_https_to_a_plain_server_is_a_network_fault(
    transport: Transport, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, greeted, left = LoopClock.at_work(monkeypatch), asyncio.Event(), asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        greeted.set()
        await reader.read()
        writer.close()
        left.set()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    async with server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        asking = asyncio.create_task(ask_peer(transport, name, url, connect=SECONDS))
        await greeted.wait()
        await clock.move_until(left, SECONDS)
        told = await asking

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK


async def test_a_server_that_speaks_no_http_is_a_fault(transport: Transport, name: str) -> None:
    async def speak_nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"220 smtp.example ESMTP\r\n")
        writer.close()

    server = await asyncio.start_server(speak_nonsense, "127.0.0.1", 0)
    async with server:
        told = await ask_peer(transport, name, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK


# --- time-outs ---


async def test_a_silent_server_times_out(transport: Transport, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LoopClock.at_work(monkeypatch)
    async with a_peer(Answer(then="silent")) as peer:
        asking = asyncio.create_task(ask_peer(transport, name, peer.url, read=SECONDS))
        await peer.asked.wait()
        await clock.move_until(peer.left, SECONDS)
        told = await asking

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK
    assert "sent nothing for 4 seconds" in told.fault.message


async def test_time_limits_exclude_the_import_of_the_sdk(
    transport: Transport, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock.at_work(monkeypatch)
    adapter = load_adapter(a_provider(name).row.protocol)

    def open_slowly(provider: Provider) -> ProviderClient:
        clock.put_forward(60)
        return adapter.open_link(provider)

    def load_slow(_: str) -> Adapter:
        return replace(adapter, open_link=open_slowly)

    monkeypatch.setattr("app.providers.wire.transport.load_adapter", load_slow)
    async with a_peer(Answer((a_reply(name),))) as peer:
        told = await ask_peer(transport, name, peer.url, content=8, whole=8)
    assert told.fault is None
    async with a_peer(Answer((b"{}",), headers=JSON)) as peer:
        with await transport.fetch(a_provider(name, peer.url, KEY), "/models") as body:
            assert body.read() == b"{}"
    assert clock.ahead == 120


async def test_a_stalled_stream_times_out_keeps_its_text_and_is_closed(
    transport: Transport, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, sent = LoopClock.at_work(monkeypatch), asyncio.Event()
    async with a_peer(Answer((a_reply(name, upto=b"world"), sent.set), then="stall")) as peer:
        asking = asyncio.create_task(ask_peer(transport, name, peer.url, read=SECONDS))
        await sent.wait()
        await clock.move_until(peer.left, SECONDS)
        told = await asking

    assert plain_text(told.parts) == "Hello, world"
    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.NETWORK
    assert "sent nothing" in told.fault.message


async def test_a_slow_stream_that_keeps_coming_does_not_time_out(
    transport: Transport, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock.at_work(monkeypatch)
    body = a_reply(name)
    size = len(body) // 8
    pieces = [body[place : place + size] for place in range(0, len(body), size)]
    slowly = tuple(step for piece in pieces for step in (piece, 0.01, lambda: clock.put_forward(1.2)))

    async with a_peer(Answer(slowly)) as peer:
        told = await ask_peer(transport, name, peer.url, read=2.2)

    assert told.fault is None


async def test_comments_keep_a_waiting_stream_alive(transport: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LoopClock.at_work(monkeypatch)
    waiting = (b": PROCESSING\n\n", 0.01, lambda: clock.put_forward(1)) * 5

    async with a_peer(Answer((*waiting, a_reply("groq")))) as peer:
        told = await ask_peer(transport, "groq", peer.url, read=2)

    assert told.fault is None


async def test_a_reply_without_end_is_left_after_its_time_in_all_and_keeps_its_words(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock.at_work(monkeypatch)
    word = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
    slowly = (word, 0.01, lambda: clock.put_forward(1)) * 100

    async with a_peer(Answer(slowly)) as peer:
        told = await ask_peer(transport, "groq", peer.url, whole=8)

    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.TOO_LONG
    assert "did not complete the reply within 8 seconds" in told.fault.message
    assert "INVIEW_MAX_CALL_SECONDS" in told.fault.next_step
    assert plain_text(told.parts).startswith("word word ")
    assert clock.ahead <= 11


async def test_a_stream_of_comments_is_left_and_keeps_the_words_before(
    transport: Transport, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock.at_work(monkeypatch)
    comments = (b": still here\n\n", 0.01, lambda: clock.put_forward(1)) * 100

    async with a_peer(Answer((a_reply(name, upto=b"world"), *comments))) as peer:
        told = await ask_peer(transport, name, peer.url, content=8)

    assert plain_text(told.parts) == "Hello, world"
    assert told.fault is not None
    assert told.fault.error_class is ErrorClass.STREAM
    assert "sent nothing of the reply for 8 seconds" in told.fault.message
    assert clock.ahead <= 11


async def test_words_win_time_for_a_stream_with_comments(transport: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LoopClock.at_work(monkeypatch)
    body = a_reply("groq")
    place = body.index(b"world")
    half = body.rindex(b"\n\n", 0, place) + 2
    comments = (b": still here\n\n", 0.01, lambda: clock.put_forward(1)) * 6

    async with a_peer(Answer((*comments, body[:half], *comments, body[half:]))) as peer:
        told = await ask_peer(transport, "groq", peer.url, content=8)

    assert told.fault is None


async def test_the_timers_of_a_stream_are_not_set_again_for_each_read(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, timers = asyncio.get_running_loop(), Counter[str]()
    set_timer = loop.call_at

    def counted(when: float, callback: Any, *values: Any, **more: Any) -> asyncio.TimerHandle:
        timers[getattr(callback, "__qualname__", repr(callback))] += 1
        return set_timer(when, callback, *values, **more)

    monkeypatch.setattr(loop, "call_at", counted)
    word = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
    slowly = (word, 0.002) * 100

    async with a_peer(Answer((*slowly, a_reply("groq")))) as peer:
        told = await ask_peer(transport, "groq", peer.url)

    assert plain_text(told.parts).count("word ") == 100
    of_stream = {name: count for name, count in timers.items() if not name.startswith("_set_result")}
    assert max(of_stream.values()) < 10, of_stream  # the others are those of the peer's pauses


async def test_a_limit_that_passes_while_nothing_waits_ends_the_next_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LoopClock.at_work(monkeypatch)
    patience = Patience(CallTarget(a_provider("groq").row, "groq:test"), Timeouts(content=8))
    await patience.wait(asyncio.sleep(0))
    await clock.move(9)

    with pytest.raises(ProviderError, match="nothing of the reply for 8 seconds"):
        await patience.wait(asyncio.Event().wait())

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_wait_that_others_cancel_at_its_limit_stays_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, loop = LoopClock.at_work(monkeypatch), asyncio.get_running_loop()
    patience = Patience(CallTarget(a_provider("groq").row, "groq:test"), Timeouts(content=8))
    waiting = asyncio.create_task(patience.wait(asyncio.Event().wait()))
    await asyncio.sleep(0)
    loop.call_at(loop.time() + 8.5, waiting.cancel)

    await clock.move(9)

    assert waiting.cancelled()


def test_data_that_comes_just_before_the_limit_extends_it_in_the_loop_of_the_server() -> None:
    async def extend() -> None:
        loop = asyncio.get_running_loop()
        handler: Any = _Handler(loop)
        handler.set_response_params(read_timeout=5.0)
        handler.start_timeout()
        handler._read_due = loop.time() + 1e-9
        handler._on_read_timeout()

        handler.data_received(b"HTTP/1.1 ")

        assert handler._read_due - loop.time() > 4
        handler.connection_lost(None)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(extend())


# --- stopping ---


async def read_until_text(transport: Transport, provider: Provider, got: asyncio.Event) -> None:
    wire = encode(provider, a_request(model=f"{provider.name}:test"), a_profile(), {})
    async with aclosing(transport.stream(provider, wire)) as batches:
        async for batch in batches:
            if any(isinstance(event, TextReceived) for event in batch):
                got.set()


async def test_cancelling_closes_the_connection(transport: Transport, name: str) -> None:
    async with a_peer(Answer((a_reply(name, upto=b"Hello"),), then="stall")) as peer:
        got = asyncio.Event()
        task = asyncio.create_task(read_until_text(transport, a_provider(name, peer.url), got))
        await asyncio.wait_for(got.wait(), 10)

        task.cancel()
        await peer.until_left()

        with pytest.raises(asyncio.CancelledError):
            await task


async def test_cancelling_before_the_first_byte_closes_the_connection(transport: Transport, name: str) -> None:
    provider = a_provider(name)
    await transport.warm(provider)

    async with a_peer(Answer(then="silent")) as peer:
        task = asyncio.create_task(read_until_text(transport, a_provider(name, peer.url), asyncio.Event()))
        await asyncio.wait_for(peer.asked.wait(), 10)

        task.cancel()
        await peer.until_left()


async def test_closing_the_generator_closes_the_connection(transport: Transport, name: str) -> None:
    async with a_peer(Answer((a_reply(name, upto=b"Hello"),), then="stall")) as peer:
        provider = a_provider(name, peer.url)
        wire = encode(provider, a_request(model=f"{name}:test"), a_profile(), {})
        batches = transport.stream(provider, wire)
        await anext(batches)

        await batches.aclose()
        await peer.until_left()


async def test_a_stopped_reply_does_not_spoil_the_next_one(transport: Transport, name: str) -> None:
    stalling, whole = Answer((a_reply(name, upto=b"Hello"),), then="stall"), Answer((a_reply(name),))

    async with a_peer(stalling, whole) as peer:
        provider = a_provider(name, peer.url)
        wire = encode(provider, a_request(model=f"{name}:test"), a_profile(), {})
        batches = transport.stream(provider, wire)
        await anext(batches)
        await batches.aclose()

        told = await ask_peer(transport, name, peer.url)

    assert told.fault is None
    assert told.parts == (Text(GREETING),)


# --- keys stay where they are ---


@pytest.mark.parametrize("key", [KEY, "a.key.like.no.other"])
async def test_a_key_shows_in_no_repr_log_or_error(
    transport: Transport, name: str, caplog: pytest.LogCaptureFixture, key: str
) -> None:
    caplog.set_level(logging.DEBUG)
    quoting = b'{"error":{"message":"Incorrect API key provided: ' + key.encode() + b'"}}'

    async with a_peer(Answer((quoting,), 401, JSON)) as peer:
        provider = a_provider(name, peer.url, key)
        wire = encode(provider, a_request(model=f"{name}:test"), a_profile(), {})
        with pytest.raises(ProviderError) as raised:
            async for _ in transport.stream(provider, wire):
                pass

    traced = "".join(traceback.format_exception(raised.value))
    shown = [repr(provider), repr(wire), str(raised.value), repr(raised.value.failure), caplog.text, traced]
    assert not [text for text in shown if key in text]
    assert "Incorrect API key provided" in raised.value.failure.message


async def test_a_closed_transport_leaves_no_connection_open() -> None:
    transport = Transport()
    async with a_peer(Answer((a_reply("groq"),))) as peer:
        await ask_peer(transport, "groq", peer.url)
        await transport.close()
        await asyncio.gather(*peer.tasks)  # it has noticed, or does so now

    gc.collect()  # an unclosed socket would warn here, and warnings are errors


def test_timeouts_have_the_stated_defaults() -> None:
    assert Timeouts() == Timeouts(connect=10.0, read=30.0, content=600.0, whole=1800.0)
