"""Hostile imports: the objects they build are limited, other requests continue, a partial import is reported."""

from __future__ import annotations

import asyncio
import threading
import time
import tracemalloc
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, text

from app.domain.attachments.uploads import MAX_TEXTS_BYTES
from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.domain.errors import ConflictError, StoreError
from app.domain.text.json_size import MAX_VALUES
from app.domain.text.search import parse_search
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.conversation.forks import fork_conversation
from app.runs.memory.collector import return_large_blocks
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.transfer import import_scan, importing
from app.runs.transfer.export_json import FORMAT, VERSION
from app.runs.transfer.import_file import read_file
from app.runs.transfer.import_scan import MAX_PAIRS, EndedError, FaultError, Rest, scan_file
from app.runs.transfer.importing import UNFINISHED, UnfinishedImportError, import_file
from app.runs.trash.trash import list_trash
from app.store.conversation.conversations import delete_conversation_forever
from app.store.conversation.lists import ListCriteria, list_conversations
from app.store.conversation.pairs import load_pairs
from app.store.index.rows_search import PIECE, SEARCH_TEXT, enter_words
from app.store.index.search import search
from app.store.transfer import pair_records
from tests.outside.memory import Memory
from tests.outside.words import distinct_words
from tests.runs.exchange import PAIR_BY_HAND, export
from tests.work import calls_by_turn


def a_file(count: int) -> bytes:
    return orjson.dumps({"title": "Plans", "pairs": [PAIR_BY_HAND] * count})


async def titles_of(ctx: AppContext) -> list[str]:
    async with ctx.store.read() as session:
        return [one.conversation.title for one in await list_conversations(session, LOCAL_OWNER, limit=50)]


