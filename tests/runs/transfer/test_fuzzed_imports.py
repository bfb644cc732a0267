"""Damaged files of every format through the whole import: it ends in a report, and nothing is half there."""

from __future__ import annotations

import json
import os
import random
import tracemalloc
from collections.abc import Callable
from typing import Any, cast

import orjson
import pytest

from app.runs.send.commands import LOCAL_OWNER
from app.runs.transfer.imports.staging import carry_out_import, undo_import
from app.runs.transfer.imports.storing import UNFINISHED
from app.runs.workbench import Workbench
from app.views.imports import ImportStatus
from tests import foreign
from tests.runs.exchange import export
from tests.runs.random_conversations import make_conversation, store_made
from tests.runs.transfer.test_imports import hand_in, listed, pairs_of
from tests.seeds import choose_seed

CASES = int(os.environ.get("FUZZ_CASES", "40"))
"""Of each format."""
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**63, 10**400, -(10**400), 1e308, -0.0, "", " ", "\x00", "\ud800", "\u202e"),
    "x" * 5_000,
    *([], {}, [[]], [None], {"": None}, {"id": {}}, "9999-99-99T99:99:99Z", "root", "q1", "1", "tool", "user"),
)


def some_chatgpt() -> bytes:
    return foreign.written(foreign.chatgpt_with_branches(), foreign.chatgpt_with_branches() | {"id": "2"})


def some_claude() -> bytes:
    messages = (
        foreign.claude_message("1", None, "human", "Look", attachments=[{"file_name": "a", "extracted_content": "b"}]),
        foreign.claude_message("2", "1", "assistant", "Yes"),
        foreign.claude_message("3", "1", "assistant", "No"),
    )
    return foreign.written(foreign.claude(*messages), foreign.claude(*messages, key="c-2"))


def some_open_webui() -> bytes:
    messages = (
        foreign.open_webui_message("1", None, "user", "Look"),
        foreign.open_webui_message("2", "1", "assistant", "Yes"),
        foreign.open_webui_message("3", "1", "assistant", [{"type": "text", "text": "No"}]),
    )
    return foreign.written(foreign.open_webui(*messages), foreign.open_webui(*messages, key="w-2"))


def some_maichat() -> bytes:
    return json.dumps(foreign.maichat()).encode()


FOREIGN: dict[str, Callable[[], bytes]] = {
    "chatgpt": some_chatgpt,
    "claude": some_claude,
    "open_webui": some_open_webui,
    "maichat": some_maichat,
}


# --- damage ---


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a value, as the list or object that holds it and the key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            found += [(here, key) for key in cast("dict[str, Any]", here)]
            waiting += cast("dict[str, Any]", here).values()
        elif isinstance(here, list):
            found += [(here, key) for key in range(len(cast("list[Any]", here)))]
            waiting += cast("list[Any]", here)
    return found


def change_values(chance: random.Random, body: bytes) -> bytes:
    """Wrong types, huge numbers, ids that stand twice, circles: values anywhere become odd ones, or another's."""
    data = json.loads(body)
    for _ in range(chance.choice((1, 1, 3, 10))):
        all_places = places(data)
        holder, key = chance.choice(all_places)
        other, name = chance.choice(all_places)
        if chance.random() < 0.2:
            del holder[key]
        else:
            holder[key] = chance.choice(ODD) if chance.random() < 0.6 else json.loads(json.dumps(other[name]))
    return json.dumps(data, ensure_ascii=chance.random() < 0.7).encode(errors="surrogatepass")


def cut(chance: random.Random, body: bytes) -> bytes:
    start, end = sorted(chance.choices(range(len(body) + 1), k=2))
    return chance.choice((body[:end], body[start:], body[:start] + body[end:]))


def flip(chance: random.Random, body: bytes) -> bytes:
    changed = bytearray(body)
    for _ in range(chance.choice((1, 5, 50))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def nest(chance: random.Random, body: bytes) -> bytes:
    """A value a hundred thousand levels deep."""
    first = body.index(b":") + 1
    deep = chance.choice((b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000, b"[" * 100_000))
    return body[:first] + deep + b", " + b'"rest":' + body[first:]


def encode(chance: random.Random, body: bytes) -> bytes:
    text = body.decode()
    name = chance.choice(("utf-16", "utf-16-be", "utf-32", "utf-8-sig", "utf-7", "cp037", "zip"))
    return foreign.packed(body)[: chance.choice((None, -50))] if name == "zip" else text.encode(name, errors="replace")


DAMAGES = (change_values, change_values, change_values, cut, flip, nest, encode)


# --- what must hold ---


async def fuzz(wb: Workbench, body: bytes) -> tuple[ImportStatus, int]:
    """Hand it in, import what it is said to bring, check what is here, and take it back."""
    view = await hand_in(wb, body)
    if view.status is ImportStatus.READY:
        view = await carry_out_import(wb, LOCAL_OWNER, view.id)
    assert view.status in {ImportStatus.DONE, ImportStatus.FAILED}
    assert view.status is ImportStatus.DONE or view.message
    here = await listed(wb)
    assert {one.conversation.id for one in here} == {one.id for one in view.brought}
    assert not [one for one in here if one.conversation.title.startswith(UNFINISHED.partition("{")[0])]
    count = sum([len(await pairs_of(wb, one.conversation.id)) for one in here])
    assert count == view.brought_pairs
    if here:
        await undo_import(wb, LOCAL_OWNER, view.id)
    return view.status, count


@pytest.mark.parametrize("name", FOREIGN)
async def test_whatever_became_of_another_applications_file_it_ends_in_a_report(wb: Workbench, name: str) -> None:
    seed, whole = choose_seed("FUZZ_SEED"), FOREIGN[name]()
    ends: list[tuple[ImportStatus, int]] = [await fuzz(wb, whole)]
    for number in range(CASES):
        chance = random.Random(f"{name} {seed} {number}")
        body = chance.choice(DAMAGES)(chance, whole)
        try:
            ends.append(await fuzz(wb, body))
        except Exception as error:
            error.add_note(f"{name} {seed} {number}: {body[:3_000]!r}")
            raise

    assert {status for status, _ in ends} == {ImportStatus.DONE, ImportStatus.FAILED}


async def test_a_damaged_file_of_ours_comes_whole_or_not_at_all(wb: Workbench, other: Workbench) -> None:
    seed = choose_seed("FUZZ_SEED")
    ends: list[tuple[ImportStatus, int]] = []
    for number in range(CASES * 2):
        chance = random.Random(f"own {seed} {number}")
        made = make_conversation(chance)
        await store_made(other, made)
        whole = await export(other, made.conversation.id)
        body = chance.choice(DAMAGES)(chance, whole)
        try:
            status, count = await fuzz(wb, body)
        except Exception as error:
            error.add_note(f"own {seed} {number}: {body[:3_000]!r}")
            raise
        ends.append((status, count))
        if status is ImportStatus.DONE:
            said = orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
            assert count == sum(len(one.get("pairs", [])) for one in said["conversations"])

    assert {status for status, _ in ends} == {ImportStatus.DONE, ImportStatus.FAILED}


@pytest.mark.parametrize("name", ["chatgpt", "claude", "open_webui"])
async def test_a_long_file_takes_less_memory_than_it_is_long(wb: Workbench, name: str) -> None:
    one = orjson.dumps(orjson.loads(FOREIGN[name]())[0] | {"unknown": "x" * 200_000})
    body = b"[" + b",".join([one] * 150) + b"]"
    tracemalloc.start()
    try:
        view = await hand_in(wb, body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert view.status is ImportStatus.READY, view
    assert peak < len(body) // 2
