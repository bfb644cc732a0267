from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.providers.wire.sse import BOM, MAX_LINES, EventTooLargeError, SseEvent, SseParser


def parse(*chunks: bytes) -> list[SseEvent]:
    parser = SseParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@pytest.mark.parametrize(
    ("body", "events"),
    [
        (b"data: a\n\n", [SseEvent(b"", b"a")]),
        (b"data:a\n\n", [SseEvent(b"", b"a")]),
        (b"data:  a\n\n", [SseEvent(b"", b" a")]),
        (b"event: ping\ndata: {}\n\n", [SseEvent(b"ping", b"{}")]),
        (b"data: a\ndata: b\n\n", [SseEvent(b"", b"a\nb")]),
        (b"data\n\n", [SseEvent(b"", b"")]),
        (b": a comment\n\n", []),
        (b": a comment\ndata: a\n\n", [SseEvent(b"", b"a")]),
        (b"event: lonely\n\n", []),
        (b"id: 7\nretry: 100\ndata: a\n\n", [SseEvent(b"", b"a")]),
        (b"unheard: of\ndata: a\n\n", [SseEvent(b"", b"a")]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [SseEvent(b"", b"a"), SseEvent(b"", b"b")]),
        (b"event: e\r\ndata: a\r\ndata: b\r\n\r\n", [SseEvent(b"e", b"a\nb")]),
        (b"data: a\r\rdata: b\r\r", [SseEvent(b"", b"a"), SseEvent(b"", b"b")]),
        (b"data: a\r\n\n", [SseEvent(b"", b"a")]),
        (b"\n\n\ndata: a\n\n\n\n\ndata: b\n\n", [SseEvent(b"", b"a"), SseEvent(b"", b"b")]),
        (BOM + b"data: a\n\n", [SseEvent(b"", b"a")]),
        (b"data: a\n\ndata: unfinished", [SseEvent(b"", b"a")]),
        (b"data: a: b: c\n\n", [SseEvent(b"", b"a: b: c")]),
    ],
)
def test_streams_are_read_as_the_standard_says(body: bytes, events: list[SseEvent]) -> None:
    assert parse(body) == events
    assert parse(*(body[place : place + 1] for place in range(len(body)))) == events


LINES = st.lists(st.sampled_from([b"data: x", b"data: \xc3\xa9", b"event: e", b": c", b"", b"", b"data", b"id: 1"]))


@given(lines=LINES, newline=st.sampled_from([b"\n", b"\r\n", b"\r"]), bom=st.booleans(), data=st.data())
def test_any_chunking_gives_the_same_events(lines: list[bytes], newline: bytes, bom: bool, data: st.DataObject) -> None:
    body = BOM * bom + b"".join(line + newline for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=12)))

    chunks = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]

    assert parse(*chunks) == parse(body)


@given(chunks=st.lists(st.binary(max_size=30)))
def test_any_bytes_are_parsed_without_an_exception(chunks: list[bytes]) -> None:
    parse(*chunks)


def test_an_event_that_never_ends_is_refused_at_the_limit() -> None:
    parser = SseParser(limit=100)

    parser.feed(b"data: x" * 14)

    with pytest.raises(EventTooLargeError):
        parser.feed(b"data: x")


def test_many_events_beyond_the_limit_together_are_fine() -> None:
    parser = SseParser(limit=100)

    assert sum(len(parser.feed(b"data: 0123456789\n\n")) for _ in range(100)) == 100


def test_a_large_event_in_small_pieces_takes_linear_time() -> None:
    parser = SseParser()

    for _ in range(50_000):
        parser.feed(b"data: x ")

    assert len(parser.feed(b"\n\n")[0].data) == 50_000 * 8 - 6


def test_an_event_of_more_lines_than_any_provider_sends_is_refused() -> None:
    lines = b"data: 1\n" * MAX_LINES

    assert SseParser().feed(lines + b"\n") == [SseEvent(b"", b"\n".join([b"1"] * MAX_LINES))]
    with pytest.raises(EventTooLargeError, match="20,000 lines"):
        SseParser().feed(lines + b"data: 1\n\n")