# --- what is built ---


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"pairs":[' + b"{}," * 1_000_000 + b"{}]}", f"more than {MAX_PAIRS:,} pairs"),
        pytest.param(
            b'{"pairs":[' + b"[]," * 1_000_000 + b"[]]}", f"more than {MAX_PAIRS:,} pairs", marks=pytest.mark.exhaustive
        ),
        pytest.param(
            b'{"pairs":[{"a":[' + b"{}," * 1_000_000 + b"{}]}]}",
            f"more than {MAX_VALUES:,} values",
            marks=pytest.mark.exhaustive,
        ),
        (b'{"pairs":[],"a":[' + b"0," * 1_000_000 + b"0]}", f"more than {MAX_VALUES:,} values"),
        pytest.param(
            b'{"pairs":[{' + b'"":0,' * 700_000 + b'"":0}]}',
            f"more than {MAX_VALUES:,} values",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            b'{"conversations":[' + b'{"nodes":[{},{}]},' * 200_000 + b"{}]}",
            f"more than {MAX_VALUES:,} values",
            marks=pytest.mark.exhaustive,
        ),
        (b'{"attachments":[' + b"{}," * 1_000_000 + b"{}]}", "more than 20,000 attachments"),
        (b"[" * 3_000_000, "more than 64 levels deep"),
        pytest.param(b'{"a":' * 600_000, "more than 64 levels deep", marks=pytest.mark.exhaustive),
        (b"]" * 3_000_000, "has no opening bracket"),
        pytest.param(b'{"pairs":["' + b"\\\\" * 1_500_000, "does not end", marks=pytest.mark.exhaustive),
        (b'{"pairs":[{"position":' + b"1" * 30_000_000 + b"}]}", "a number of more than 4,096 digits"),
        (b" " * 20_000_000 + b'{"pairs":[]}', "more than 16 MiB apart from pairs"),
        pytest.param(
            b'{"title":"' + b"x" * 20_000_000 + b'","pairs":[]}',
            "more than 16 MiB apart from pairs",
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=range(14),
)
def test_a_file_of_small_things_is_refused_before_they_are_built(body: bytes, words: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(FaultError, match=words):
            read_file(body, lambda: None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < len(body) + 8_000_000


def test_a_long_file_is_held_once_and_its_pairs_one_at_a_time() -> None:
    body = a_file(20_000)

    tracemalloc.start()
    try:
        file = read_file(body, lambda: None)
        for index in range(file.count("pairs")):
            file.read_pair(0, index)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert file.count("pairs") == 20_000
    assert peak < len(body)


MOST_MB = 64
"""Additional memory for reading and storing one text."""
MOST = 200_000
TOO_LONG = b"x" * (MOST + 1)
WAYS = "Shorten it, split it into several pairs, or raise INVIEW_MAX_REPLY_BYTES."
HELD = f"bytes{{}}. The maximum for a text is 200,000. {WAYS}"


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        (b'{"pairs":[{},{"reply_text":"%s"}]}' % TOO_LONG, "$.pairs[1].reply_text", ""),
        (
            b'{"conversations":[{},{"pairs":[{},{"user_text" : "%s"}]}]}' % TOO_LONG,
            "$.conversations[1].pairs[1].user_text",
            "",
        ),
        (b'{"pairs":[{"request":{"parts":[{"text":"%s"}]}}]}' % TOO_LONG, "$.pairs[0]", ' in "text"'),
        (b'{"nodes":[["%s"]]}' % TOO_LONG, "$.nodes[0]", ""),
        (b'{"pairs":[{"reply_text":"%s"}]}' % (b"\\n" * (MOST + 1)), "$.pairs[0].reply_text", ""),
    ],
    ids=range(5),
)
def test_a_text_that_is_too_large_is_refused_with_its_place_before_it_is_built(
    body: bytes, place: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_scan, "MAX_OTHER_TEXT", MOST)
    tracemalloc.start()
    try:
        with pytest.raises(FaultError) as raised:
            read_file(body, lambda: None, MOST)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert raised.value.field == place
    assert f"has {MOST + 1:,} {HELD.format(words)}" in raised.value.reason
    assert peak < 1_000_000


AT = "2026-01-31T12:00:00Z"
OF_TOOL = {"tool_call_id": "1", "content": [{"type": "text", "text": "-"}, {"type": "text", "text": "x" * (MOST + 1)}]}


@pytest.mark.parametrize("of_request", [True, False])
@pytest.mark.parametrize(
    ("part", "field"),
    [
        ({"type": "thinking", "text": "x" * (MOST + 1)}, "text"),
        ({"type": "thinking", "text": "", "signature": "x" * (MOST + 1)}, "signature"),
        ({"type": "text_file", "name": "a", "text": "x" * (MOST - 1) + "é"}, "text"),
        ({"type": "tool_call", "tool_call_id": "1", "name": "a", "input_json": "x" * (MOST + 1)}, "input_json"),
        ({"type": "tool_result", **OF_TOOL}, "content[1].text"),
    ],
    ids=range(5),
)
async def test_a_part_that_is_too_large_is_refused_with_its_place_and_nothing_is_stored(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch, of_request: bool, part: dict[str, Any], field: str
) -> None:
    monkeypatch.setattr(importing, "MAX_TEXT_BYTES", MOST)
    small = replace(ctx, engine=replace(ctx.engine, max_bytes=MOST))
    message = "request" if of_request else "reply"
    text = PAIR_BY_HAND["user_text" if of_request else "reply_text"]
    pair = {**PAIR_BY_HAND, message: {"parts": [{"type": "text", "text": text}, part]}}

    with pytest.raises(FaultError) as raised:
        await import_file(small, LOCAL_OWNER, orjson.dumps({"title": "Plans", "pairs": [PAIR_BY_HAND, pair]}))

    assert raised.value.field == f"$.pairs[1].{message}.parts[1].{field}"
    assert raised.value.reason == f"has {MOST + 1:,} {HELD.format('')}"
    assert await titles_of(ctx) == []


def test_a_text_of_an_earlier_version_is_refused_as_one_that_stands() -> None:
    earlier = {"id": "m", "role": "user", "created_at": AT, "text": "x" * (MOST + 1)}
    file = read_file(orjson.dumps({"pairs": [{**PAIR_BY_HAND, "messages": [earlier]}]}), lambda: None, MOST)

    with pytest.raises(FaultError) as raised:
        file.read_pair(0, 0)

    assert (raised.value.field, raised.value.reason) == (
        "$.pairs[0].messages[0].text",
        f"has {MOST + 1:,} {HELD.format('')}",
    )


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("reply_text", b"x" * MOST),
        ("reply_text", b"\\n" * MOST),  # twice as long in the file as in the reply
        ("reply_text", b'\\"\\u0001' * (MOST // 2)),
        ("body_base64", b"A" * 2 * MOST),  # a stored request
    ],
    ids=range(4),
)
def test_a_text_that_a_send_or_a_reply_can_have_is_imported(field: str, written: bytes) -> None:
    file = read_file(b'{"pairs":[{"%s":"%s"}]}' % (field.encode(), written), lambda: None, MOST)

    assert file.count("pairs") == 1


async def test_a_reply_as_large_as_the_settings_allow_is_imported(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MAX_TEXT_BYTES", 20_000)
    larger, smaller = (replace(ctx, engine=replace(ctx.engine, max_bytes=most)) for most in (30_000, 29_999))
    body = orjson.dumps({"title": "Plans", "pairs": [{**PAIR_BY_HAND, "reply_text": "x" * 30_000}]})

    (done,) = await import_file(larger, LOCAL_OWNER, body)
    with pytest.raises(FaultError, match=r"has 30,000 bytes\. The maximum for a text is 29,999"):
        await import_file(smaller, LOCAL_OWNER, body)

    assert done.pair_count == 1


@pytest.mark.parametrize("field", ["user_text", pytest.param("reply_text", marks=pytest.mark.exhaustive)])
async def test_the_largest_text_takes_little_memory_whatever_its_words_are(ctx: AppContext, field: str) -> None:
    """Words that all differ take the most memory: each has its own entry in the full-text index."""
    await import_file(ctx, LOCAL_OWNER, a_file(1))  # includes imports and compilation that happen once
    words = distinct_words(MAX_TEXT_BYTES)
    body = orjson.dumps({"title": "Plans", "pairs": [{**PAIR_BY_HAND, field: words}]})

    return_large_blocks()  # as in a server
    memory = Memory.now()
    await import_file(ctx, LOCAL_OWNER, body)
    growth = memory.growth()

    async with ctx.store.read() as session:
        found = await search(session, LOCAL_OWNER, ListCriteria(), parse_search(f"{words[:4]} {words.split()[-1]}"))
    assert len(found.places) == 1
    assert growth <= MOST_MB


async def test_a_pair_whose_texts_have_different_words_takes_little_memory(ctx: AppContext) -> None:
    """The words of a pair enter the full-text index in pieces: at once, those of both texts took more than 64 MB."""
    await import_file(ctx, LOCAL_OWNER, a_file(1))  # includes imports and compilation that happen once
    asked, replied = distinct_words(MAX_TEXT_BYTES), distinct_words(MAX_TEXT_BYTES, after=MAX_TEXT_BYTES)
    pair = {**PAIR_BY_HAND, "user_text": asked, "reply_text": replied}
    body = orjson.dumps({"title": "Plans", "pairs": [pair]})

    return_large_blocks()  # as in a server
    memory = Memory.now()
    await import_file(ctx, LOCAL_OWNER, body)
    growth = memory.growth()

    words = f"{asked[:4]} {replied.split()[-1]}"
    async with ctx.store.read() as session:
        found = await search(session, LOCAL_OWNER, ListCriteria(), parse_search(words))
    assert not set(asked.split()) & set(replied.split()[:-1])
    assert len(found.places) == 1
    assert growth <= MOST_MB


def a_reply_with_results(count: int) -> dict[str, Any]:
    """Return a pair whose reply has this number of tool results of a mebibyte each."""
    words = distinct_words(MAX_TEXT_BYTES)
    parts = [{"type": "text", "text": PAIR_BY_HAND["reply_text"]}]
    for number in range(count):
        call_id = f"c{number}"
        parts += [
            {"type": "tool_call", "tool_call_id": call_id, "name": "read"},
            {"type": "tool_result", "tool_call_id": call_id, "content": [{"type": "text", "text": words}]},
        ]
    return {**PAIR_BY_HAND, "reply": {"parts": parts}}


@pytest.mark.parametrize(("count", "is_refused"), [(4, False), (16, True)])
async def test_the_texts_of_a_message_together_take_little_memory(
    ctx: AppContext, other: AppContext, count: int, is_refused: bool
) -> None:
    """A message is stored as one value, which takes eight times its size."""
    await import_file(ctx, LOCAL_OWNER, a_file(1))  # includes imports and compilation that happen once
    body = orjson.dumps({"title": "Plans", "pairs": [a_reply_with_results(count)]})

    return_large_blocks()  # as in a server
    memory = Memory.now()
    if is_refused:
        most = MAX_TEXT_BYTES + MAX_TEXTS_BYTES
        with pytest.raises(FaultError, match=f"together. The maximum for a message is {most:,}. Shorten it") as raised:
            await import_file(ctx, LOCAL_OWNER, body)
        assert raised.value.field == "$.pairs[0].reply"
    else:
        (made,) = await import_file(ctx, LOCAL_OWNER, body)
        assert len(await import_file(other, LOCAL_OWNER, await export(ctx, made.id))) == 1
    assert memory.growth() <= MOST_MB


EMOJI = "\N{GRINNING FACE}"
LARGEST_WORDS = distinct_words(MAX_TEXT_BYTES - 4)
WIDE_FILE = EMOJI + "x" * (MAX_TEXT_BYTES - 4)
"""A text that takes four bytes of memory for each character."""


@pytest.mark.parametrize(
    ("reply", "file"),
    [
        pytest.param(LARGEST_WORDS, "x" * MAX_TEXT_BYTES, id="different words", marks=pytest.mark.exhaustive),
        pytest.param("Hello", WIDE_FILE, id="emoji in the files", marks=pytest.mark.exhaustive),
        pytest.param(LARGEST_WORDS + EMOJI, WIDE_FILE, id="different words and emoji"),
    ],
)
async def test_the_largest_message_takes_little_memory(ctx: AppContext, reply: str, file: str) -> None:
    """A text and text files of 5 MiB together."""
    await import_file(ctx, LOCAL_OWNER, a_file(1))  # includes imports and compilation that happen once
    files = [{"type": "text_file", "name": f"{number}.txt", "text": file} for number in range(4)]
    parts = [{"type": "text", "text": reply}, *files]
    pair = {**PAIR_BY_HAND, "reply_text": reply, "reply": {"parts": parts}}
    body = orjson.dumps({"title": "Plans", "pairs": [pair]})

    return_large_blocks()  # as in a server
    memory = Memory.now()
    await import_file(ctx, LOCAL_OWNER, body)
    assert memory.growth() <= MOST_MB


async def test_the_words_of_imported_and_copied_pairs_are_those_that_the_triggers_enter(ctx: AppContext) -> None:
    several = [{"type": "text", "text": "one"}, {"type": "thinking", "text": "no"}, {"type": "text", "text": "two"}]
    pairs = [
        PAIR_BY_HAND,
        {**PAIR_BY_HAND, "reply_text": None},
        {**PAIR_BY_HAND, "reply_text": "onetwo", "reply": {"parts": several}},
        {**PAIR_BY_HAND, "user_text": "", "reply_text": ""},
        {**PAIR_BY_HAND, "lifecycle": "sending"},
        {**PAIR_BY_HAND, "user_text": "Hello é\nthere. " * (PIECE // 5), "reply_text": "庭" * (PIECE + 1)},
        {**PAIR_BY_HAND, "user_text": "", "reply_text": "x" * (PIECE - 1)},
        {**PAIR_BY_HAND, "user_text": "", "reply_text": "x" * PIECE},
        {**PAIR_BY_HAND, "user_text": "é" * (PIECE // 2), "reply_text": " " * PIECE},
    ]
    (made,) = await import_file(ctx, LOCAL_OWNER, orjson.dumps({"title": "Plans", "pairs": pairs}))
    async with ctx.store.read() as session:
        stored = await load_pairs(session, LOCAL_OWNER, made.id)
    await fork_conversation(ctx, LOCAL_OWNER, made.id, [pair.id for pair in stored])

    text_of = SEARCH_TEXT.c
    words = select(text_of.pair_id, text_of.piece, text_of.words).where(text_of.pair_id.is_not(None))
    async with ctx.store.write() as session:
        entered = (await session.execute(words)).all()
        await session.execute(delete(SEARCH_TEXT).where(SEARCH_TEXT.c.pair_id.is_not(None)))
        await session.execute(text(enter_words("1")))
        again = (await session.execute(words)).all()
    assert sorted(map(tuple, entered)) == sorted(map(tuple, again))
    assert len({pair_id for pair_id, *_ in entered}) == 2 * len(pairs)
    assert max(piece for _, piece, _ in entered) > 1


@pytest.mark.parametrize("letter", ["x", EMOJI])
def test_a_pair_that_takes_too_much_memory_is_refused_before_it_is_built(letter: str) -> None:
    """A text with one emoji takes four bytes for each character."""
    texts = [{"id": f"m{n}", "role": "user", "created_at": AT, "text": letter + "x" * 1_000_000} for n in range(40)]
    body = orjson.dumps({"pairs": [{**PAIR_BY_HAND, "messages": texts if letter == "x" else texts[:15]}]})
    file = read_file(body, lambda: None)

    tracemalloc.start()
    try:
        with pytest.raises(FaultError, match="takes more than 64 MiB of memory while it is read") as raised:
            file.read_pair(0, 0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert raised.value.field == "$.pairs[0]"
    assert peak < 4_000_000


async def test_a_statement_has_one_large_message_at_a_time(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows of a statement are in memory a second time, as JSON."""
    insert = pair_records._insert  # pyright: ignore[reportPrivateUsage]
    counts = dict[str, list[int]]()

    async def note_and_insert(session: Any, table: Any, rows: list[Any]) -> None:
        counts.setdefault(table.name, []).append(len(rows))
        await insert(session, table, rows)

    monkeypatch.setattr(pair_records, "_insert", note_and_insert)
    texts = [{"id": f"m{n}", "role": "user", "created_at": AT, "text": "x" * 600_000} for n in range(4)]
    await import_file(ctx, LOCAL_OWNER, orjson.dumps({"pairs": [{**PAIR_BY_HAND, "messages": texts}]}))

    assert counts["message"] == [4, 2]  # the request, the reply and two texts, then the others


# --- the pieces are the file ---

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text('a"\\[]{},:é\n', max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["pairs", "nodes", "a", '"']), inner),
    max_leaves=12,
)
CONVERSATIONS = st.lists(
    st.fixed_dictionaries({}, optional={"title": JSON, "pairs": st.lists(JSON), "nodes": st.lists(JSON)}) | JSON
)
FILES = st.fixed_dictionaries(
    {}, optional={"format": JSON, "conversations": CONVERSATIONS, "attachments": st.lists(JSON), "x": JSON}
)


def put_together(body: bytes) -> Any:
    """Build the value of a file from the pieces that the scan found."""
    scan = scan_file(body, lambda: None)
    whole = orjson.loads(scan.shell)
    for (name, number), spans in scan.lists.items():
        items = [orjson.loads(body[spans[at] : spans[at + 1]]) for at in range(0, len(spans), 2)]
        owner = whole if name == "attachments" or "conversations" not in whole else whole["conversations"][number]
        assert owner[name] == []
        owner[name] = items
    return whole


@settings(deadline=None)
@given(FILES, st.booleans(), st.integers(2, 40))
def test_the_pieces_put_together_are_the_file(file: dict[str, Any], indented: bool, window: int) -> None:
    body = orjson.dumps(file, option=orjson.OPT_INDENT_2 if indented else None)
    before, import_scan._WINDOW = import_scan._WINDOW, window  # type: ignore[misc]
    try:
        assert put_together(body) == file
    finally:
        import_scan._WINDOW = before  # type: ignore[misc]


@settings(deadline=None)
@given(FILES, st.data())
def test_a_broken_file_is_not_read_as_if_it_were_whole(file: dict[str, Any], data: st.DataObject) -> None:
    body = bytearray(orjson.dumps(file))
    place = data.draw(st.integers(0, len(body) - 1))
    body[place : place + data.draw(st.integers(0, 2))] = data.draw(
        st.sampled_from([b"", b",", b"]", b'"', b"{", b"\\"])
    )
    try:
        meant: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        with pytest.raises((FaultError, orjson.JSONDecodeError)):
            put_together(bytes(body))
        return
    if body.lstrip().startswith(b"{"):
        found: Any = None
        try:
            found = put_together(bytes(body))
        except FaultError as error:  # a name that appears twice is refused rather than partly read
            found = meant if "twice" in error.reason else error
        assert found == meant


def test_the_names_of_lists_are_read_as_json_means_them() -> None:
    file = read_file(b'{"title": "x", "p\\u0061irs": [{"user_text": "Hi", "model": "a:b"}]}', lambda: None)

    assert file.count("pairs") == 1
    assert file.read_pair(0, 0).user_text == "Hi"


# --- others work meanwhile ---


async def test_no_turn_of_the_event_loop_does_more_for_a_longer_file(ctx: AppContext) -> None:
    """Another request waits for one slice of the import at most, however long the file is."""
    await import_file(ctx, LOCAL_OWNER, a_file(100))  # includes imports and compilation that happen once

    short = await calls_by_turn(import_file(ctx, LOCAL_OWNER, a_file(200)))
    long = await calls_by_turn(import_file(ctx, LOCAL_OWNER, a_file(1_000)))

    assert max(long) < 1.5 * max(short)


async def test_others_write_between_two_slices(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    insert, written, seen = importing.insert_unsearched, 0, list[int]()

    async def note_and_insert(*args: Any) -> None:
        seen.append(written)
        await insert(*args)

    monkeypatch.setattr(importing, "insert_unsearched", note_and_insert)
    importing_it = asyncio.create_task(import_file(ctx, LOCAL_OWNER, a_file(1_000)))
    while not importing_it.done():
        await create_conversation(ctx, LOCAL_OWNER, title="another")
        written += 1

    await importing_it
    assert len(set(seen)) > 1_000 / 50 / 2  # another task had written before at least every second slice


def test_a_working_thread_lets_others_work_and_ends_when_stopped() -> None:
    rest, turns, ended = Rest(), 0, threading.Event()

    def work() -> None:
        try:
            while True:
                rest()
        except EndedError:
            ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(100):
        time.sleep(0)
        turns += 1
    rest.ended = True
    thread.join(30)

    assert turns == 100
    assert ended.is_set()


# --- nothing is half there unsaid ---


async def test_a_large_file_is_in_the_list_once_it_is_whole(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    insert, seen = importing.insert_unsearched, list[tuple[list[str], list[str]]]()

    async def look_and_insert(*args: Any) -> None:
        trash = await list_trash(ctx, LOCAL_OWNER, limit=10)
        seen.append((await titles_of(ctx), [one.title for one in trash.entries]))
        await insert(*args)

    monkeypatch.setattr(importing, "insert_unsearched", look_and_insert)
    (made,) = await import_file(ctx, LOCAL_OWNER, a_file(200))

    assert seen == [([], [f"{UNFINISHED}Plans"])] * 4
    assert await titles_of(ctx) == ["Plans"]
    assert (await list_trash(ctx, LOCAL_OWNER, limit=10)).entries == ()
    async with ctx.store.read() as session:
        pairs = await load_pairs(session, LOCAL_OWNER, made.id, limit=500)
    assert [pair.position for pair in pairs] == list(range(1, 201))
    assert made.pair_count == 200


@pytest.mark.parametrize("how", ["the disk is full", "it is deleted in the meantime"])
async def test_an_import_that_ends_early_says_what_is_there_of_it_and_where(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    insert, count = importing.insert_unsearched, 0

    async def fail_at_third(session: Any, target: Any, *more: Any) -> None:
        nonlocal count
        count += 1
        if count == 3 and how == "the disk is full":
            raise StoreError("The database could not be written: disk full.", "Make room.")
        if count == 3:
            await delete_conversation_forever(session, target.owner, target.conversation_id)
        await insert(session, target, *more)

    monkeypatch.setattr(importing, "insert_unsearched", fail_at_third)

    with pytest.raises(UnfinishedImportError, match="stopped after 100 of 200 pairs") as caught:
        await import_file(ctx, LOCAL_OWNER, a_file(200))

    assert ("disk full" if how == "the disk is full" else "deleted in the meantime") in str(caught.value)
    assert "in the trash" in str(caught.value)
    assert await titles_of(ctx) == []
    (left,) = (await list_trash(ctx, LOCAL_OWNER, limit=10)).entries
    assert (left.title, left.count) == (f"{UNFINISHED}Plans", 100)


@pytest.mark.parametrize("what", ["filters", "topics"])
async def test_more_topics_or_filters_than_there_can_be_are_refused_before_they_are_looked_at(
    ctx: AppContext, what: str
) -> None:
    item = {"filters": {"name": "a", "filter": "b"}, "topics": {"path": "AI"}}[what]
    body = {"format": FORMAT, "version": VERSION, "conversations": [], what: [item] * 6_000}

    with pytest.raises(ConflictError, match="is the maximum"):
        await import_file(ctx, LOCAL_OWNER, orjson.dumps(body))
