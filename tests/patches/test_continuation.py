"""A text that goes on is sent in short, and pages in Python and in TypeScript that read it have the server's values."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reflex.state import StateUpdate

from app.patches.apply import plain
from app.patches.connection import Connection
from app.patches.continuation import Continuation, can_continue, read_continuation
from app.patches.growth import Growth
from app.patches.namespace import PatchedNamespace
from tests.bench.reflex_page import ReflexPage
from tests.node import NODE
from tests.patches.rows import Row, same

SCRIPT = Path(__file__).parents[2] / "app/patches/apply.ts"
PIECES = st.text('ab,+1\n\x1e😀\u2028\ud800"\\', min_size=1, max_size=5)
STEPS = st.lists(
    st.tuples(st.sampled_from(["rows", "dialog", "both", "forget"]), st.integers(0, 2), PIECES), max_size=12
)
VARS = ("rows", "dialog")


def frames_of(steps: list[tuple[str, int, str]], *, compares: bool = True) -> tuple[list[str], dict[str, Any]]:
    """What a page is sent while texts of rows and of a dialog grow, and the values that the vars end with.

    `compares` False: where one text alone goes on, the connection is told so.
    """
    app: Any = SimpleNamespace(_state=None)
    namespace, connection = PatchedNamespace("/_event", app), Connection("a-b_c1")
    values: dict[str, Any] = {"rows": (Row(0, "a"), Row(1, "b"), Row(2, "c")), "dialog": Row(1, "x", inner=Row(2, "y"))}
    frames = [frame_of(namespace, connection, values)]
    for what, at, piece in steps:
        rows, dialog = values["rows"], values["dialog"]
        grown = {
            "rows": (*rows[:at], replace(rows[at], text=rows[at].text + piece), *rows[at + 1 :]),
            "dialog": replace(dialog, text=dialog.text + piece),
        }
        changed = {"both": list(VARS), "forget": []}.get(what, [what])
        if what == "forget":
            connection.forget()
        before = dict(values)
        values |= {name: grown[name] for name in changed}
        if not compares and len(changed) == 1:
            path = (at, "text") if what == "rows" else ("text",)
            growth = Growth(path, before[what], values[what], piece)
            assert growth.is_sound()
            var = ("root", f"{what}_rx_state_")
            if (found := connection.continuation(var, path, growth.before, piece)) is not None:
                connection.went_on(var, growth.now, found)
                frames.append(f"2/_event,{found.wire()}")
                continue
        frames.append(frame_of(namespace, connection, {name: values[name] for name in changed} or values))
    return frames, {name: plain(value) for name, value in values.items()}


@given(STEPS)
@settings(deadline=None)
def test_what_need_not_be_compared_is_sent_as_what_was(steps: list[tuple[str, int, str]]) -> None:
    sent = frames_of(steps, compares=False)

    assert sent == frames_of(steps)


def frame_of(namespace: PatchedNamespace, connection: Connection, values: dict[str, Any]) -> str:
    delta = {"root": {f"{name}_rx_state_": value for name, value in values.items()}}
    update = StateUpdate(delta=delta)
    return namespace._frame(connection, connection.news(delta), update)  # pyright: ignore[reportPrivateUsage]


@given(st.text(), st.integers(1, 36**4 - 1), st.integers(1, 99))
def test_what_is_written_is_read(text: str, number: int, place: int) -> None:
    written = Continuation("a-b_c1", place, number, text, known=True)

    assert read_continuation(written.wire()) == written


@pytest.mark.parametrize("payload", ["", "+a,1", "+a,1,00G1", '["event",{}]'])
def test_anything_else_is_no_continuation(payload: str) -> None:
    with pytest.raises(ValueError, match="No continuation"):
        read_continuation(payload)


def test_half_a_surrogate_pair_and_a_number_of_five_digits_cannot_be_written() -> None:
    assert can_continue(36**4 - 1, "é😀\n")
    assert not can_continue(36**4, "a")
    assert not can_continue(1, "a\ud83d")


def test_a_text_that_goes_on_costs_twenty_characters_and_another_one_is_told_of_first() -> None:
    frames, _ = frames_of(
        [("rows", 1, " one"), ("rows", 1, " more"), ("dialog", 0, "."), ("rows", 1, "."), ("rows", 1, "!")]
    )

    assert [frame for frame in frames if "[" not in frame] == [
        "2/_event,+a-b_c1,1,0003 more",
        "2/_event,+a-b_c1,3,0005!",
    ]
    assert [json.loads(frame[9:])[1].get("at") for frame in frames if "[" in frame] == [None, 1, 2, 3]


def test_after_a_hydrate_a_place_is_told_of_again() -> None:
    frames, _ = frames_of([("rows", 1, "a"), ("rows", 1, "b"), ("forget", 0, ""), ("rows", 1, "c"), ("rows", 1, "d")])

    assert [frame[9] for frame in frames] == ["[", "[", "+", "[", "[", "+"]


def test_an_update_with_events_is_not_shortened() -> None:
    app: Any = SimpleNamespace(_state=None)
    namespace, connection = PatchedNamespace("/_event", app), Connection("a")
    events: Any = [{"name": "focus"}]
    for text in ("a", "ab"):
        frame_of(namespace, connection, {"rows": (Row(1, text),)})
    delta = {"root": {"rows_rx_state_": (Row(1, "abc"),)}}
    news = connection.news(delta)

    frame = namespace._frame(connection, news, StateUpdate(delta=delta, events=events))  # pyright: ignore[reportPrivateUsage]

    assert json.loads(frame[9:])[1] == {
        "delta": {"root": {"rows_rx_state_": {"$rev": ["a", 3], "patch": [["+", [0, "text"], "c"]]}}},
        "events": events,
    }


@settings(deadline=None)
@given(STEPS)
def test_a_python_page_ends_with_the_values_of_the_server(steps: list[tuple[str, int, str]]) -> None:
    whole = [(what, at, piece.replace("\ud800", "?")) for what, at, piece in steps]  # orjson refuses half a pair
    frames, values = frames_of(whole)
    page = ReflexPage("/")
    for frame in frames:
        page.take(f"4{frame}")

    assert same({name: page.shown("root", name) for name in VARS}, values)


PROGRAM = f"""
  import {{ createPatches }} from {json.dumps(str(SCRIPT))};
  import assert from "node:assert";
  import {{ readFileSync }} from "node:fs";
  const unasked = () => assert.fail("asked for everything");
  for (const {{ frames, values }} of JSON.parse(readFileSync(0, "utf8"))) {{
    const {{ reduce, read }} = createPatches((old, whole) => ({{ ...old, ...whole }}), JSON.parse, unasked, () => {{}});
    let state = {{}};
    for (const frame of frames) state = reduce(state, read(frame.slice(9))[1].delta?.root ?? {{}});
    assert.deepStrictEqual(state, Object.fromEntries(values));
  }}
"""


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(STEPS, min_size=30, max_size=60))
def test_a_typescript_page_ends_with_the_values_of_the_server(sequences: list[list[tuple[str, int, str]]]) -> None:
    cases: list[Any] = []
    for frames, values in map(frames_of, sequences):
        cases.append({"frames": frames, "values": [(f"{name}_rx_state_", value) for name, value in values.items()]})

    command = [NODE, "--input-type=module", "-e", PROGRAM]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 0, done.stderr
